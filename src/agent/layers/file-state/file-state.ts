import { copyState } from '../../../core/base/checkpoint.js';
import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import type { Mutable } from '../../../core/base/mutable.js';
import { entryOf, oncePer } from '../../../core/base/once.js';
import { type Block, CHARS_PER_TOKEN } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { Text } from '../../../core/model/text.js';
import type { LayerContext } from '../../../core/run/layer.js';
import { AwaitedCalls } from '../support/compactable.js';

/** A file as it is now, as far as the session tells (C13). */
export interface FileVersion extends Pick<Block, 'tokens' | 'rough' | 'chars' | 'digest'> {
  /** The read that showed it, for its line numbers; null if no read did. */
  readonly text: Block['text'];
  /** The size is that of the last version that is known, not of the present one. */
  readonly isEstimated: boolean;
}

/** What a thread knows of a file: a value, replaced when it changes, so that checkpoints and forks share it. */
export interface KnownFile {
  readonly path: string;
  readonly version: FileVersion;
  /** Call of the latest whole read whose content came; null when none did. */
  readonly readId: string | null;
  /** Call of the latest write or edit; null while the session has not changed the file. */
  readonly changeId: string | null;
  /** The content is also in a call that wrote it or in an attachment, which no microcompaction clears. */
  readonly staysKnown: boolean;
  /** The latest attempt to read it failed, and nothing wrote it since. */
  readonly isUnreadable: boolean;
  /** Number of its latest use among all uses. */
  readonly usedAt: number;
  /** The same of its latest change; 0 while the session has not changed it. */
  readonly changedAt: number;
}

/** What is known of a file before its first use. */
const UNUSED = {
  path: '',
  version: null,
  readId: null,
  changeId: null,
  staysKnown: false,
  isUnreadable: false,
  usedAt: 0,
  changedAt: 0,
} as const;

/** The version that a block shows in full; `estimated` when it shows a part. */
function shownVersion(block: Block, certainty: 'exact' | 'estimated'): FileVersion {
  const { tokens, rough, chars, digest, text, kind } = block;
  const isRead = kind === 'tool_result';
  return {
    tokens,
    rough,
    chars,
    digest,
    text: isRead ? text : null,
    isEstimated: certainty === 'estimated',
  };
}

/** The version that a call wrote: its share of the call's tokens is that of its characters. @internal */
export function writtenVersion(call: Block, chars: number): FileVersion {
  const share = call.chars === 0 ? 0 : Math.min(1, chars / call.chars);
  const tokens = call.chars === 0 ? Math.round(chars / CHARS_PER_TOKEN) : Math.round(call.tokens * share);
  return { tokens, rough: Math.round(chars / 4), chars, digest: call.digest, text: null, isEstimated: false };
}

/** The version that an edit leaves; null characters leave a size that can only be estimated. @internal */
export function editedVersion(before: FileVersion, call: Block, grownChars: number | null): FileVersion {
  const digest = chainDigest(before.digest, call.digest);
  const { text } = before;
  if (grownChars === null) {
    const { tokens, rough, chars } = before;
    return { tokens, rough, chars, digest, text, isEstimated: true };
  }
  const chars = Math.max(0, before.chars + grownChars);
  const tokens =
    before.chars === 0
      ? Math.round(chars / CHARS_PER_TOKEN)
      : Math.round((before.tokens * chars) / before.chars);
  return { tokens, rough: Math.round(chars / 4), chars, digest, text, isEstimated: before.isEstimated };
}

const LINE_NUMBER = /^ *\d+[→\t]/gm;

/** Share of a read that is the numbers of its lines. */
const numberShare = oncePer((text: Text): number => {
  if (text.chars === 0) return 0;
  let chars = 0;
  for (const [number] of text.read().matchAll(LINE_NUMBER)) chars += number.length;
  return chars / text.chars;
});

/** Tokens of a file itself, without the line numbers that a read adds. */
export function plainTokens({ tokens, text }: Pick<FileVersion, 'tokens' | 'text'>): number {
  return text === null ? tokens : tokens * (1 - numberShare(text));
}

/** Digests of contents, each found once however often a transcript is replayed. */
const contentDigest = oncePer((text: Text): Digest => digestText(text.read()));

/** Attachments that show a file: one the user named, and one that came back after a compaction. */
const SHOWN_FILE = 'file';
/** A file that came back as a path alone. */
const NAMED_FILE = 'compact_file_reference';
/** The client says that somebody else changed a file. */
const CHANGED_FILE = 'edited_text_file';
const NESTED_MEMORY = 'nested_memory';

/** Which files of a new history are remembered: those it shows, or those that came back (`restore.candidates`). */
export type Candidates = 'shown' | 'named';

function isFileTool(tool: string): boolean {
  return (
    tool === 'Read' || tool === 'Edit' || tool === 'Write' || tool === 'MultiEdit' || tool === 'NotebookEdit'
  );
}

/**
 * What a thread knows of files: how large each is now, after the reads, writes and edits of the session (C13), which of them
 * the agent remembers (MIC-1, CLN-1), which reads it can still see, and which memory files were attached (NES-1). One state
 * for restoration, nested memory, storage and forks.
 */
export class FileState {
  private readonly byPath = new Map<string, KnownFile>();
  /** Paths of files that the agent remembers to have used, latest use last; microcompaction or a new history make it forget. */
  private readonly remembered = new Set<string>();
  private useCount = 0;
  /** Calls on files whose results have not come. */
  private readonly open = new AwaitedCalls();
  private latest: Message | null = null;
  /** The history that was read last; several layers pass the same one. */
  private history: readonly Message[] | null = null;
  /** Reads that stand in the context as they came, by path. */
  private readonly shown = new Map<string, Block>();
  /** Memory files that are in the context. */
  readonly memories = new Set<string>();
  /** Changes whenever memory files are forgotten. */
  memoryVersion = 0;

  /** Takes note of a message that joined the context; several layers may pass it. */
  observe(message: Message): void {
    if (message === this.latest) return;
    this.latest = message;
    for (let i = 0; i < message.blocks.length; i++) {
      const block = message.blocks[i]!;
      const { path } = block.facts;
      if (block.kind === 'tool_use') {
        if (path !== undefined && block.toolUseId !== null && isFileTool(block.tool ?? ''))
          this.open.add(block);
      } else if (block.kind === 'tool_result') this.observeResult(block);
      else if (path !== undefined) this.observeAttachment(block, path);
    }
  }

  private observeResult(block: Block): void {
    const call = this.open.take(block.toolUseId);
    const path = block.facts.path ?? call?.facts.path;
    const tool = block.tool ?? call?.tool ?? '';
    if (path === undefined || !isFileTool(tool) || block.facts.replaces === 'cleared') return;
    const known = this.byPath.get(path);
    if (block.facts.isError === true) {
      if (tool === 'Read' && known !== undefined) this.changed(known).isUnreadable = true;
    } else if (tool === 'Read') this.read(path, block, call, known);
    else this.change(path, tool, block, call, known);
  }

  private read(path: string, block: Block, call: Block | undefined, known: KnownFile | undefined): void {
    if (block.facts.stub === true) {
      if (known !== undefined) this.use(known);
      return;
    }
    const isPart = call?.facts.effect?.kind === 'read-part' || block.facts.limited === true;
    if (isPart && known !== undefined && (!known.version.isEstimated || known.version.chars >= block.chars)) {
      this.use(known);
      return;
    }
    const file = this.put(path, shownVersion(block, isPart ? 'estimated' : 'exact'));
    if (!isPart) file.readId = block.toolUseId;
    file.isUnreadable = false;
  }

  private change(
    path: string,
    tool: string,
    block: Block,
    call: Block | undefined,
    known: KnownFile | undefined,
  ): void {
    const effect = call?.facts.effect;
    let version: FileVersion;
    if (call !== undefined && effect?.kind === 'write') version = writtenVersion(call, effect.chars);
    else if (known === undefined) version = shownVersion(block, 'estimated');
    else {
      const grown = effect?.kind === 'edit' ? effect.chars : null;
      version = editedVersion(known.version, call ?? block, grown);
    }
    const file = this.put(path, version);
    file.changeId = block.toolUseId;
    file.changedAt = file.usedAt;
    file.isUnreadable = false;
    if (tool === 'Write') file.staysKnown = true;
  }

  private observeAttachment(block: Block, path: string): void {
    const { attachment, replaces } = block.facts;
    if (attachment === NESTED_MEMORY) this.memories.add(path);
    else if (attachment === SHOWN_FILE) {
      const known = this.byPath.get(path);
      if (replaces === 'cut' && known !== undefined) this.use(known);
      else this.put(path, shownVersion(block, replaces === 'cut' ? 'estimated' : 'exact')).staysKnown = true;
    } else if (attachment === CHANGED_FILE) {
      const known = this.byPath.get(path);
      if (known === undefined) return;
      const file = this.changed(known);
      file.version = editedVersion(known.version, block, null);
      file.changedAt = this.useCount;
    }
  }

  /** The file as it is used now; the caller may go on changing it. */
  private put(path: string, version: FileVersion): Mutable<KnownFile> {
    const file = this.use(this.byPath.get(path) ?? { ...UNUSED, path, version });
    file.version = version;
    return file;
  }

  private use(known: KnownFile): Mutable<KnownFile> {
    const file = this.changed(known);
    this.remembered.delete(file.path);
    this.remembered.add(file.path);
    file.usedAt = ++this.useCount;
    return file;
  }

  /** What takes the place of what was known of a file. */
  private changed(known: KnownFile): Mutable<KnownFile> {
    const { path, version, readId, changeId, staysKnown, isUnreadable, usedAt, changedAt } = known;
    const file = { path, version, readId, changeId, staysKnown, isUnreadable, usedAt, changedAt };
    this.byPath.set(path, file);
    return file;
  }

  /** A file of the thread, remembered or not; undefined when the session never used it. */
  get(path: string): KnownFile | undefined {
    return this.byPath.get(path);
  }

  /** The files the agent remembers, latest use first. */
  recent(): KnownFile[] {
    const files: KnownFile[] = [];
    for (const path of this.remembered) files.push(this.byPath.get(path)!);
    return files.reverse();
  }

  /** The same, those that the session changed first, latest change first: what files say of themselves on disk (R9). */
  recentlyChanged(): readonly KnownFile[] {
    const changed: KnownFile[] = [];
    const unchanged: KnownFile[] = [];
    for (const file of this.recent()) (file.changedAt > 0 ? changed : unchanged).push(file);
    return [...changed.sort((a, b) => b.changedAt - a.changedAt), ...unchanged];
  }

  /** The content of a result is gone from the context: a file that was known by this read alone is forgotten (MIC-1, C17). */
  forgetRead(toolUseId: string, path: string | null): void {
    if (path === null) return;
    if (this.shown.get(path)?.toolUseId === toolUseId) this.shown.delete(path);
    const file = this.byPath.get(path);
    if (file?.readId !== toolUseId) return;
    this.changed(file).readId = null;
    if (!file.staysKnown) this.remembered.delete(path);
  }

  /** Memory files left the context: they are attached again when a path below them is touched (MIC-1). */
  forgetMemory(path: string): void {
    if (this.memories.delete(path)) this.memoryVersion++;
  }

  /** A read came in whole and stays. */
  show(path: string, block: Block): void {
    this.shown.set(path, block);
  }

  /** A read became a pointer to the one that is visible for its path. */
  pointBack(path: string): void {
    const file = this.byPath.get(path);
    if (file !== undefined) this.changed(file).readId = this.shown.get(path)?.toolUseId ?? null;
  }

  /** True when the read that is visible for the path has the same content. Opaque reads are never known to be equal. */
  shows(path: string, block: Block): boolean {
    const known = this.shown.get(path);
    if (known === undefined || block.text === null || known.text === null) return false;
    if (known.chars !== block.chars) return false;
    return contentDigest(known.text) === contentDigest(block.text);
  }

  /** The history is another one, or was read back: the agent remembers what it shows (CLN-1); sizes stay known. */
  reset(messages: readonly Message[], candidates: Candidates = 'shown'): void {
    if (messages === this.history) return;
    this.history = messages;
    this.shown.clear();
    this.memories.clear();
    this.memoryVersion++;
    const before = this.recent();
    this.remembered.clear();
    const staying = new Set<string>();
    for (const { blocks } of messages) {
      for (const { kind, facts, tool } of blocks) {
        const { path, attachment } = facts;
        if (path === undefined) continue;
        if (attachment === NESTED_MEMORY) this.memories.add(path);
        else if (attachment === NAMED_FILE) {
          if (candidates === 'named') this.remember(path);
        } else if (attachment === SHOWN_FILE || (kind === 'tool_use' && tool === 'Write')) {
          this.remember(path);
          staying.add(path);
        } else if (candidates === 'shown' && kind === 'tool_result' && isFileTool(tool ?? '')) {
          if (facts.isError !== true) this.remember(path);
        }
      }
    }
    for (const file of before)
      if (file.staysKnown && !staying.has(file.path)) this.changed(file).staysKnown = false;
    for (const path of staying) {
      const file = this.byPath.get(path);
      if (file?.staysKnown === false) this.changed(file).staysKnown = true;
    }
    const shown = this.recent().sort((a, b) => a.usedAt - b.usedAt);
    this.remembered.clear();
    for (const { path } of shown) this.remembered.add(path);
  }

  /** A history shows a file. */
  private remember(path: string): void {
    if (this.byPath.has(path)) this.remembered.add(path);
  }

  /** A fork knows the files that its parent knew (AGT-1). */
  forFork(): FileState {
    return copyState(this);
  }
}

/** The file state of a thread, shared by its layers. */
export function fileState({ shared }: Pick<LayerContext, 'shared'>): FileState {
  return entryOf(shared, 'file-state', () => new FileState());
}
