import { chainDigest, digestText } from '../../../core/base/digest.js';
import type { Mutable } from '../../../core/base/mutable.js';
import { type BlockFacts, textBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import type { Text } from '../../../core/model/text.js';
import type { LayerContext } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { type FileVersion, type KnownFile, plainTokens } from '../file-state/file-state.js';
import { param } from '../support/param-reader.js';
import { forkItems, type WorkItem, type WorkState, workState } from './work-state.js';

/** Messages that a compaction keeps in front of the summary and behind it. */
interface KeptMessages {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

/** Which files have their whole content in kept messages, as they are now (RES-1, C15). @internal */
export class VisibleFiles {
  private readonly before = new Set<string>();
  private readonly after = new Set<string>();
  private readonly ids = new Set<string>();

  constructor(kept: KeptMessages) {
    this.look(kept.before, this.before);
    this.look(kept.after, this.after);
  }

  /** A read in full, a call that wrote the file, a file that was attached or came back; no part, stub, placeholder or edit. */
  private look(messages: readonly Message[], paths: Set<string>): void {
    if (messages.length === 0) return;
    const parts = new Set<string>();
    for (const { blocks } of messages) {
      for (const { kind, tool, toolUseId, facts } of blocks) {
        if (kind === 'tool_use' && toolUseId !== null) {
          this.ids.add(toolUseId);
          if (facts.effect?.kind === 'read-part') parts.add(toolUseId);
        }
        const { path } = facts;
        if (path === undefined) continue;
        const isWhole = facts.stub !== true && facts.replaces === undefined && facts.isError !== true;
        if (
          (isWhole && kind === 'tool_result' && tool === 'Read' && !parts.has(toolUseId ?? '')) ||
          (isWhole && kind === 'tool_use' && tool === 'Write') ||
          facts.attachment === 'file'
        )
          paths.add(path);
      }
    }
  }

  /** What comes before a summary does not show what was changed in the part that is summarised. */
  has({ path, changeId }: KnownFile): boolean {
    if (this.after.has(path)) return true;
    return this.before.has(path) && (changeId === null || this.ids.has(changeId));
  }
}

/** Records of sessions lie in a folder of the client's own, one folder for each project (transcripts.md 1). */
const RECORD = /(?:^|[\\/])\.claude[\\/]projects[\\/][^\\/]+[\\/][^\\/]+\.jsonl$/;

/** Memory files of the project and of the user alone (NES-1). */
const MEMORY_FILE = /(?:^|[\\/])CLAUDE(?:\.local)?\.md$/;

/** What comes back by its own way, if at all: the transcript, the plan file, memory files (RES-1, C14). @internal */
export function isNotRestored(path: string, work: WorkState, recordPath: string): boolean {
  return (
    path === recordPath ||
    path === work.planPath ||
    (path.endsWith('.jsonl') && RECORD.test(path)) ||
    (path.endsWith('.md') && MEMORY_FILE.test(path)) ||
    work.files.memories.has(path)
  );
}

/** What is put back after a compaction. */
export interface Restored {
  readonly messages: readonly Message[];
  readonly files: number;
  /** Files whose size is not known for sure. */
  readonly estimated: number;
  readonly references: number;
  readonly skills: number;
  readonly standing: number;
  /** True tokens of all of it. */
  readonly tokens: number;
  /** Files that were wanted and could not be read. */
  readonly failed: readonly string[];
}

const NOTHING: Restored = {
  messages: [],
  files: 0,
  estimated: 0,
  references: 0,
  skills: 0,
  standing: 0,
  tokens: 0,
  failed: [],
};

/** Estimated tokens of a line that only names a file. */
const REFERENCE_TOKENS = 30;

/** Where and when something is put back. */
export interface RestorePlace {
  readonly at: number;
  readonly id: string;
}

/** Chooses and cuts what comes back behind a summary: files, then skills, then todo list, plan and announcements (RES-1 … RES-4). */
export function restore(context: LayerContext, kept: KeptMessages, { at, id }: RestorePlace): Restored {
  const { params } = context;
  if (!param.isOn(params, 'restore.enabled')) return NOTHING;
  const work = workState(context);
  const messages: Message[] = [];
  let tokens = 0;
  const add = (kind: string, piece: Piece, size: Size = 'known'): void => {
    const message = attachment(`${id}-${messages.length}`, kind, piece, at, size);
    messages.push(message);
    tokens += message.blocks[0]!.tokens;
  };
  const wanted = wantedFiles(context, work, new VisibleFiles(kept));
  const chosen = chooseFiles(params, wanted.files);
  let references = 0;
  let estimated = 0;
  for (const piece of chosen) {
    const isEstimated = wanted.estimated.has(piece.item.label);
    if (piece.how === 'reference') references++;
    else if (isEstimated) estimated++;
    const kind = piece.how === 'reference' ? 'compact_file_reference' : 'file';
    add(kind, piece, isEstimated ? 'estimated' : 'known');
  }
  const skills = choose(
    work.recentSkills(),
    param.number(params, 'restore.skillTokens'),
    param.number(params, 'restore.skillsTotalTokens'),
  );
  for (const piece of skills) add('skill', piece);
  const running = param.isOn(params, 'restore.background') ? [...work.running(), ...forkItems(context)] : [];
  const standing = [...work.standing(param.names(params, 'restore.announced')), ...running];
  for (const item of standing) add('standing', { item, rough: item.rough, how: 'whole' });
  return {
    messages,
    files: chosen.length - references,
    estimated,
    references,
    skills: skills.length,
    standing: standing.length,
    tokens,
    failed: wanted.failed,
  };
}

/** Whether the size of what comes back is known for sure. */
type Size = 'known' | 'estimated';

/** A piece of work as it comes back. */
interface Piece {
  readonly item: WorkItem;
  readonly rough: number;
  readonly how: 'whole' | 'cut' | 'reference';
}

/** A file that takes a slot. */
interface WantedFile extends WorkItem {
  readonly version: FileVersion;
}

/** The files that take the slots, those of them whose size is estimated, and those that cannot be read. */
interface WantedFiles {
  readonly files: readonly WantedFile[];
  readonly estimated: ReadonlySet<string>;
  readonly failed: readonly string[];
}

function wantedFiles(context: LayerContext, work: WorkState, visible: VisibleFiles): WantedFiles {
  const slots = param.number(context.params, 'restore.files');
  const files: WantedFile[] = [];
  const estimated = new Set<string>();
  const failed: string[] = [];
  const byChange = param.text(context.params, 'restore.order') === 'changed';
  for (const file of byChange ? work.files.recentlyChanged() : work.files.recent()) {
    if (files.length + failed.length >= slots) break;
    const { path, version } = file;
    if (isNotRestored(path, work, context.session.recordPath) || visible.has(file)) continue;
    if (file.isUnreadable) failed.push(path);
    else {
      const { tokens, rough, chars, digest } = version;
      files.push({ label: path, tokens, rough, chars, digest, version });
    }
    if (version.isEstimated) estimated.add(path);
  }
  return { files, estimated, failed };
}

function chooseFiles(params: ParamValues, files: readonly WantedFile[]): readonly Piece[] {
  if (param.text(params, 'restore.largeFiles') === 'cut') {
    return choose(
      files,
      param.number(params, 'restore.fileTokens'),
      param.number(params, 'restore.filesTotalTokens'),
    );
  }
  const limit = param.number(params, 'restore.referenceOverChars');
  const most = param.numberOrNull(params, 'restore.referenceOverTokens') ?? Number.POSITIVE_INFINITY;
  return files.map((item) =>
    item.chars < limit && plainTokens(item.version) <= most
      ? { item, rough: item.rough, how: 'whole' }
      : { item, rough: REFERENCE_TOKENS, how: 'reference' },
  );
}

/** Takes items in order while the budget lasts; one too large for the rest is skipped, a later smaller one may fit. */
function choose(items: readonly WorkItem[], each: number, total: number): readonly Piece[] {
  const chosen: Piece[] = [];
  let left = total;
  for (const item of items) {
    const rough = Math.min(item.rough, each);
    if (rough > left) continue;
    left -= rough;
    chosen.push({ item, rough, how: rough < item.rough ? 'cut' : 'whole' });
  }
  return chosen;
}

/** What came back stands for its content: a mark, filled up to its length. */
class RestoredText implements Text {
  readonly #kind: string;
  readonly #piece: Piece;

  constructor(
    kind: string,
    piece: Piece,
    readonly chars: number,
  ) {
    this.#kind = kind;
    this.#piece = piece;
  }

  read(): string {
    const { item, how } = this.#piece;
    return `[${this.#kind} ${item.label}, ${how}]`.padEnd(this.chars, ' ').slice(0, this.chars);
  }
}

function attachment(id: string, kind: string, piece: Piece, at: number, size: Size): Message {
  const { item, rough, how } = piece;
  const share = item.rough === 0 ? 1 : rough / item.rough;
  const text = new RestoredText(kind, piece, how === 'whole' ? item.chars : rough * 4);
  const tokens = how === 'whole' ? item.tokens : Math.max(1, Math.round(item.tokens * share));
  const digest = chainDigest(item.digest, digestText(`restored ${kind} ${how} ${rough}`));
  const facts: Mutable<BlockFacts> = { attachment: kind, path: item.label };
  if (how === 'cut') facts.replaces = 'cut';
  if (size === 'estimated') facts.estimated = true;
  const block = textBlock(text, tokens, digest, facts, rough);
  return createMessage({ id, role: 'user', origin: 'attachment', blocks: [block], at });
}
