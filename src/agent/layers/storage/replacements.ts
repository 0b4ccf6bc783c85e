import { chainDigest, digestText } from '../../../core/base/digest.js';
import type { FileContent } from '../../../core/base/files.js';
import { type Block, type BlockFacts, CHARS_PER_TOKEN, createBlock } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import { type Text, textStart } from '../../../core/model/text.js';

/** What is shown of a result: this many characters of its start and the text around them. */
interface Shown {
  readonly before: string;
  readonly head: string | null;
  readonly headChars: number;
  readonly after: string;
  readonly facts: BlockFacts;
}

/** A block that shows the start of another: true tokens by its share of the original, plus those of the frame. */
function shorten(original: Block, shown: Shown): Block {
  const { before, head, headChars, after } = shown;
  const frame = before.length + after.length;
  const share = original.chars === 0 ? 0 : headChars / original.chars;
  const tokens = Math.round(original.tokens * share) + Math.ceil(frame / CHARS_PER_TOKEN);
  return createBlock({
    kind: 'tool_result',
    role: 'user',
    tokens: Math.min(original.tokens, tokens),
    toolUseId: original.toolUseId,
    tool: original.tool,
    facts: shown.facts,
    ...(head === null
      ? {
          chars: frame + headChars,
          digest: chainDigest(original.digest, digestText(`${before}${headChars}${after}`)),
        }
      : { text: `${before}${head}${after}` }),
  });
}

function keptFacts(original: Block): BlockFacts {
  const { path, isError } = original.facts;
  return { ...(path === undefined ? {} : { path }), ...(isError === undefined ? {} : { isError }) };
}

/** The first bytes of a text as UTF-8, no character split, ending at a line end of their second half if there is one. */
function firstBytes(text: Text, bytes: number): string {
  const start = textStart(text, bytes);
  const { read } = new TextEncoder().encodeInto(start, new Uint8Array(bytes));
  const head = start.slice(0, read);
  if (read === text.chars) return head;
  const lineEnd = head.lastIndexOf('\n');
  return lineEnd >= head.length / 2 ? head.slice(0, lineEnd + 1) : head;
}

/** What replaces a result that went to a file (STO-1). */
export function previewBlock(original: Block, path: string, previewBytes: number): Block {
  const head = original.text === null ? null : firstBytes(original.text, previewBytes);
  return shorten(original, {
    before: `<persisted-output>\nThis result has ${original.chars} characters, too many to show here. The whole of it is in ${path}\nIts beginning:\n`,
    head,
    headChars: head?.length ?? Math.min(previewBytes, original.chars),
    after: '\n[the rest is in the file]\n</persisted-output>',
    facts: { ...keptFacts(original), replaces: 'stored' },
  });
}

/** What replaces a result that was cut to this many characters, its note included (measured, 2.0.76). */
export function cutBlock(original: Block, limitChars: number): Block {
  const note = (left: number): string => `\n[cut here: ${left} more characters]`;
  const room = Math.max(0, limitChars - note(original.chars).length);
  let head = original.text === null ? null : textStart(original.text, room);
  if (head !== null && /[\uD800-\uDBFF]$/.test(head)) head = head.slice(0, -1);
  const headChars = head?.length ?? Math.min(room, original.chars);
  return shorten(original, {
    before: '',
    head,
    headChars,
    after: note(original.chars - headChars),
    facts: { ...keptFacts(original), replaces: 'cut' },
  });
}

/** What replaces a repeated read of an unchanged file (measured, 2.1.112). */
export function stubBlock(original: Block): Block {
  return shorten(original, {
    before: '[unchanged since the earlier read above, whose result is still current]',
    head: '',
    headChars: 0,
    after: '',
    facts: { ...keptFacts(original), stub: true },
  });
}

/** A waiting result where it stands in the context, and what is decided about it. */
export interface Slot {
  readonly messageId: string;
  readonly blockIndex: number;
  readonly block: Block;
  /** Null keeps the result as it is. */
  replacement: Block | null;
  how: 'store' | 'cut' | 'stub';
  /** It is replaced because all results of the message are too long together (STO-2). */
  forBudget: boolean;
}

/** The results of waiting messages where they stand now, oldest first; what is no longer in the context is left out. */
export function findSlots(waiting: readonly Message[], messages: readonly Message[]): Slot[] {
  const slots: Slot[] = [];
  const wanted = new Set<string>();
  const holders = new Set<string>();
  for (const { id, blocks } of waiting) {
    holders.add(id);
    for (const { kind, toolUseId } of blocks)
      if (kind === 'tool_result' && toolUseId !== null) wanted.add(toolUseId);
  }
  let first = messages.length;
  while (first > 0 && holders.size > 0) holders.delete(messages[--first]!.id);
  for (let i = first; i < messages.length; i++) {
    const message = messages[i]!;
    message.blocks.forEach((block, blockIndex) => {
      if (block.kind !== 'tool_result' || !wanted.has(block.toolUseId ?? '')) return;
      slots.push({
        messageId: message.id,
        blockIndex,
        block,
        replacement: null,
        how: 'store',
        forBudget: false,
      });
    });
  }
  return slots;
}

/** A read whose whole content is there to be compared. */
export function isWholeRead(block: Block): boolean {
  const { facts } = block;
  return block.tool === 'Read' && facts.path !== undefined && facts.isError !== true && facts.stub !== true;
}

/** The content of a result as it goes to disk (STO-4); an opaque one is described. */
export function fullText(block: Block): FileContent {
  return block.text ?? `[${block.chars} characters that the transcript does not hold]`;
}

/** A name as one part of a path: no separators, no leading dot. */
function pathPart(name: string): string {
  return encodeURIComponent(name).replace(/^\./, '%2E');
}

/** Where a tool result is kept in full (STO-1). */
export function resultPath(thread: string, toolUseId: string): string {
  return `tool-results/${pathPart(thread)}/${pathPart(toolUseId)}.txt`;
}
