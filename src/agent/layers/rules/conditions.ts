import type { ContextView, HookContext } from '../../../core/run/layer.js';
import type { Limit } from '../../../core/run/limit.js';
import type {
  Comparison,
  Counted,
  GroupPart,
  TestPart,
  TimeComparison,
} from '../../../core/run/policy-rules.js';
import { sizesOf } from '../../policy-file/check-rules.js';
import { hasJitter, MIDDLE, parseAmount } from '../../policy-file/expression.js';
import { prunable } from './items.js';
import type { PolicyState, RuleState } from './rule-state.js';

/** Whether a condition holds now. */
export type Test = (moment: HookContext, view: ContextView) => boolean;

/** What happened to the thread besides growth. */
export interface Events {
  readonly modelSwitched: boolean;
  readonly resumed: boolean;
  readonly prefixChanged: boolean;
  /** It is the first request of a prompt. */
  readonly prompted: boolean;
}

/** Where a condition stands among those of a policy: its rule, its group and its own position. */
export interface TestPlace {
  readonly rule: number;
  readonly group: number;
  readonly test: number;
}

/** The amount of a condition on the model in use, as a limit of the run. */
export function testLimit({ rule, group, test }: TestPlace, op: Comparison['op'], state: PolicyState): Limit {
  const { limits, model } = state.context;
  const { window, maxOutput } = model();
  const side = op === '>=' || op === '<' ? 'reached' : 'passed';
  return limits.of(`rule ${rule} ${group} ${test} ${window} ${maxOutput}`, side, ({ rules }) => {
    const part = rules!.rules[rule]!.when[group]!.tests[test]! as { readonly is: Comparison };
    return parseAmount(part.is.amount)(sizesOf(rules!, { window, maxOutput }), MIDDLE);
  });
}

/** Compares with an amount that depends on the model; computed again only when the sizes change. */
function bound(comparison: Comparison, place: TestPlace, state: PolicyState): (value: number) => boolean {
  const { op, amount } = comparison;
  if (hasJitter(amount)) return jittered(comparison, state);
  let sizes: PolicyState['sizes'] | null = null;
  let limit: Limit | null = null;
  const learn = (): Limit => {
    if (limit === null || state.sizes !== sizes) {
      sizes = state.sizes;
      limit = testLimit(place, op, state);
    }
    return limit;
  };
  return op === '>=' || op === '>' ? (value) => learn().isMetBy(value) : (value) => !learn().isMetBy(value);
}

/** Compares with an amount that is drawn once for each model. */
function jittered({ op, amount }: Comparison, state: PolicyState): (value: number) => boolean {
  const parsed = parseAmount(amount);
  const random = state.context.random.split(`jitter ${amount}`);
  let sizes: PolicyState['sizes'] | null = null;
  let limit = 0;
  const learn = (): number => {
    if (state.sizes !== sizes) {
      sizes = state.sizes;
      limit = parsed(sizes, random.next());
    }
    return limit;
  };
  const holds = COMPARE[op];
  return (value) => holds(value, learn());
}

const COMPARE: Readonly<Record<Comparison['op'], (value: number, limit: number) => boolean>> = {
  '>=': (value, limit) => value >= limit,
  '>': (value, limit) => value > limit,
  '<=': (value, limit) => value <= limit,
  '<': (value, limit) => value < limit,
};

function timeBound({ op, ms }: TimeComparison): (value: number) => boolean {
  const holds = COMPARE[op];
  return (value) => holds(value, ms);
}

/** A condition as a closure over what the policy knows. */
function compileTest(
  test: TestPart,
  place: TestPlace,
  own: RuleState,
  state: PolicyState,
  events: Events,
): Test {
  switch (test.kind) {
    case 'tokens': {
      const holds = bound(test.is, place, state);
      return (_moment, view) => holds(own.seen(view) + own.leftOut);
    }
    case 'growth': {
      const holds = bound(test.is, place, state);
      return (_moment, view) => own.actedAt !== 'pending' && holds(own.seen(view) - (own.actedAt ?? 0));
    }
    case 'prunable': {
      const holds = bound(test.is, place, state);
      const { unit } = test;
      const { select } = own.rule;
      return (_moment, view) => {
        const items = own.items;
        if (items === null || !holds(items[unit])) return false;
        return holds(prunable(select, items, view, state.sizes)[unit]);
      };
    }
    case 'idle': {
      const holds = timeBound(test.is);
      return ({ now, lastResponseMs }) => lastResponseMs !== null && holds(now - lastResponseMs);
    }
    case 'expiresIn': {
      const holds = timeBound(test.is);
      return ({ now }, { cacheExpiresMs }) =>
        cacheExpiresMs !== null && now < cacheExpiresMs && holds(cacheExpiresMs - now);
    }
    case 'warm':
      return (_moment, { cacheIsWarm }) => cacheIsWarm === test.is;
    case 'chance': {
      const random = state.context.random.split(`chance of ${own.rule.name}`);
      let asked = { turn: -1, point: '', now: -1, drawn: false };
      return ({ turn, point, now }) => {
        if (asked.turn !== turn || asked.point !== point || asked.now !== now)
          asked = { turn, point, now, drawn: random.next() < test.is };
        return asked.drawn;
      };
    }
    case 'event':
      return eventTest(test.is, events);
    default: {
      const holds = bound(test.is, place, state);
      const count = counter(test.kind, own, state);
      return () => holds(count());
    }
  }
}

/** A count of the conversation that a condition bounds. */
function counter(kind: Counted | 'piled', own: RuleState, state: PolicyState): () => number {
  switch (kind) {
    case 'piled':
      return () => own.piled;
    case 'toolResults':
      return () => state.results.count;
    case 'toolChars':
      return () => state.results.chars;
    default:
      return () => state[kind];
  }
}

function eventTest(event: Extract<TestPart, { kind: 'event' }>['is'], events: Events): Test {
  switch (event) {
    case 'refused':
    case 'manual':
      return ({ point }) => point === event;
    case 'model-switch':
      return () => events.modelSwitched;
    case 'resume':
      return () => events.resumed;
    default:
      return () => events.prefixChanged;
  }
}

/** A group of conditions at the points where it is asked. */
export interface CompiledGroup {
  readonly at: GroupPart['at'];
  readonly holds: Test;
}

/** A group as one closure. */
export function compileGroup(
  group: GroupPart,
  place: Pick<TestPlace, 'rule' | 'group'>,
  own: RuleState,
  state: PolicyState,
  events: Events,
): CompiledGroup {
  const tests = group.tests.map((part, test) => compileTest(part, { ...place, test }, own, state, events));
  const [first] = tests;
  if (tests.length === 1) return { at: group.at, holds: first! };
  return {
    at: group.at,
    holds: (moment, view) => {
      for (let i = 0; i < tests.length; i++) if (!tests[i]!(moment, view)) return false;
      return true;
    },
  };
}
