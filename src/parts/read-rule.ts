import type { AskPart, LayoutPart, ReplacePart, RulePart, SelectPart } from '../model/parts.js';
import { accept, ask, fail, GO_ON, layout } from './read-ask.js';
import { ALL_HISTORY, isOfBlocks, replace, select, until } from './read-select.js';
import { at, groupsOf, when } from './read-when.js';
import { choice, group, type PartPath, type Problems, type Shape, shape, text, wrongValue } from './shape.js';

const ruleShape = group(
  {
    name: text('Name of the rule: in reports, in paths, and for rules that fall back on it.'),
    at,
    when,
    threads: choice(['all', 'main'], 'Threads it is for: all, or the main conversation alone.'),
    select,
    replace,
    until,
    ask,
    layout,
    accept,
    fail,
    // biome-ignore lint/suspicious/noThenProperty: a key of the file, never awaited
    then: choice(['stop', 'go-on'], 'Whether later rules are asked in the same pass.'),
  },
  'When the policy acts, on what, and what stands there afterwards.',
  ['when'],
);

type Written = NonNullable<ReturnType<typeof ruleShape.read>>;

const NAME = /^[a-z][a-z0-9-]*$/;

/** A rule by its position in the list. */
export function rule(index: number): Shape<RulePart> {
  return shape(ruleShape.schema, (value, path, problems) => {
    const written = ruleShape.read(value, path, problems);
    return written === undefined ? undefined : fullRule(written, index, path, problems);
  });
}

/** How an editor is told of rules. */
export const RULE_SCHEMA = ruleShape.schema;

function fullRule(written: Written, index: number, path: PartPath, tell: Problems): RulePart | undefined {
  let isSound = true;
  const problems: Problems = (problem) => {
    if (problem.weight === 'error') isSound = false;
    tell(problem);
  };
  const name = written.name ?? `rule-${index + 1}`;
  if (!NAME.test(name))
    problems(
      wrongValue(
        [...path, 'name'],
        `\`${name}\` is no name of a rule`,
        'lower-case letters, digits and hyphens, for instance compact',
      ),
    );
  const selected = written.select ?? ALL_HISTORY;
  const asked = written.ask ?? null;
  const placed = replacement(written, selected, asked, path, problems);
  const pieces = placed === null ? (written.layout ?? usualLayout(selected, asked)) : [];
  checkUse(written, selected, asked, placed, pieces, path, problems);
  const groups = groupsOf(written.when!, written.at, [...path, 'when'], problems);
  if (!isSound) return undefined;
  return {
    name,
    when: groups,
    threads: written.threads ?? 'all',
    select: selected,
    replace: placed,
    until: written.until ?? null,
    ask: asked,
    layout: pieces,
    accept: written.accept ?? (asked === null ? [] : [{ kind: 'empty' }, { kind: 'tool-call' }]),
    fail: written.fail ?? GO_ON,
    after: written.then ?? 'stop',
  };
}

/** What stands in the place of selected blocks; null where messages are selected. */
function replacement(
  written: Written,
  { what }: SelectPart,
  asked: AskPart | null,
  path: PartPath,
  problems: Problems,
): ReplacePart | null {
  const placed = written.replace;
  if (!isOfBlocks(what)) {
    if (placed === undefined || placed.with === 'summary' || placed.with === 'nothing') return null;
    problems(
      wrongValue(
        [...path, 'replace'],
        `\`${placed.with}\` cannot stand in the place of whole messages`,
        'select tool-results, or write `ask` for a summary',
      ),
    );
    return null;
  }
  if (placed === undefined) {
    problems({
      path,
      side: 'value',
      offset: null,
      message: `${what} are selected, and \`replace\` does not say what stands there afterwards`,
      hint: 'for instance replace: { with: placeholder }',
      weight: 'error',
    });
    return null;
  }
  if (placed.with === 'summary' && asked === null)
    problems(
      wrongValue(
        [...path, 'replace', 'with'],
        'a summary is wanted, and `ask` does not say who writes it',
        'for instance ask: { shape: own }',
      ),
    );
  if (placed.with !== 'summary' && asked !== null)
    problems(
      wrongValue(
        [...path, 'ask'],
        'a summary is asked for that no one uses',
        'take `ask` out, or write replace: { with: summary }',
      ),
    );
  return placed;
}

/** Opening, summary, tail. */
function usualLayout({ keep }: SelectPart, asked: AskPart | null): readonly LayoutPart[] {
  return [
    ...(keep.first !== 0 ? [{ kind: 'first' } as const] : []),
    ...(keep.user === null ? [] : [{ kind: 'user-messages' } as const]),
    ...(asked === null ? [] : [{ kind: 'summary', role: 'user', frame: 'none' } as const]),
    { kind: 'tail' },
    ...(keep.recentFiles === null ? [] : [{ kind: 'files' } as const]),
  ];
}

/** Settings that have no effect beside others are refused. */
function checkUse(
  written: Written,
  { keep }: SelectPart,
  asked: AskPart | null,
  placed: ReplacePart | null,
  pieces: readonly LayoutPart[],
  path: PartPath,
  problems: Problems,
): void {
  const refuse = (key: string, message: string, hint: string | null = null): void =>
    problems({ path: [...path, key], side: 'key', offset: null, message, hint, weight: 'error' });
  if (placed !== null && written.layout !== undefined)
    refuse('layout', '`layout` has no effect where blocks are replaced in place', 'take it out');
  if (placed === null && written.until !== undefined)
    refuse(
      'until',
      '`until` has no effect where the history is replaced',
      'say with select.keep how much stays',
    );
  if (asked === null && written.accept !== undefined)
    refuse('accept', '`accept` has no effect without a summary', 'write `ask`, or take it out');
  if (asked === null && written.fail !== undefined)
    refuse('fail', '`fail` has no effect without a summary', 'write `ask`, or take it out');
  if (placed !== null) return;
  const has = (kind: LayoutPart['kind']): boolean => pieces.some((piece) => piece.kind === kind);
  const missing: readonly (readonly [LayoutPart['kind'], boolean, string])[] = [
    ['summary', asked !== null, 'ask'],
    ['user-messages', keep.user !== null, 'select.keep.user'],
    ['files', keep.recentFiles !== null, 'select.keep.recent-files'],
    ['first', keep.first !== 0, 'select.keep.first'],
  ];
  for (const [kind, isKept, from] of missing) {
    if (has(kind) && !isKept)
      refuse('layout', `\`${kind}\` stands in the layout, and \`${from}\` does not say what it is`);
    if (!has(kind) && isKept)
      refuse('layout', `\`${from}\` has no effect: \`${kind}\` does not stand in the layout`);
  }
}
