import type { MetricUnit } from '../../../src/core/base/format.js';
import { METRIC_FAMILIES } from '../../../src/metrics/families.js';
import { METRICS } from '../../../src/metrics/registry.js';

const UNITS: Readonly<Record<MetricUnit, string>> = {
  tokens: 'tokens',
  usd: 'USD',
  share: 'share',
  ratio: 'ratio',
  count: 'count',
  ms: 'ms',
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
  const keyed = new Map<string, string[]>();
  for (const { name, keyName, keys } of METRIC_FAMILIES)
    if (keys !== null) {
      const described = describeKeys(keys);
      keyed.set(described, [...(keyed.get(described) ?? []), `\`${name}.${keyName}\``]);
    }
  const keys = [...keyed].map(([described, families]) => `- ${families.join(', ')}: ${described}`);
  return `# Metrics

Every metric is computed from the log of a run. A metric without data is \`null\` in \`summary.json\` and – on the terminal.
Counts of events are 0 if there were none. Shares are 0 to 1.

${table(['metric', 'unit', 'better', 'meaning'], named)}

## Metrics with a key

${table(['metric', 'unit', 'better', 'meaning'], families)}

Known keys (the other families take their keys from the run):

${keys.join('\n')}

## Runs that did not finish

A run is unfinished if calls of its transcript were not answered: a prompt was refused, a guard ended the prompt or the run, a fork
never began, or the run failed. All metrics but \`finishedShare\` and \`callsLost\` cover only the answered calls, so an unfinished run looks
cheap. \`run\` marks it in the terminal, in \`summary.json\` (\`finished\`, \`calls\`) and in \`report.html\`. If nothing was answered, the exit
code is 2.

\`compare\`, \`sweep\`, \`tune\` and \`results --best\` never rank unfinished work. A row is a variant, a point or a setting; a session is one
transcript.

- A row is ranked (stars, best point, front, verdicts) if it finished every session that any row finished. Nothing is ranked if rows
  ran over different sessions, or if a session that no row finished stopped at different calls. A single ranked row gets no star.
- Means and differences cover the sessions that every ranked row finished. An unranked row shows its means over those of them that
  it finished: \`none (over 3 of 12, not ranked)\`, \`sessions.compared\` in JSON. Notes, CSV and JSON (\`compared\`, \`leftOut\`) name the
  sessions that were left out, and the row responsible.
- \`finishedShare\`, \`callsAnswered\` and \`callsLost\` of a row are means over all its sessions; a failed run has a share of 0.
  \`sessions.finishedShare\` in JSON is the share of finished sessions.
- \`tune\` applies this rule before any \`--subject-to\`. If no remaining setting qualifies, it runs all settings on all sessions.
- \`results --group\` and \`--mean\` include unfinished rows and mark the group (\`2 rows (1 of 2 unfinished)\`, \`unfinished\` in JSON).
  \`--where "finishedShare = 1"\` excludes them.

## What a recording cost

\`recordedCostUsd\` and every row \`as recorded\` are the usage of each response, counted once, at its model's list price of the day
(\`ccbench models\`), with the price steps of long prompts.

- Subagents are included, from files beside the session or from their parent's progress lines. Missing ones are counted (\`agents-missing\`).
- If the recorded output is a placeholder (no stop reason: most responses of Claude Code before 2.1.59), the tokens of the response are
  used if larger; reports say for how many calls.
- Calls of unknown models and responses without usage are left out and counted. The cost is then \`at least\` an amount, or \`–\`
  (\`null\` in JSON) if no call has a price.
- Not included, because transcripts lack them: summary requests (unless their fork has a file), suggestions, and fees of server
  tools such as web search. A replay pays for its own summaries.

## Expectations

An expectation is a metric, one of \`>=\` \`<=\` \`>\` \`<\` \`==\` \`!=\`, and a number, which may end in \`k\` (thousand), \`M\` (million) or, for
shares and ratios, \`%\`. A metric without data fails its expectation.

\`\`\`yaml
expect:
  - cacheHitRate >= 90%
  - peakContextTokens < 170k
  - layers.full-compact.failed == 0
\`\`\`
`;
}

function describeKeys(keys: readonly string[]): string {
  const rewrites = keys.filter((key) => key.startsWith('rewrite:'));
  if (rewrites.length > 0) {
    const others = keys.filter((key) => !rewrites.includes(key));
    return `${describeKeys(others)}, \`rewrite:<cause>\` with the causes of \`cacheBreaksByCause\``;
  }
  if (!keys.every((key) => key.includes('.'))) return keys.map((key) => `\`${key}\``).join(', ');
  const parts = keys.map((key) => key.split('.') as [string, string]);
  const first = [...new Set(parts.map(([head]) => `\`${head}\``))].join(', ');
  const second = [...new Set(parts.map(([, tail]) => `\`${tail}\``))].join(', ');
  return `${first}, each with ${second}`;
}
