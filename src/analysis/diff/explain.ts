import { formatCount } from '../../core/base/format.js';
import type { LaneAct, LanePair, LaneRequest } from './lane.js';

/** What makes two requests differ. */
export type ReasonKind =
  | 'missing'
  | 'threshold'
  | 'counter'
  | 'layer'
  | 'model'
  | 'bytes'
  | 'cache'
  | 'price'
  | 'output';

/** Why two lanes part at a request. */
export interface Reason {
  readonly kind: ReasonKind;
  /** One sentence. */
  readonly reason: string;
}

/** Nano-dollars of a token at a dollar per million. */
const NANO_PER_TOKEN = 1_000;

function isApart(a: number, b: number, tolerance: number): boolean {
  return Math.abs(a - b) > tolerance * Math.max(a, b);
}

/** Acts that changed the context, by what was done. */
function doneActs({ acts }: LaneRequest): ReadonlyMap<string, LaneAct> {
  return new Map(
    acts.filter(({ outcome }) => outcome === 'done').map((act) => [`${act.layer} ${act.action}`, act]),
  );
}

/** An act that only one of the two made. */
function loneAct(a: LaneRequest, b: LaneRequest): { readonly act: LaneAct; readonly by: 'A' | 'B' } | null {
  const ofA = doneActs(a);
  const ofB = doneActs(b);
  for (const [name, act] of ofA) if (!ofB.has(name)) return { act, by: 'A' };
  for (const [name, act] of ofB) if (!ofA.has(name)) return { act, by: 'B' };
  return null;
}

/** Why a layer acted in one lane alone; null if the layers of both did the same. */
export function explainAct(a: LaneRequest, b: LaneRequest): Reason | null {
  const lone = loneAct(a, b);
  if (lone === null) return null;
  const { act, by } = lone;
  const [own, other] = by === 'A' ? [a, b] : [b, a];
  const name = by === 'A' ? 'B' : 'A';
  const seen = act.seen ?? own.seen;
  const did = `${act.layer} acts only in ${by} (${act.action}: ${act.reason})`;
  const isLimited = act.action === 'compact' && own.limit !== null && other.limit !== null;
  if (isLimited && own.limit !== other.limit)
    return {
      kind: 'threshold',
      reason: `${did}: the limit is ${formatCount(own.limit)} tokens in ${by}, ${formatCount(other.limit)} in ${name}`,
    };
  if (seen !== null && other.seen !== null && seen !== other.seen)
    return {
      kind: 'counter',
      reason: `${did}: ${by} counted ${formatCount(seen)} tokens, ${name} ${formatCount(other.seen)}`,
    };
  return { kind: 'layer', reason: did };
}

function sizes(what: string, a: number, b: number): string {
  return `${what} ${formatCount(a)} in A, ${formatCount(b)} in B`;
}

function explainCache(a: LaneRequest, b: LaneRequest): Reason {
  const causes = [
    ...(a.cause === null ? [] : [`A: ${a.cause}`]),
    ...(b.cause === null || b.cause === a.cause ? [] : [`B: ${b.cause}`]),
  ];
  const why = causes.length === 0 ? '' : ` (${causes.join(', ')})`;
  return {
    kind: 'cache',
    reason: `the prompt is the same, the cache is not: ${sizes('read', a.read, b.read)}${why}`,
  };
}

/**
 * A small difference in tokens that makes a large one in money: such a token costs several times what it would cost elsewhere. Null if
 * the tokens at the prices of the first do not come to what the second costs.
 */
function explainSmall(a: LaneRequest, b: LaneRequest, tolerance: number): Reason | null {
  const { prices } = a;
  if (prices === null) return null;
  const by = (price: number, of: 'input' | 'read' | 'written' | 'output'): number =>
    price * NANO_PER_TOKEN * (b[of] - a[of]);
  const output = by(prices.output, 'output');
  for (const write of [prices.cacheWrite5m, prices.cacheWrite1h]) {
    const prompt = by(prices.input, 'input') + by(prices.cacheRead, 'read') + by(write, 'written');
    if (isApart(a.costNano + output + prompt, b.costNano, tolerance)) continue;
    return a.prompt === b.prompt || a.read !== b.read ? explainCache(a, b) : explainPrompt(a, b);
  }
  return null;
}

function explainPrompt(a: LaneRequest, b: LaneRequest): Reason {
  return { kind: 'bytes', reason: `the prompts differ: ${sizes('', a.prompt, b.prompt).trim()}` };
}

/** Why two requests differ; null if they are the same within the tolerance. */
export function explainPair({ a, b }: LanePair, tolerance: number): Reason | null {
  if (a === null || b === null) {
    const [own, by] = a === null ? [b!, 'B'] : [a, 'A'];
    const what =
      own.purpose === 'main' || own.purpose === 'subagent' ? 'this request' : `this ${own.purpose} request`;
    return { kind: 'missing', reason: `only ${by} makes ${what}` };
  }
  const isSame = !(
    isApart(a.prompt, b.prompt, tolerance) ||
    isApart(a.read, b.read, tolerance) ||
    isApart(a.output, b.output, tolerance) ||
    isApart(a.costNano, b.costNano, tolerance) ||
    a.model !== b.model
  );
  const acted = explainAct(a, b);
  if (acted !== null) return acted;
  if (isSame) return null;
  if (a.model !== b.model) return { kind: 'model', reason: `the model is ${a.model} in A, ${b.model} in B` };
  if (isApart(a.prompt, b.prompt, tolerance)) return explainPrompt(a, b);
  if (isApart(a.read, b.read, tolerance)) return explainCache(a, b);
  if (isApart(a.output, b.output, tolerance))
    return { kind: 'output', reason: `the outputs differ: ${sizes('', a.output, b.output).trim()}` };
  if (isApart(a.written, b.written, tolerance))
    return {
      kind: 'cache',
      reason: `the prompt is the same, the cache writes are not: ${sizes('written', a.written, b.written)}`,
    };
  return (
    explainSmall(a, b, tolerance) ?? { kind: 'price', reason: 'same tokens, different prices or lifetimes' }
  );
}
