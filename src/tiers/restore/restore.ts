import { chainDigest, digestText } from '../../base/digest.js';
import { textBlock } from '../../model/block.js';
import { createMessage, type Message } from '../../model/message.js';
import type { ParamValues } from '../../model/params.js';
import { lazyText } from '../../model/text.js';
import { param } from '../param-reader.js';
import type { WorkItem, WorkState } from './work-state.js';

/** What is put back after a compaction. */
export interface Restored {
  readonly messages: readonly Message[];
  readonly files: readonly WorkItem[];
  readonly references: number;
  readonly skills: number;
  readonly standing: number;
}

/** Estimated tokens of a line that only names a file. */
const REFERENCE_TOKENS = 30;

/** Chooses and cuts what comes back behind a summary: files, then skills, then todo list, plan and announcements (RES-1 … RES-4). */
export function restore(
  params: ParamValues,
  state: WorkState,
  kept: readonly Message[],
  at: number,
  id: string,
): Restored {
  if (!param.isOn(params, 'restore.enabled'))
    return { messages: [], files: [], references: 0, skills: 0, standing: 0 };
  const messages: Message[] = [];
  const add = (kind: string, label: string, piece: Piece): void => {
    messages.push(attachment(`${id}-${messages.length}`, kind, label, piece, at));
  };
  const files: WorkItem[] = [];
  let references = 0;
  for (const { item, piece } of chooseFiles(params, state, visibleIn(kept))) {
    add(piece.how === 'reference' ? 'compact_file_reference' : 'file', item.label, piece);
    if (piece.how === 'reference') references++;
    else files.push(item);
  }
  const skills = choose(
    state.recentSkills(),
    param.number(params, 'restore.skillTokens'),
    param.number(params, 'restore.skillsTotalTokens'),
    Number.POSITIVE_INFINITY,
  );
  for (const { item, piece } of skills) add('skill', item.label, piece);
  const standing = state.standing();
  for (const item of standing) add('standing', item.label, { item, rough: item.rough, how: 'whole' });
  return { messages, files, references, skills: skills.length, standing: standing.length };
}

/** A piece of work as it comes back. */
interface Piece {
  readonly item: WorkItem;
  readonly rough: number;
  readonly how: 'whole' | 'cut' | 'reference';
}

interface Choice {
  readonly item: WorkItem;
  readonly piece: Piece;
}

function chooseFiles(params: ParamValues, state: WorkState, visible: ReadonlySet<string>): readonly Choice[] {
  const slots = param.number(params, 'restore.files');
  const candidates: WorkItem[] = [];
  for (const file of state.recentFiles()) {
    if (candidates.length >= slots) break;
    if (file.toolUseId === null || !visible.has(file.toolUseId)) candidates.push(file);
  }
  if (param.text(params, 'restore.largeFiles') === 'cut') {
    return choose(
      candidates,
      param.number(params, 'restore.fileTokens'),
      param.number(params, 'restore.filesTotalTokens'),
      slots,
    );
  }
  const limit = param.number(params, 'restore.referenceOverChars');
  return candidates.map((item) => ({
    item,
    piece:
      item.chars < limit
        ? { item, rough: item.rough, how: 'whole' }
        : { item, rough: REFERENCE_TOKENS, how: 'reference' },
  }));
}

/** Takes items in order while slots and the budget last; one too large for the rest is skipped, a later smaller one may fit. */
function choose(items: readonly WorkItem[], each: number, total: number, slots: number): readonly Choice[] {
  const chosen: Choice[] = [];
  let left = total;
  for (const item of items.slice(0, slots)) {
    const rough = Math.min(item.rough, each);
    if (rough > left) continue;
    left -= rough;
    chosen.push({ item, piece: { item, rough, how: rough < item.rough ? 'cut' : 'whole' } });
  }
  return chosen;
}

/** Results still to be seen in the kept messages; a stub or a cleared result shows nothing (RES-1). */
function visibleIn(kept: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of kept) {
    for (const block of message.blocks) {
      if (block.kind !== 'tool_result' || block.toolUseId === null) continue;
      if (block.facts.stub !== true && block.facts.replaces === undefined) ids.add(block.toolUseId);
    }
  }
  return ids;
}

function attachment(id: string, kind: string, label: string, piece: Piece, at: number): Message {
  const { item, rough, how } = piece;
  const share = item.rough === 0 ? 1 : rough / item.rough;
  const chars = how === 'whole' ? item.chars : rough * 4;
  const text = lazyText(chars, () => `[${kind} ${label}, ${how}]`.padEnd(chars, ' ').slice(0, chars));
  const tokens = how === 'whole' ? item.tokens : Math.max(1, Math.round(item.tokens * share));
  const digest = chainDigest(item.digest, digestText(`restored ${kind} ${how} ${rough}`));
  const facts =
    how === 'cut'
      ? ({ attachment: kind, path: label, replaces: 'cut' } as const)
      : { attachment: kind, path: label };
  const block = textBlock(text, tokens, digest, facts, rough);
  return createMessage({ id, role: 'user', origin: 'attachment', blocks: [block], at });
}
