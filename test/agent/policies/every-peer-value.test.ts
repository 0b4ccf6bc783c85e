import { describe, expect, it } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { planPolicy } from '../../../src/agent/policies/plan-policy.js';
import type { Policy } from '../../../src/agent/policies/policy.js';
import { policyValues } from '../../../src/agent/policy-file/paths.js';
import { CcbenchError } from '../../../src/core/base/errors.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { PlannedPolicy } from '../../../src/core/run/run-plan.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { LogCompare } from '../../helpers/log-compare.js';
import { type PlanInit, planOf } from '../../helpers/plan.js';

/** Values of peers that change no run here, each with the reason. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'peers/cline guards.perTurn': 'no request here is refused again after the first summary of its turn',
  'peers/hermes-agent rules.compress.select.keep.max': 'the twenty messages that stay have more tokens',
  'peers/hermes-agent rules.drop.select.keep.max': 'the twenty messages that stay have more tokens',
  'peers/hermes-codex rules.compress.select.keep.max': 'the twenty messages that stay have more tokens',
  'peers/hermes-codex rules.drop.select.keep.max': 'the twenty messages that stay have more tokens',
  'peers/lossless-claw guards.spend.per': 'no session here asks 24 times within ten minutes',
  'peers/lossless-claw guards.spend.rest': 'no session here asks 24 times within ten minutes',
};

const PEERS = policyRegistry.names.filter((name) => name.startsWith('peers/'));

/** Equal turns with pauses, in which nothing but size and idle time decides. */
const STEADY = bugfixSession(110, {
  steady: { gapSeconds: 30, outputTokens: 300, resultTokens: 2_000, tool: 'Read' },
  idle: [
    { afterTurn: 30, minutes: 8 },
    { afterTurn: 60, minutes: 75 },
  ],
});

/** Files, large outputs, what the user does, another model. */
const BUSY = generateTranscript({
  workload: 'huge-outputs',
  turns: 90,
  seed: 3,
  text: 'filler',
  idle: [{ afterTurn: 60, minutes: 75 }],
  compactAt: [{ afterTurn: 40 }],
  resumeAt: [{ afterTurn: 50 }],
  modelAt: [{ afterTurn: 70, model: 'claude-opus-4-5' }],
});

/** Long prompts, images, calls with long inputs, thinking, many prompts. */
function talk(): Transcript {
  const said = new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(30_000);
  for (let i = 0; i < 14; i++) {
    said.human(2_500).image(1_500).image(1_500);
    for (let k = 0; k < 3; k++)
      said.tools(
        [
          { tool: 'Write', tokens: 300, callTokens: k === 0 ? 3_000 : 800, path: `/${i}-${k}` },
          { tool: 'Read', tokens: 2_500, path: `/${i}-${k}` },
        ],
        { thinking: 200 },
      );
    said.answer(200).wait(400);
  }
  return said.transcript();
}
const TALK = talk();

/** Results of 240,000 characters. */
function giant(): Transcript {
  const said = new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(100);
  for (let i = 0; i < 6; i++)
    said.tools([{ tool: 'Read', tokens: 2_000 }]).tools([{ tool: 'Bash', tokens: 60_000 }]);
  return said.answer(10).transcript();
}
const GIANT = giant();

const failing = (
  error: 'prompt_too_long_unparseable' | 'invalid_request' | 'cut_summary',
  every: number | null,
): PlanInit => ({
  window: 100_000,
  faults: [{ call: 'compact', error, every }],
});

const SITUATIONS: readonly (readonly [Transcript, PlanInit])[] = [
  [STEADY, { window: 100_000 }],
  [TALK, { window: 100_000 }],
  [BUSY, { window: 100_000 }],
  [STEADY, failing('invalid_request', null)],
  [TALK, failing('prompt_too_long_unparseable', 2)],
  [STEADY, { window: 200_000 }],
  [TALK, failing('prompt_too_long_unparseable', null)],
  [BUSY, failing('cut_summary', 2)],
  [STEADY, { window: 600_000 }],
  [GIANT, { window: 600_000 }],
  [GIANT, { window: 150_000 }],
  [STEADY, { ...failing('invalid_request', null), window: 200_000 }],
  [TALK, { window: 200_000, faults: [{ call: 'main', error: 'prompt_too_long', every: 2 }] }],
  [
    STEADY,
    { window: 100_000, faults: [{ call: 'main', error: 'prompt_too_long_unparseable', from: 20, to: 60 }] },
  ],
  [
    TALK,
    {
      window: 100_000,
      faults: [
        { call: 'main', error: 'prompt_too_long', every: 2 },
        { call: 'compact', error: 'invalid_request', every: 2 },
      ],
    },
  ],
];

const NUMBER = /\d+(?:[_,]\d{3})*(?:\.\d+)?/g;

/** Other values with the same words around other numbers, the most different first. */
function others(value: unknown): readonly unknown[] {
  const changes: readonly ((n: number) => number)[] = [
    (n) => n / 4,
    (n) => n * 4,
    (n) => n + 1,
    (n) => Math.max(1, Math.round(n / 20)),
    (n) => n * 0.8,
    () => 1,
  ];
  return changes.flatMap((change): readonly unknown[] => {
    const apply = (n: number): readonly number[] => {
      const changed = change(n);
      return [changed, Math.round(changed)];
    };
    if (typeof value === 'number') return apply(value);
    const text = String(value);
    return [0, 1].map((at) =>
      text.replace(NUMBER, (digits) => String(apply(Number(digits.replace(/[_,]/g, '')))[at])),
    );
  });
}

/** The policy with another value; null where it cannot be used. */
function planWith(policy: Policy, path: string, value: unknown): PlannedPolicy | null {
  try {
    return planPolicy(policy, { [path]: value });
  } catch (error) {
    if (error instanceof CcbenchError) return null;
    throw error;
  }
}

describe('every number of a peer', () => {
  it.each(PEERS)('C39 changes the log of some run: %s', (name) => {
    const policy = policyRegistry.get(name);
    const runs = SITUATIONS.map(
      ([transcript, init]) =>
        new LogCompare(planOf({ ...init, model: 'claude-sonnet-4-5', policy: name }), transcript),
    );
    const isChanged = (plans: readonly PlannedPolicy[]): boolean =>
      runs.some((run) => plans.some((changed) => run.isChangedBy({ ...run.plan, policy: changed })));
    const matters = (path: string, value: unknown): boolean => {
      const plans = [...new Set(others(value))].flatMap((other) => planWith(policy, path, other) ?? []);
      // What matters mostly shows with the value that differs most, in some situation: all of them see that one first. One that is
      // explained sees no other: it stands for the many values that change nothing.
      return isChanged(plans.slice(0, 1)) || (!(`${name} ${path}` in EXPLAINED) && isChanged(plans.slice(1)));
    };
    const numbers = policyValues(policy.written!).filter(
      ({ path, value }) => /\d/.test(String(value)) && !/\.(?:model|of|except)\b/.test(path),
    );
    const idle = numbers.flatMap(({ path, value }) => (matters(path, value) ? [] : [`${name} ${path}`]));
    expect(idle).toEqual(Object.keys(EXPLAINED).filter((key) => key.startsWith(`${name} `)));
  });
});
