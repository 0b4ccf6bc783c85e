import * as z from 'zod';
import type { Path } from '../../core/base/errors.js';
import { group, refuse, words } from '../../core/base/schema.js';
import {
  type AskPart,
  isOfBlocks,
  type LayoutPart,
  type ReplacePart,
  type RulePart,
  type SelectPart,
} from '../../core/run/policy-rules.js';
import { accept, ask, fail, failOf, layout } from './ask-schema.js';
import { count } from './client-schema.js';
import { ALL_HISTORY, replace, select, until } from './select-schema.js';
import { at, groupsOf, when } from './when-schema.js';

const ruleGroup = group(
  'When the policy acts, on what, and what is there afterwards.',
  { when },
  {
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/)
      .meta({
        title: 'lower-case letters, digits and hyphens, for instance compact',
        description: 'Name of the rule: in reports, in paths, and for rules that fall back on it.',
      }),
    at,
    threads: words(['all', 'main'], 'Threads it is for: all, or the main conversation alone.'),
    count,
    select,
    replace,
    until,
    ask,
    layout,
    accept,
    fail,
    // biome-ignore lint/suspicious/noThenProperty: a key of the file, never awaited
    then: words(['stop', 'go-on'], 'Whether later rules are asked in the same pass.'),
  },
);

type Written = z.output<typeof ruleGroup>;

/** Refuses a rule at a path below it. */
type Refuse = (path: Path, message: string, hint?: string | null, side?: 'key' | 'value') => void;

/** A rule, whose name may still be missing. */
export const rule = ruleGroup.transform(
  (written, ctx): Omit<RulePart, 'name'> & { readonly name?: string } => {
    const no: Refuse = (path, message, hint = null, side = 'key') =>
      refuse(ctx, message, { path, hint, side });
    const selected = selection(written, no);
    const asked = written.ask ?? null;
    const isHistory = !isOfBlocks(selected.what);
    const pieces = isHistory ? (written.layout ?? usualLayout(selected, written)) : [];
    if (asked === null)
      for (const key of ['accept', 'fail'] as const)
        if (written[key] !== undefined)
          no([key], `\`${key}\` has no effect without a summary`, 'write `ask`, or take it out');
    if (isHistory) checkHistory(written, selected, pieces, no);
    else checkBlocks(written, selected, no);
    return {
      ...(written.name === undefined ? {} : { name: written.name }),
      when: groupsOf(written.when, written.at),
      threads: written.threads ?? 'all',
      ...(written.count === undefined ? {} : { count: written.count }),
      select: selected,
      replace: isHistory ? null : replacementOf(written.replace),
      until: written.until ?? null,
      ask: asked,
      layout: pieces,
      accept: written.accept ?? (asked === null ? [] : [{ kind: 'empty' }, { kind: 'tool-call' }]),
      fail: failOf(written.fail),
      after: written.then ?? 'stop',
    };
  },
);

/** What it touches; a summary at an index leaves this many messages before it. */
function selection({ select: selected = ALL_HISTORY, replace: placed }: Written, no: Refuse): SelectPart {
  const index = typeof placed?.where === 'object' ? placed.where.at : null;
  if (index === null) return selected;
  const { first } = selected.keep;
  if (isOfBlocks(selected.what))
    no(
      ['replace', 'where'],
      `${selected.what} are replaced in place or at the end`,
      'write where: at-end',
      'value',
    );
  else if (first !== 0 && first !== index)
    no(['replace', 'where'], `select.keep.first says that ${first} stay before it`, null, 'value');
  return { ...selected, keep: { ...selected.keep, first: index } };
}

/** Tokens of fixed texts where nothing is said. */
const FIXED_TOKENS: Readonly<Record<string, number>> = { placeholder: 12, reference: 60, 'hash-ref': 20 };
const OTHER_TOKENS = 12;

/** What replaces blocks, in full. */
function replacementOf(written: Written['replace'] = { with: 'placeholder' }): ReplacePart {
  const { with: how, where, tokens, head = 0, tail = 0, sticky } = written;
  return {
    with: how === 'hash-ref' ? 'reference' : how,
    tokens: tokens ?? FIXED_TOKENS[how] ?? OTHER_TOKENS,
    head,
    tail,
    lasts: sticky === false ? 'each-request' : 'frozen',
    where: typeof where === 'string' ? where : 'in-place',
  };
}

/** Opening, summary, tail; or the summary behind the tail. */
function usualLayout({ keep }: SelectPart, { ask: asked, replace: placed }: Written): readonly LayoutPart[] {
  const isAtEnd = placed?.where === 'at-end';
  const summary: readonly LayoutPart[] =
    asked == null ? [] : [{ kind: 'summary', role: 'user', frame: 'none' }];
  return [
    ...(keep.first !== 0 ? [{ kind: 'first' } as const] : []),
    ...(keep.user === null ? [] : [{ kind: 'user-messages' } as const]),
    ...(isAtEnd ? [] : summary),
    { kind: 'tail' },
    ...(isAtEnd ? summary : []),
    ...(keep.recentFiles === null ? [] : [{ kind: 'files' } as const]),
  ];
}

/** Checks a rule that replaces the history. */
function checkHistory(
  { replace: placed, until: end, layout: said, ask: asked = null }: Written,
  { keep }: SelectPart,
  pieces: readonly LayoutPart[],
  no: Refuse,
): void {
  if (placed !== undefined && placed.with !== 'summary' && placed.with !== 'nothing')
    no(
      ['replace'],
      `\`${placed.with}\` cannot replace whole messages`,
      'select tool-results, or write `ask` for a summary',
      'value',
    );
  if (end !== undefined)
    no(
      ['until'],
      '`until` has no effect where the history is replaced',
      'say with select.keep how much stays',
    );
  for (const key of Object.keys(placed ?? {}).filter((one) => one !== 'with')) {
    if (key !== 'where' || placed?.where === 'server')
      no(['replace', key], `\`${key}\` has no effect where the history is replaced`, 'remove it');
    else if (said !== undefined)
      no(['replace', key], '`where` has no effect with `layout`', 'remove one of them');
  }
  if (asked?.calls.kind === 'per-pair')
    no(['ask', 'calls'], '`per-pair` has no effect where the history is replaced', 'select pairs');
  checkLayout(keep, asked, pieces, no);
}

/** Pieces and what they are made of belong together. */
function checkLayout(
  keep: SelectPart['keep'],
  asked: AskPart | null,
  pieces: readonly LayoutPart[],
  no: Refuse,
): void {
  const has = (kind: LayoutPart['kind']): boolean => pieces.some((piece) => piece.kind === kind);
  const tail = (['last', 'tokens', 'share'] as const).find((key) => keep[key] !== null);
  const belongs: readonly (readonly [LayoutPart['kind'], boolean, string])[] = [
    ['summary', asked !== null, 'ask'],
    ['user-messages', keep.user !== null, 'select.keep.user'],
    ['files', keep.recentFiles !== null, 'select.keep.recent-files'],
    ['first', keep.first !== 0, 'select.keep.first'],
  ];
  for (const [kind, isKept, from] of belongs) {
    if (has(kind) && !isKept)
      no(['layout'], `\`${kind}\` is in the layout, and \`${from}\` does not say what it is`);
    if (!has(kind) && isKept) no(['layout'], `\`${from}\` has no effect: \`${kind}\` is not in the layout`);
  }
  if (!has('tail') && (tail !== undefined || keep.finalAnswers))
    no(['layout'], `\`select.keep.${tail ?? 'final-answers'}\` has no effect: \`tail\` is not in the layout`);
  const twice = pieces.find(({ kind }, i) => pieces.findIndex((piece) => piece.kind === kind) < i);
  if (twice !== undefined) no(['layout'], `\`${twice.kind}\` is in the layout twice`);
}

/** Checks a rule that replaces blocks inside messages. */
function checkBlocks(written: Written, { what }: SelectPart, no: Refuse): void {
  const { replace: placed, ask: asked = null, layout: said } = written;
  if (placed === undefined)
    no(
      [],
      `${what} are selected, and \`replace\` does not say what replaces them`,
      'for instance replace: { with: placeholder }',
      'value',
    );
  else checkReplace(placed, what, asked, no);
  if (said !== undefined)
    no(['layout'], '`layout` has no effect where blocks are replaced in place', 'remove it');
  if (asked === null) return;
  if (asked.calls.kind !== 'one' && asked.calls.kind !== 'per-pair')
    no(
      ['ask', 'calls'],
      `\`${asked.calls.kind}\` has no effect where blocks are replaced`,
      'known: 1, per-pair',
    );
  if (asked.run.kind === 'background')
    no(['ask', 'run'], 'a summary that replaces blocks is always waited for', 'remove it');
  if (written.fail?.else !== undefined)
    no(['fail', 'else'], '`else` has no effect where blocks are replaced', 'remove it');
}

/** What may replace blocks, with sizes that it goes by. */
function checkReplace(
  placed: NonNullable<Written['replace']>,
  what: SelectPart['what'],
  asked: AskPart | null,
  no: Refuse,
): void {
  const { with: how, where, head = 0, tail = 0 } = placed;
  if (how === 'summary' && asked === null)
    no(
      ['replace', 'with'],
      '`with` is a summary, and `ask` does not say who writes it',
      'for instance ask: { shape: own }',
      'value',
    );
  if (how !== 'summary' && asked !== null)
    no(
      ['ask'],
      'a summary is asked for that nothing uses',
      'remove `ask`, or write replace: { with: summary }',
      'value',
    );
  if (how === 'nothing' && (what === 'tool-results' || what === 'tool-inputs'))
    no(
      ['replace', 'with'],
      'the API refuses a call without its result',
      'select pairs, or write with: placeholder',
    );
  if (how !== 'nothing' && what === 'thinking')
    no(['replace', 'with'], 'thinking cannot be replaced, only left out', 'write with: nothing');
  if (placed.tokens !== undefined && how === 'nothing' && where !== 'at-end')
    no(['replace', 'tokens'], '`tokens` has no effect on nothing');
  for (const key of ['head', 'tail'] as const)
    if (placed[key] !== undefined && how !== 'preview')
      no(['replace', key], `\`${key}\` has no effect without a preview`, 'write with: preview');
  if (how === 'preview' && head + tail === 0)
    no(['replace'], 'a preview needs `head` or `tail`', 'for instance head: 250');
}
