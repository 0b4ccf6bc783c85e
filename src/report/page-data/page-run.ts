import { isGroup } from '../../core/base/errors.js';
import { formatCount, formatCounted, formatMoney, formatShare, printable } from '../../core/base/format.js';
import { sum } from '../../core/base/stats.js';
import { KIND_ORDER, type PromptFills, SOURCE_KINDS } from '../../core/model/source-kind.js';
import type { LayerEntry, RequestEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { RunFacts } from '../../metrics/facts.js';
import { recordedUsd, usd } from '../../metrics/metric.js';
import { metricValues } from '../../metrics/registry.js';
import { OTHER_TOOLS_COLOR, SOURCE_COLORS, TOOL_COLORS } from '../charts/palette.js';
import { runSeries } from '../charts/run-series.js';
import { card } from '../document/document.js';
import { assumptionsOf, notRecordedNano, recordedDifference, unfinishedText } from '../text/as-recorded.js';
import { describeEvent } from '../text/describe-event.js';
import type { NamedThreshold, PolicyInfo } from '../text/policy-info.js';
import { valueBlocks } from '../text/terminal-blocks.js';
import { causeWords } from '../text/words.js';
import { leftOutText, withLeftOut } from './left-out.js';
import type { PageEvent, PageFact, PageFill, PageLayer, PageRun } from './page-data.js';
import type { LeftOut } from './run-sample.js';

/** The figures of a layer's action. */
function figuresOf(entry: LayerEntry): NonNullable<PageEvent['layer']> {
  const { trigger, estimatedBefore, estimatedAfter, trueBefore, trueAfter, saved, calls, cost } = entry;
  return { trigger, estimatedBefore, estimatedAfter, trueBefore, trueAfter, saved, calls, cost };
}

/** What happened besides answered requests, in the order of the log. @internal */
export function pageEvents(entries: Iterable<LogEntry>): readonly PageEvent[] {
  const events: PageEvent[] = [];
  let after = 0;
  for (const entry of entries) {
    if (entry.type === 'request') after += 1;
    const described = describeEvent(entry);
    if (described === null || !('t' in entry) || !('thread' in entry)) continue;
    const {
      kind,
      name,
      action = '',
      outcome = '',
      reason = '',
      destroyed,
      readDrop,
      details = {},
    } = described;
    if (kind === null) continue;
    events.push({
      kind,
      t: entry.t,
      thread: entry.thread,
      turn: 'turn' in entry ? entry.turn : null,
      after,
      name: entry.type === 'break' ? causeWords(entry.cause) : name,
      action,
      outcome: entry.type === 'layer' && entry.failure !== null ? `${outcome}: ${entry.failure}` : outcome,
      reason,
      ...(entry.type === 'layer' ? { layer: figuresOf(entry) } : {}),
      ...(destroyed === undefined ? {} : { destroyed }),
      ...(readDrop === undefined ? {} : { readDrop }),
      details,
    });
  }
  return events;
}

/** A run as a report is made from it. */
export interface ReportedRun {
  readonly name: string;
  readonly entries: readonly LogEntry[];
  readonly facts: RunFacts;
  readonly digest: string | null;
  readonly policyInfo: PolicyInfo | null;
  /** What the entries lack of a long run; nothing unless given. */
  readonly leftOut?: LeftOut | null;
  /** What fills the prompts; absent if nobody looked. */
  readonly fills?: PromptFills<RequestEntry>;
  /** Why that is not known though it could be; absent unless a reader would miss it. */
  readonly noFills?: string;
}

function recordedCards(facts: RunFacts): readonly PageFact[] {
  const bill = facts.run?.transcript.recorded;
  const recorded = bill === undefined ? null : recordedUsd(bill);
  const difference = recordedDifference(facts);
  const more = notRecordedNano(facts);
  const part = more === null ? '' : `, ${formatMoney(usd(more))} for unrecorded requests`;
  const assumedWrites = bill?.assumedWritesNano;
  const writes =
    assumedWrites === undefined
      ? ''
      : ` and ${formatMoney(usd(assumedWrites))} for writes that it does not report`;
  return recorded === null || difference === null
    ? []
    : [card('As recorded', formatMoney(recorded), `this run: ${difference}${writes}${part}`)];
}

/** What a turn cost, and how far chance could have had it otherwise. */
function costNote({ costInterval }: RunFacts, perTurnUsd: number | null): string {
  const perTurn = `${formatMoney(perTurnUsd)} per turn`;
  if (costInterval === null || costInterval.low === costInterval.high) return perTurn;
  const [low, high] = [costInterval.low, costInterval.high].map((nano) => formatMoney(usd(nano)));
  return `${perTurn}; 90 % interval ${low} … ${high}`;
}

function cardsOf(facts: RunFacts, window: number | null): readonly PageFact[] {
  const values = metricValues(facts);
  const { compactions, crossings } = facts;
  const destroyed = values.cacheTokensDestroyed ?? 0;
  const troubles = facts.requestsRefused + facts.callsLost + compactions.failed;
  return [
    card('Cost', formatMoney(usd(facts.cost.total)), costNote(facts, values.costPerTurnUsd ?? null)),
    card(
      'Cache-hit rate',
      formatShare(values.cacheHitRate ?? null),
      `of ${formatCount(facts.requests.promptTokens)} prompt tokens`,
    ),
    card(
      'Peak context',
      formatCount(facts.peakContextTokens),
      window === null ? 'tokens' : `of a window of ${formatCount(window)} tokens`,
    ),
    card(
      'Compactions',
      formatCount(compactions.done),
      `${formatCount(crossings.prevented)} prevented, ${destroyed === 0 ? 'no' : formatCount(destroyed)} cached tokens destroyed`,
    ),
    card(
      'Requests',
      formatCount(facts.requests.calls),
      `${formatCounted(facts.turns, 'turn')} of the main loop`,
    ),
    card(
      'Troubles',
      formatCount(troubles),
      `${formatCount(facts.requestsRefused)} refused, ${formatCount(facts.callsLost)} lost, ${formatCounted(compactions.failed, 'failed compaction')}`,
      troubles > 0 ? 'bad' : 'plain',
    ),
  ];
}

function layersOf(facts: RunFacts): readonly PageLayer[] {
  return Object.entries(facts.layers)
    .filter(([, { triggers }]) => triggers > 0)
    .map(([name, { done, failed, cacheLost: destroyed, costNanoUsd: cost, ...layer }]) => {
      const { declined, saved, notCarried, prevented, deferred } = layer;
      return { name, acts: done + failed, declined, saved, notCarried, prevented, deferred, destroyed, cost };
    });
}

function settingsOf(plan: unknown): readonly (readonly [string, string])[] {
  const rows: [string, string][] = [];
  const add = (path: string, value: unknown): void => {
    if (path === 'policy.params' || path === 'version') return;
    if (!isGroup(value)) {
      rows.push([path, typeof value === 'string' ? value : JSON.stringify(value)]);
      return;
    }
    for (const [key, item] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, item);
  };
  if (plan !== null && typeof plan === 'object') add('', plan);
  return rows;
}

function aboutOf(facts: RunFacts): readonly (readonly [string, string])[] {
  const { run } = facts;
  const models = Object.keys(facts.models).join(', ');
  if (run === null) return models === '' ? [] : [['model', models]];
  return [
    ['policy', run.policy],
    ['model', models],
    ['transcript', `${run.transcript.id} (${run.transcript.source})`],
    ['seed', String(run.seed)],
  ].map(([label, value]) => [label!, printable(value!)] as const);
}

/** The limits of a policy, the window that was used last. */
export function thresholdsOf(info: PolicyInfo | null, window: number | null): readonly NamedThreshold[] {
  const given = (info?.thresholds ?? []).filter(({ name }) => name !== 'window');
  return window === null ? given : [...given, { name: 'window', tokens: window }];
}

/** One run as the page needs it. */
export function pageRun(reported: ReportedRun): PageRun {
  const { name, entries, facts, digest, policyInfo, leftOut = null, fills, noFills = null } = reported;
  const { requests, gaps, window } = runSeries(entries, leftOut);
  const events = pageEvents(entries);
  return {
    name: printable(name),
    digest,
    unfinished: unfinishedText(facts),
    about: aboutOf(facts),
    cards: [...recordedCards(facts), ...cardsOf(facts, window)],
    assumptions: [
      ...assumptionsOf(facts).map(printable),
      ...leftOutText(leftOut, requests.length, events.length),
    ],
    blocks: valueBlocks(facts).map(({ title, rows }) => ({
      title,
      facts: rows.map(({ cells, tone }) => ({
        label: cells[0] ?? '',
        value: cells[1] ?? '',
        note: cells[2]?.trim() ?? '',
        tone: tone === 'bad' || tone === 'strong' ? tone : 'plain',
      })),
    })),
    threads: facts.threads.map(({ id, parent, label }) => ({ id, parent, label: printable(label) })),
    thresholds: thresholdsOf(policyInfo, window),
    gaps: gaps.map(({ fromMs, toMs }) => [fromMs, toMs] as const),
    ...withLeftOut(requests, leftOut),
    ...(fills === undefined ? {} : { fill: pageFill(fills, requests) }),
    noFill: noFills,
    events,
    layers: layersOf(facts),
    policy: policyInfo,
    settings: settingsOf(facts.run?.plan ?? null),
    skipped: facts.skipped.map(({ what, needs }) => ({ what, needs })),
    warnings: facts.warnings.map(({ message, remedy, count }) => ({ message, remedy, count })),
  };
}

/** A part of the chart with the columns that it sums up. */
interface Part {
  readonly title: string;
  readonly color: string;
  readonly columns: readonly number[];
}

/** The tools with most tokens, each by its name, and the others together. */
function toolParts(
  columns: readonly number[],
  titles: readonly (string | null)[],
  totals: readonly number[],
) {
  const ranked = [...columns].sort((a, b) => totals[b]! - totals[a]!);
  const own = ranked.filter((column) => titles[column] !== null).slice(0, TOOL_COLORS.length);
  const others = ranked.filter((column) => !own.includes(column));
  const parts = own.map((column, i): Part => {
    const title = `tool ${printable(titles[column]!)}`;
    return { title, color: TOOL_COLORS[i]!, columns: [column] };
  });
  return [...parts, { title: 'other tools', color: OTHER_TOOLS_COLOR, columns: others }];
}

/** The parts that prompts are stacked from, what comes before a prompt first. */
function partsOf(columns: PromptFills<unknown>['columns'], totals: readonly number[]): readonly Part[] {
  const titles = columns.map(({ name }) => name);
  return KIND_ORDER.flatMap((kind) => {
    const own = columns.flatMap((column, i) => (column.kind === kind && totals[i]! > 0 ? [i] : []));
    if (own.length === 0) return [];
    if (kind === 'tool') return toolParts(own, titles, totals);
    return [{ title: SOURCE_KINDS[kind], color: SOURCE_COLORS[kind], columns: own }];
  });
}

/** What fills the prompts of the requests that a page draws; a request of which that is unknown has nothing. */
export function pageFill<Request>(
  { columns, of }: PromptFills<Request>,
  shown: readonly Request[],
): PageFill {
  const held = shown.map((request) => of.get(request) ?? []);
  const totals = columns.map((_column, i) => sum(held.map((tokens) => tokens[i] ?? 0)));
  const parts = partsOf(columns, totals).filter((part) => part.columns.length > 0);
  return parts.map(({ title, color, columns: own }) => {
    let before = 0;
    const grown = held.map((tokens) => {
      const now = sum(own.map((i) => tokens[i] ?? 0));
      const more = now - before;
      before = now;
      return more;
    });
    return { title, color, grown };
  });
}
