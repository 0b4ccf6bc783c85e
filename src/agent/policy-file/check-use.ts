import { isGroup, type PartPath, type Problems } from '../../core/base/shape.js';
import type { AskPart, KeepPart, LayoutPart, ReplacePart, SelectPart } from '../../core/run/parts.js';
import { isOfBlocks } from './read-select.js';

/** A rule as far as it is read, with what was written of it. */
export interface ReadRule {
  readonly written: Readonly<Record<string, unknown>>;
  readonly select: SelectPart;
  readonly ask: AskPart | null;
  readonly replace: ReplacePart | null;
  readonly layout: readonly LayoutPart[];
}

/** Tells that a key is refused. */
type Refuse = (path: PartPath, message: string, hint?: string | null) => void;

/** Refuses settings that have no effect beside others. */
export function checkUse(rule: ReadRule, path: PartPath, problems: Problems): void {
  const refuse: Refuse = (at, message, hint = null) =>
    problems({ path: [...path, ...at], side: 'key', offset: null, message, hint, weight: 'error' });
  const { written, ask, replace } = rule;
  if (ask === null) {
    for (const key of ['accept', 'fail'])
      if (written[key] !== undefined)
        refuse([key], `\`${key}\` has no effect without a summary`, 'write `ask`, or take it out');
  }
  if (replace === null) checkHistory(rule, refuse);
  else checkBlocks(rule, replace, refuse);
}

/** The keys of a group that was written; none where it was not. */
function keysOf(value: unknown): readonly string[] {
  return isGroup(value) ? Object.keys(value) : [];
}

/** Keys of `select` that a kind of selection does not go by. */
function checkSelect({ written, select }: ReadRule, idle: readonly string[], refuse: Refuse): void {
  for (const key of keysOf(written.select))
    if (idle.includes(key))
      refuse(['select', key], `\`${key}\` has no effect where \`what\` is ${select.what}`, 'take it out');
  const keep = isGroup(written.select) ? keysOf(written.select.keep) : [];
  for (const key of keep)
    if (idle.includes(`keep.${key}`))
      refuse(
        ['select', 'keep', key],
        `\`${key}\` has no effect where \`what\` is ${select.what}`,
        'take it out',
      );
  if (keep.includes('share') && keep.includes('chars'))
    refuse(['select', 'keep', 'chars'], '`share` and `chars` exclude each other');
  if (keep.includes('none') && keep.length > 1) refuse(['select', 'keep', 'none'], '`none` stands alone');
  for (const key of ['min', 'max'])
    if (keep.includes(key) && !keep.includes('tokens') && !keep.includes('share'))
      refuse(['select', 'keep', key], `\`${key}\` has no effect without tokens or share`);
}

const IDLE_IN_HISTORY = ['of', 'except', 'minChars', 'except-media', 'order', 'count', 'keep.errors'];
const IDLE_IN_BLOCKS = ['boundary', 'move', 'keep.user', 'keep.recent-files', 'keep.final-answers'];
const IDLE_WITHOUT_TOOL = ['of', 'except', 'minChars', 'except-media', 'keep.errors'];

/** A rule that puts another history in the place of the conversation. */
function checkHistory(rule: ReadRule, refuse: Refuse): void {
  const { written, select, ask, layout } = rule;
  if (written.until !== undefined)
    refuse(
      ['until'],
      '`until` has no effect where the history is replaced',
      'say with select.keep how much stays',
    );
  checkSelect(rule, IDLE_IN_HISTORY, refuse);
  for (const key of keysOf(written.replace)) {
    if (key === 'with') continue;
    const isPlace = key === 'where' && isGroup(written.replace) && written.replace.where !== 'server';
    if (!isPlace)
      refuse(['replace', key], `\`${key}\` has no effect where the history is replaced`, 'take it out');
    else if (written.layout !== undefined)
      refuse(['replace', key], '`where` has no effect beside `layout`', 'take one of them out');
  }
  if (ask?.calls.kind === 'per-pair')
    refuse(['ask', 'calls'], '`per-pair` has no effect where the history is replaced', 'select pairs');
  checkLayout(select.keep, ask, layout, refuse);
}

/** Pieces and what they are made of belong together. */
function checkLayout(
  keep: KeepPart,
  ask: AskPart | null,
  layout: readonly LayoutPart[],
  refuse: Refuse,
): void {
  const has = (kind: LayoutPart['kind']): boolean => layout.some((piece) => piece.kind === kind);
  const tail = (['last', 'tokens', 'share'] as const).find((key) => keep[key] !== null);
  const belongs: readonly (readonly [LayoutPart['kind'], boolean, string])[] = [
    ['summary', ask !== null, 'ask'],
    ['user-messages', keep.user !== null, 'select.keep.user'],
    ['files', keep.recentFiles !== null, 'select.keep.recent-files'],
    ['first', keep.first !== 0, 'select.keep.first'],
  ];
  for (const [kind, isKept, from] of belongs) {
    if (has(kind) && !isKept)
      refuse(['layout'], `\`${kind}\` stands in the layout, and \`${from}\` does not say what it is`);
    if (!has(kind) && isKept)
      refuse(['layout'], `\`${from}\` has no effect: \`${kind}\` does not stand in the layout`);
  }
  if (!has('tail') && (tail !== undefined || keep.finalAnswers))
    refuse(
      ['layout'],
      `\`select.keep.${tail ?? 'final-answers'}\` has no effect: \`tail\` does not stand in the layout`,
    );
  const twice = layout.find(({ kind }, i) => layout.findIndex((piece) => piece.kind === kind) < i);
  if (twice !== undefined) refuse(['layout'], `\`${twice.kind}\` stands twice in the layout`);
}

/** A rule that replaces blocks inside messages. */
function checkBlocks(rule: ReadRule, replace: ReplacePart, refuse: Refuse): void {
  const { written, select, ask } = rule;
  const { what } = select;
  if (written.layout !== undefined)
    refuse(['layout'], '`layout` has no effect where blocks are replaced in place', 'take it out');
  const isOfTools = what !== 'thinking' && what !== 'media';
  const media = what === 'tool-inputs' ? ['except-media'] : [];
  checkSelect(rule, [...IDLE_IN_BLOCKS, ...(isOfTools ? media : IDLE_WITHOUT_TOOL)], refuse);
  if (select.keep.first === 'opening')
    refuse(['select', 'keep', 'first'], '`opening` has no effect where blocks are selected', 'give a number');
  checkReplace(rule, replace, refuse);
  if (ask === null) return;
  if (ask.calls.kind !== 'one' && ask.calls.kind !== 'per-pair')
    refuse(
      ['ask', 'calls'],
      `\`${ask.calls.kind}\` has no effect where blocks are replaced`,
      'known: 1, per-pair',
    );
  if (ask.run.kind === 'background')
    refuse(['ask', 'run'], 'words that stand in the place of blocks are waited for', 'take it out');
  if (isGroup(written.fail) && written.fail.else !== undefined)
    refuse(['fail', 'else'], '`else` has no effect where blocks are replaced', 'take it out');
}

/** What may stand in the place of blocks, with sizes that it goes by. */
function checkReplace({ written, select }: ReadRule, replace: ReplacePart, refuse: Refuse): void {
  const keys = keysOf(written.replace);
  const { what } = select;
  const how = replace.with;
  if (!isOfBlocks(what)) return;
  if (how === 'nothing' && (what === 'tool-results' || what === 'tool-inputs'))
    refuse(
      ['replace', 'with'],
      'the API refuses a call without its result',
      'select pairs, or write with: placeholder',
    );
  if (how !== 'nothing' && what === 'thinking')
    refuse(['replace', 'with'], 'thinking cannot be replaced, only left out', 'write with: nothing');
  const isLine = replace.where === 'at-end';
  if (keys.includes('tokens') && (how === 'preview' || (how === 'nothing' && !isLine)))
    refuse(['replace', 'tokens'], `\`tokens\` has no effect on ${how === 'preview' ? 'a preview' : how}`);
  for (const key of ['head', 'tail'])
    if (keys.includes(key) && how !== 'preview')
      refuse(['replace', key], `\`${key}\` has no effect without a preview`, 'write with: preview');
  if (how === 'preview' && replace.head + replace.tail === 0)
    refuse(['replace'], 'a preview needs `head` or `tail`', 'for instance head: 250');
}
