import type { Block } from '../../../core/model/block.js';
import type { PromptView } from '../../../provider/fake-api/api-request.js';

/** The first difference between a prompt and the one before it. */
export interface PromptChange {
  /** Where it is, such as `tool 3 (Read)`, `system block 1`, `message block 12 (tool_result)`. */
  readonly place: string;
  /** The first characters that differ, with some before them; null where there is no text or nothing in its place. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Characters shown of each text, and of what is the same before them. */
const SHOWN_CHARS = 40;
const LEAD_CHARS = 16;

function placeOf(block: Block, position: number, { toolsEnd, systemEnd }: PromptView): string {
  if (position < toolsEnd) return `tool ${position + 1} (${block.tool})`;
  if (position < systemEnd) return `system block ${position - toolsEnd + 1}`;
  return `message block ${position - systemEnd + 1} (${block.role} ${block.kind})`;
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - LEAD_CHARS);
  const part = text.slice(from, at + SHOWN_CHARS).replaceAll(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${part}${at + SHOWN_CHARS < text.length ? '…' : ''}`;
}

/** What differs at a position of the prompt. */
export function promptChange(before: PromptView, view: PromptView, position: number): PromptChange {
  const [was, is] = [before.blocks[position], view.blocks[position]];
  const place = placeOf((is ?? was)!, position, view);
  const [old, now] = [was?.text?.read() ?? null, is?.text?.read() ?? null];
  if (old === null || now === null || old === now) return { place, before: null, after: null };
  let at = 0;
  while (at < old.length && old[at] === now[at]) at++;
  return { place, before: excerpt(old, at), after: excerpt(now, at) };
}
