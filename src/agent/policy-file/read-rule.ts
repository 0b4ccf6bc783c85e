import {
  choice,
  group,
  isGroup,
  type PartPath,
  type Problems,
  type Shape,
  shape,
  text,
  wrongValue,
} from '../../core/base/shape.js';
import type { AskPart, LayoutPart, ReplacePart, RulePart, SelectPart } from '../../core/run/parts.js';
import { checkUse } from './check-use.js';
import { ask } from './read-ask.js';
import { count } from './read-client.js';
import { accept, fail, GO_ON } from './read-fail.js';
import { layout } from './read-layout.js';
import { replace, until } from './read-replace.js';
import { ALL_HISTORY, isOfBlocks, select } from './read-select.js';
import { at, groupsOf, when } from './read-when.js';

const ruleShape = group(
  {
    name: text('Name of the rule: in reports, in paths, and for rules that fall back on it.'),
    at,
    when,
    threads: choice(['all', 'main'], 'Threads it is for: all, or the main conversation alone.'),
    count,
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
    return written === undefined ? undefined : fullRule(written, value, index, path, problems);
  });
}

/** How an editor is told of rules. */
export const RULE_SCHEMA = ruleShape.schema;

function fullRule(
  written: Written,
  raw: unknown,
  index: number,
  path: PartPath,
  tell: Problems,
): RulePart | undefined {
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
  const selected = selection(written, path, problems);
  const asked = written.ask ?? null;
  const placed = replacement(written, selected, asked, path, problems);
  const atEnd = placed === null && written.replace?.part.where === 'at-end';
  const pieces =
    placed === null ? (written.layout ?? usualLayout(selected, asked, atEnd ? 'end' : 'usual')) : [];
  checkUse(
    { written: isGroup(raw) ? raw : {}, select: selected, ask: asked, replace: placed, layout: pieces },
    path,
    problems,
  );
  const groups = groupsOf(written.when!, written.at, [...path, 'when'], problems);
  if (!isSound) return undefined;
  return {
    name,
    when: groups,
    threads: written.threads ?? 'all',
    ...(written.count === undefined ? {} : { count: written.count }),
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

/** What it touches; a summary at an index leaves so many messages before it. */
function selection(written: Written, path: PartPath, problems: Problems): SelectPart {
  const selected = written.select ?? ALL_HISTORY;
  const index = written.replace?.index ?? null;
  if (index === null) return selected;
  const at = [...path, 'replace', 'where'];
  if (isOfBlocks(selected.what))
    problems(wrongValue(at, `${selected.what} are replaced in place or at the end`, 'write where: at-end'));
  else if (selected.keep.first !== 0 && selected.keep.first !== index)
    problems(wrongValue(at, `select.keep.first says that ${selected.keep.first} stay before it`));
  return { ...selected, keep: { ...selected.keep, first: index } };
}

/** What stands in the place of selected blocks; null where messages are selected. */
function replacement(
  written: Written,
  { what }: SelectPart,
  asked: AskPart | null,
  path: PartPath,
  problems: Problems,
): ReplacePart | null {
  const placed = written.replace?.part;
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

/** Opening, summary, tail; or the summary behind the tail. */
function usualLayout(
  { keep }: SelectPart,
  asked: AskPart | null,
  place: 'usual' | 'end',
): readonly LayoutPart[] {
  const summary: readonly LayoutPart[] =
    asked === null ? [] : [{ kind: 'summary', role: 'user', frame: 'none' }];
  return [
    ...(keep.first !== 0 ? [{ kind: 'first' } as const] : []),
    ...(keep.user === null ? [] : [{ kind: 'user-messages' } as const]),
    ...(place === 'usual' ? summary : []),
    { kind: 'tail' },
    ...(place === 'end' ? summary : []),
    ...(keep.recentFiles === null ? [] : [{ kind: 'files' } as const]),
  ];
}
