import fc from 'fast-check';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { FAULT_KINDS, type FaultRule } from '../../../src/core/run/run-plan.js';
import { Conversation } from './conversation.js';
import { VARIED_POLICIES } from './varied-policies.js';

/** Something a generated session does, as plain data: a counter-example can be read. */
export type SessionStep =
  | {
      readonly do: 'tools';
      readonly results: readonly { readonly tool: string; readonly tokens: number; readonly file: number }[];
      readonly thinking: number;
    }
  | { readonly do: 'answer'; readonly tokens: number }
  | { readonly do: 'pause'; readonly minutes: number }
  | { readonly do: 'compact'; readonly partial: 'none' | 'from' | 'up_to'; readonly back: number }
  | { readonly do: 'resume' }
  | { readonly do: 'prefix'; readonly what: 'system' | 'tools' };

const TOOLS = ['Read', 'Bash', 'Grep', 'Edit', 'Task', 'mcp__db__query', 'TodoWrite'];

const results = fc.array(
  fc.record({
    tool: fc.constantFrom(...TOOLS),
    tokens: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
      { weight: 2, arbitrary: fc.integer({ min: 3_000, max: 25_000 }) },
    ),
    file: fc.integer({ min: 0, max: 9 }),
  }),
  { minLength: 1, maxLength: 3 },
);

/** One step of a session; calls are by far the most. */
const step: fc.Arbitrary<SessionStep> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('tools' as const),
      results,
      thinking: fc.constantFrom(0, 0, 0, 400),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('answer' as const), tokens: fc.integer({ min: 1, max: 900 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pause' as const), minutes: fc.constantFrom(1, 4, 6, 61, 130) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('compact' as const),
      partial: fc.constantFrom('none' as const, 'from' as const, 'up_to' as const),
      back: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('prefix' as const),
      what: fc.constantFrom('system' as const, 'tools' as const),
    }),
  },
);

/** Sessions as lists of steps. */
export const sessionSteps: fc.Arbitrary<readonly SessionStep[]> = fc.array(step, {
  minLength: 3,
  maxLength: 45,
  size: 'max',
});

/** A transcript of the steps: the user speaks first and after each answer. */
export function buildSession(steps: readonly SessionStep[], prefixTokens = 15_000): Transcript {
  const talk = new Conversation({ toolsTokens: prefixTokens - 2_000, systemTokens: 2_000 }).human(60);
  let isOpen = true;
  const speak = (): void => {
    if (!isOpen) talk.human(40);
    isOpen = true;
  };
  for (const item of steps) {
    switch (item.do) {
      case 'tools':
        speak();
        talk.tools(
          item.results.map(({ tool, tokens, file }) => ({ tool, tokens, path: `/repo/${file}.ts` })),
          item.thinking === 0 ? {} : { thinking: item.thinking },
        );
        break;
      case 'answer':
        speak();
        talk.answer(item.tokens);
        isOpen = false;
        break;
      case 'pause':
        talk.wait(item.minutes * 60);
        break;
      case 'compact':
        talk.event((at) => ({
          kind: 'manual-compact',
          at,
          compaction: {
            instructions: null,
            partial: item.partial === 'none' ? null : { direction: item.partial, messagesBack: item.back },
          },
        }));
        break;
      case 'resume':
        talk.event((at) => ({ kind: 'resume', at, reason: 'restart' }));
        break;
      case 'prefix':
        talk.event((at) => ({ kind: 'prefix-change', at, what: item.what, label: 'changed' }));
        break;
    }
  }
  speak();
  return talk.answer(10).transcript();
}

/** A summariser that never answers well: what breakers are for. */
export const hopeless: fc.Arbitrary<readonly Partial<FaultRule>[]> = fc
  .constantFrom('server_error' as const, 'invalid_request' as const, 'tool_call' as const)
  .map((error) => [{ call: 'compact', error }]);

const stumbling: fc.Arbitrary<readonly Partial<FaultRule>[]> = fc.array(
  fc
    .record({
      call: fc.constantFrom(
        'compact' as const,
        'compact' as const,
        'main' as const,
        'session_memory' as const,
      ),
      error: fc.constantFrom(...FAULT_KINDS),
      when: fc.oneof(
        fc.constant({}),
        fc.record({ nth: fc.integer({ min: 1, max: 6 }) }),
        fc.record({ every: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ probability: fc.constantFrom(0.2, 0.6) }),
      ),
      gapTokens: fc.constantFrom(null, 4_000, 30_000),
    })
    .map(({ call, error, when, gapTokens }) => ({ call, error, gapTokens, ...when })),
  { maxLength: 2 },
);

/** What may go wrong. */
export const faultRules = fc.oneof({ weight: 1, arbitrary: stumbling }, { weight: 1, arbitrary: hopeless });

/** Every policy there is, the ones with all layers more often. */
export const anyPolicy = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...VARIED_POLICIES) },
  { weight: 1, arbitrary: fc.constantFrom('claude-code/2026', 'claude-code/2.1.112', 'claude-code/2.1') },
);

/** Windows that a short session can fill. */
export const anyWindow = fc.constantFrom(60_000, 70_000, 70_000, 90_000, 130_000, 200_000);
