import { formatCount, formatMoney, formatShare } from '../../../core/base/format.js';
import type { PageEvent } from '../../page-data/page-data.js';
import { h } from '../widgets/dom.js';
import { clock } from '../widgets/scale.js';
import type { RunModel } from './run-model.js';

type Pair = readonly [string, string];

function list(pairs: readonly Pair[]): HTMLElement {
  return h('dl', ...pairs.flatMap(([label, value]) => [h('dt', label), h('dd', value)]));
}

function part(title: string, ...content: readonly (HTMLElement | null)[]): HTMLElement {
  return h('div.part', h('h4', title), ...content);
}

function bar(label: string, tokens: number, whole: number, tone: string): HTMLElement {
  const share = whole === 0 ? 0 : Math.min(1, tokens / whole);
  return h(
    'div.bar',
    h('span', label),
    h('i', { class: tone, style: `width:${(share * 100).toFixed(1)}%` }),
    h('b', formatCount(tokens)),
  );
}

const words = (name: string): string => name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);

function plain(details: Readonly<Record<string, unknown>>, pick: (name: string) => boolean): readonly Pair[] {
  return Object.entries(details).flatMap(([name, value]): Pair[] => {
    if (!pick(name) || value === null || typeof value === 'object') return [];
    return [[words(name), typeof value === 'number' ? formatCount(value) : String(value)]];
  });
}

/** Tokens of a part of a breakdown, those of all tools where it has them by tool; null where nothing is told. */
function partTokens(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (value === null || typeof value !== 'object') return null;
  return Object.values(value).reduce((sum: number, tokens) => sum + Number(tokens), 0);
}

/** What a compaction was made from, in per cent and tokens, where its layer says so. */
function mixture(details: Readonly<Record<string, unknown>>): readonly Pair[] {
  const { context } = details;
  const raw = (details.breakdown ?? {}) as Readonly<Record<string, unknown>>;
  if (context === null || typeof context !== 'object') return [];
  return Object.entries(context).flatMap(([name, value]): Pair[] => {
    if (typeof value !== 'number' || value === 0) return [];
    const tokens = partTokens(raw[name]);
    return [[words(name), tokens === null ? `${value} %` : `${value} %, ${formatCount(tokens)} tokens`]];
  });
}

const CAME_OUT = /^(summary|restored|messagesKept|preserved|kept|clearableAfter|recompacts)/;
const WENT_IN =
  /^(messagesSummarised|threshold|overshoot|source|turnsSince|previousTurn|chained|thrash|tools|ids|results|chars|clearableBefore)/;

/** Requests that a layer made for this action: the last ones before it that are not of a loop; none where some may have been left out. */
function ownRequests(model: RunModel, event: PageEvent): readonly number[] {
  const { requests, names, leftOut } = model.run;
  if (leftOut !== undefined) return [];
  const wanted = event.layer?.calls ?? 0;
  const found: number[] = [];
  for (let i = event.after - 1; i >= 0 && found.length < wanted; i--) {
    const purpose = names.purposes[requests.purpose[i]!]!;
    if (purpose !== 'main' && purpose !== 'subagent' && names.threads[requests.thread[i]!] === event.thread)
      found.push(i);
  }
  return found.reverse();
}

/** The next request of its thread; null where there is none, or it may have been left out. */
function nextRequest(model: RunModel, event: PageEvent): number | null {
  const { requests, names, leftOut } = model.run;
  if (leftOut !== undefined) return null;
  for (let i = event.after; i < model.count; i++) {
    if (names.threads[requests.thread[i]!] === event.thread) return i;
  }
  return null;
}

function requestButton(model: RunModel, index: number, show: (index: number) => void): HTMLElement {
  const label = `request ${model.number(index)}`;
  return h('button.link', { click: () => show(index) }, label);
}

function costPart(model: RunModel, event: PageEvent, show: (index: number) => void): HTMLElement {
  const figures = event.layer!;
  const own = ownRequests(model, event);
  const { requests } = model.run;
  const rows = own.map((index) =>
    h(
      'p',
      requestButton(model, index, show),
      ` ${formatMoney(model.cost[index]! / 1e9)}: ${formatCount(model.prompt[index]!)} prompt tokens, ${formatShare(model.prompt[index]! === 0 ? null : requests.read[index]! / model.prompt[index]!)} from the cache, ${formatCount(requests.output[index]!)} output`,
    ),
  );
  const sentence =
    figures.calls === 0
      ? 'It made no request.'
      : `${formatMoney(figures.cost / 1e9)} for ${formatCount(figures.calls)} request${figures.calls === 1 ? '' : 's'} of its own.`;
  return part('What it cost', h('p', sentence), ...rows);
}

function cachePart(model: RunModel, event: PageEvent, show: (index: number) => void): HTMLElement {
  const next = nextRequest(model, event);
  const { requests } = model.run;
  const lost =
    event.lost === 0
      ? 'No cached token was destroyed.'
      : `${formatCount(event.lost)} cached tokens behind the first change were destroyed.`;
  if (next === null) return part('What it did to the cache', h('p', lost));
  const written = requests.write5m[next]! + requests.write1h[next]!;
  const after = h(
    'p',
    'The next one, ',
    requestButton(model, next, show),
    `, read ${formatCount(requests.read[next]!)} of ${formatCount(model.prompt[next]!)} prompt tokens from the cache, wrote ${formatCount(written)} and cost ${formatMoney(model.cost[next]! / 1e9)}.`,
  );
  return part('What it did to the cache', h('p', lost), after);
}

function layerParts(
  model: RunModel,
  event: PageEvent,
  show: (index: number) => void,
): readonly HTMLElement[] {
  const figures = event.layer!;
  const whole = Math.max(figures.trueBefore, figures.trueAfter);
  const seen: Pair[] = [];
  if (figures.seenBefore !== null) {
    const after = figures.seenAfter === null ? '' : ` → ${formatCount(figures.seenAfter)}`;
    seen.push(['seen by the policy', `${formatCount(figures.seenBefore)}${after} tokens`]);
  }
  const mix = mixture(event.details);
  return [
    part(
      'Context',
      bar('before', figures.trueBefore, whole, 'before'),
      bar('after', figures.trueAfter, whole, 'after'),
      list([['taken out', `${formatCount(figures.saved)} tokens`], ...seen]),
    ),
    part(
      'What went in',
      list([
        ['context', `${formatCount(figures.trueBefore)} tokens`],
        ...plain(event.details, (name) => WENT_IN.test(name)),
        ...mix,
      ]),
    ),
    part(
      'What came out',
      list([
        ['context', `${formatCount(figures.trueAfter)} tokens`],
        ...plain(event.details, (name) => CAME_OUT.test(name)),
      ]),
    ),
    costPart(model, event, show),
    cachePart(model, event, show),
  ];
}

/** Everything there is to say about one event. */
export function eventDetails(model: RunModel, event: PageEvent, show: (index: number) => void): HTMLElement {
  const title = [event.name, event.action].filter((word) => word !== '').join(' · ');
  const place = [
    clock(event.t),
    event.turn === null ? null : `turn ${event.turn}`,
    event.thread,
    event.layer?.trigger ?? null,
    event.outcome,
  ];
  const raw = Object.keys(event.details).length === 0 ? null : JSON.stringify(event.details, null, 2);
  const parts = event.layer === undefined ? [cachePart(model, event, show)] : layerParts(model, event, show);
  return h(
    'div.details',
    h('h3', title),
    h('p.quiet', place.filter((word) => word !== null && word !== '').join(' · ')),
    h('p', event.reason),
    ...(event.kind === 'layer' || event.kind === 'break' ? parts : []),
    raw === null ? null : h('details', h('summary', 'All it says of itself'), h('pre', { tabindex: 0 }, raw)),
  );
}
