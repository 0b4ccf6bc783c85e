import type { MetricUnit } from '../../../src/core/base/format.js';
import { METRIC_FAMILIES } from '../../../src/metrics/families.js';
import { METRICS } from '../../../src/metrics/registry.js';

const UNITS: Readonly<Record<MetricUnit, string>> = {
  tokens: 'tokens',
  usd: 'US dollars',
  share: 'share (0…1)',
  ratio: 'ratio',
  count: 'count',
  ms: 'milliseconds',
  hours: 'hours',
};

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

function unitsOf(units: readonly MetricUnit[]): string {
  return [...new Set(units)].map((unit) => UNITS[unit]).join(', ');
}

/** The reference page of all metrics, as Markdown. */
export function metricsPage(): string {
  const named = METRICS.all().map(({ name, unit, better, help }) => [
    `\`${name}\``,
    UNITS[unit],
    better ?? '–',
    help,
  ]);
  const families = METRIC_FAMILIES.map((family) => [
    `\`${family.name}.${family.keyName}\``,
    unitsOf(family.keys === null ? [family.unit('')] : family.keys.map((key) => family.unit(key))),
    family.better ?? '–',
    family.help,
  ]);
  const keys = METRIC_FAMILIES.flatMap(({ name, keyName, keys }) =>
    keys === null ? [] : [`- \`${name}.${keyName}\`: ${describeKeys(keys)}`],
  );
  return `# Metrics

Every metric is computed from the log of a run, in one pass. A metric without data is \`null\` in \`summary.json\` and – on the
terminal; it is never shown as 0 or 1. Counts of events are 0 when there were none; everything measured over requests is
without data when no request was answered.

${table(['metric', 'unit', 'better', 'meaning'], named)}

## Metrics with a key

${table(['metric', 'unit', 'better', 'meaning'], families)}

Known keys (the other families take their keys from the run):

${keys.join('\n')}

## Runs that did not finish

A run is unfinished when calls of its transcript were not answered: a prompt was refused, a guard ended the prompt or the run, a
fork never began. \`finishedShare\` of a run is the share of its calls that were answered, \`callsLost\` counts the others;
requests that layers make count in neither. Cost and every other metric are of the answered calls alone, so an unfinished run is
cheap for the wrong reason. \`run\` marks it in the terminal, in \`summary.json\` (\`finished\`, \`calls\`) and in \`report.html\`;
one in which nothing was answered is exit code 2. \`costPerTurnUsd\` divides by completed turns, for whoever wants a rate all the same.

\`compare\`, \`sweep\` and \`tune\` never let unfinished work win. A session is one transcript of the study; a row is a variant, a point or
a setting.

- Means and differences are taken over the sessions that every row finished; rows that finished none stand apart. The notes,
  the CSV and the JSON (\`compared\`, \`leftOut\`) say which sessions were left out, and under which row. A run that failed with an
  error counts as unfinished.
- A row is ranked (stars, best point, front, verdicts) when it finished every session that any row finished. A session that none
  finished is left out; where it broke off at different calls, nothing is ranked, as the one that came furthest did not finish
  either. Rows over different sessions are not ranked. Where fewer than two rows are ranked, nothing is starred.
- \`finishedShare\`, \`callsAnswered\` and \`callsLost\` of a row are means over all its sessions, compared or not; a run that failed
  has a share of 0.
  The share of its sessions that finished is \`sessions.finishedShare\` in the JSON, and stands beside its name:
  \`none (3 of 12 unfinished)\`.
- \`tune\` asks of every setting that it finishes what any setting finishes, before any \`--subject-to\`. It compares over the sessions
  that those settings finished, and runs all settings on the whole work when none that was left came through it.
- \`results --best\` ranks by the same rules. \`results --group\` and \`--mean\` take every row that is asked for, finished or not: a group
  with unfinished runs is marked (\`2 rows (1 of 2 unfinished)\`, \`unfinished\` in the JSON), and a note says that its mean is of the answered
  calls alone. \`--where "finishedShare = 1"\` leaves unfinished runs out, and with them the sessions that only some groups finished.

## What a recording cost

\`recordedCostUsd\` and every row \`as recorded\` are one figure, the same in \`inspect\`, \`ttl\`, \`validate\`, \`run\`, \`compare\`, \`sweep\` and
\`tune\`: the usage of each response, once per response, at the list price of its model, with the price steps of long prompts. The price
is the newest in the model table (\`ccbench models\`), not that of the day. Subagents are in it, those whose files lie beside the session
and those that only the progress of their parent tells of; of others it is said how many were started (\`agents-missing\`). Where a recording holds a placeholder for the output (responses that do not
say how they stopped: most of Claude Code before 2.1.59), the tokens of the response stand for it, or the placeholder where that is more, and reports say for how many calls. Calls of
unknown models and responses without usage are left out and counted: a cost of which calls have no price is shown as \`at least\` so much, with how many they are, and one of which
none has a price as \`–\`, \`null\` in JSON, in \`inspect\`, \`ttl\`, \`run\`, \`diff\` and \`providers --session\` alike; no price is ever made up. No transcript holds the summary requests of compactions (unless
their fork has a file), the hidden requests for suggestions, or the fees of server tools such as web search: these are not in the
figure, while a replay pays for its own summaries.

## What a run assumes

A replay is open-loop: the answers of the transcript come whatever the policy has taken out of the context. A policy that throws
away what the model needed is not punished by worse answers or extra calls; \`keptContentShare\` says how much it threw away.

## Expectations

A scenario may list expectations: a metric, one of \`>=\` \`<=\` \`>\` \`<\` \`==\` \`!=\`, and a number, which may end in \`k\` (thousand),
\`M\` (million) or, for shares and ratios, \`%\`. They are checked against this list before the run. A metric without data fails
its expectation.

\`\`\`yaml
expect:
  - cacheHitRate >= 90%
  - peakContextTokens < 170k
  - layers.full-compact.failed == 0
\`\`\`
`;
}

function describeKeys(keys: readonly string[]): string {
  if (!keys.every((key) => key.includes('.'))) return keys.map((key) => `\`${key}\``).join(', ');
  const parts = keys.map((key) => key.split('.') as [string, string]);
  const first = [...new Set(parts.map(([head]) => `\`${head}\``))].join(', ');
  const second = [...new Set(parts.map(([, tail]) => `\`${tail}\``))].join(', ');
  return `${first}, each with ${second}`;
}
