import { describe, expect, it } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { resolvePolicy } from '../../../src/agent/policies/plan-policy.js';
import { policyWindow } from '../../../src/agent/policies/policy-window.js';
import { policyThresholds } from '../../../src/agent/policies/shown-limits.js';
import type { ParamValues } from '../../../src/core/run/params.js';

const SHORT = 'claude-sonnet-4-5'; // 200,000, takes the beta
const LONG = 'claude-opus-4-6'; // 1,000,000
const SPARK = 'gpt-5.3-codex-spark'; // 128,000

const KNOWING: ParamValues = { 'window.models': 'capability' };
const BETA: ParamValues = { ...KNOWING, 'window.beta1m': true };
const EXPLICIT: ParamValues = { ...KNOWING, 'window.explicit': 150_000 };

describe('the window that a policy believes in', () => {
  it.each([
    ['200,000 where nothing else answers', KNOWING, 'a-model-nobody-knows', {}, 200_000],
    ['R1: what the user set before the suffix', EXPLICIT, `${SHORT}[1m]`, { recorded: 90_000 }, 150_000],
    ['the suffix before all others', KNOWING, `${SHORT}[1m]`, { recorded: 90_000 }, 1_000_000],
    ['R1: what the user set before what is known of the model', EXPLICIT, LONG, {}, 150_000],
    ['what a recording proves before the beta', BETA, SHORT, { recorded: 272_000 }, 272_000],
    ['R1: what the user set before the beta', { ...EXPLICIT, ...BETA }, SHORT, {}, 150_000],
    ['the beta', BETA, SHORT, {}, 1_000_000],
    ['no beta that is not asked for', { ...KNOWING, 'window.beta1m': false }, SHORT, {}, 200_000],
    ['no beta that the model does not take', BETA, 'claude-opus-4-5', {}, 200_000],
    ['an override in the place of 200,000', EXPLICIT, SHORT, {}, 150_000],
    [
      'an override before a short window that a recording tells',
      EXPLICIT,
      SHORT,
      { recorded: 90_000 },
      150_000,
    ],
    ['a recorded window of exactly 200,000', KNOWING, SHORT, { recorded: 200_000 }, 200_000],
    ['a short window that a recording tells', KNOWING, LONG, { recorded: 90_000 }, 90_000],
    ['no short window of a model that a client does not know of', KNOWING, SPARK, {}, 200_000],
    ['200,000 by a client that goes by the suffix', { 'window.models': 'suffix-only' }, LONG, {}, 200_000],
  ] as const)('WIN-1 C27 %s', (_what, params, model, facts, expected) => {
    expect(policyWindow(params, model, facts)).toBe(expected);
  });
});

describe('windows that a user sets for a client that reads its settings (2.1.311)', () => {
  const windowOf = (set: ParamValues, model = LONG) =>
    policyWindow(
      {
        ...KNOWING,
        'window.settings': 'all',
        'window.explicit': null,
        'window.setting': null,
        'window.settingByModel': {},
        ...set,
      },
      model,
    );
  const ALL: ParamValues = { 'window.setting': 300_000 };
  const OWN: ParamValues = { ...ALL, 'window.settingByModel': { [LONG]: 400_000, [SHORT]: 150_000 } };

  it.each([
    ['the environment before the settings', { ...OWN, 'window.explicit': 500_000 }, LONG, 500_000],
    ['the settings of the model before those of all', OWN, LONG, 400_000],
    ['the settings of the model, named with a date', OWN, `${LONG}-20260101`, 400_000],
    ['the settings of all models', OWN, 'claude-opus-4-7', 300_000],
    ['none: the window of the model', {}, LONG, 1_000_000],
    ['100,000 where the environment says less: 200 for 200k', { 'window.explicit': 200 }, LONG, 100_000],
    ['no more than the model has: 460,000 of 200,000', { 'window.setting': 460_000 }, SHORT, 200_000],
  ] as const)('R1 %s', (_what, set, model, expected) => {
    expect(windowOf(set, model)).toBe(expected);
  });

  it('R1 a client before 2.1.311 takes what the environment says and reads no settings', () => {
    expect(policyWindow({ ...KNOWING, ...OWN, 'window.settings': 'environment' }, LONG)).toBe(1_000_000);
    expect(policyWindow({ ...EXPLICIT, 'window.explicit': 90_000 }, LONG)).toBe(90_000);
  });

  it.each(['claude-code/2.1.325', 'claude-code/2.1.299'])('R1 %s refuses settings out of range', (policy) => {
    const refusal = (set: Record<string, unknown>) => () => resolvePolicy(policy, set);
    const range = 'from 100000 to 1000000';
    expect(refusal({ 'window.setting': 99_999 })).toThrow(`window.setting must be a whole number ${range}`);
    expect(refusal({ 'window.setting': 1_000_001 })).toThrow(range);
    expect(refusal({ 'window.settingByModel': { [LONG]: 99_999 } })).toThrow(
      `window.settingByModel must be a table of names and numbers ${range}`,
    );
    expect(resolvePolicy(policy, { 'window.setting': 100_000 })['window.setting']).toBe(100_000);
  });

  it('R1 C39 earlier profiles have no such settings', () => {
    expect(() => resolvePolicy('claude-code/2.1.112', { 'window.setting': 100_000 })).toThrow(
      'has no effect',
    );
  });

  it('R1 C39 a setting behind the environment is refused', () => {
    const both = { 'window.setting': 300_000, 'window.explicit': 500_000 };
    expect(() => resolvePolicy('claude-code/2.1.299', both)).toThrow('window.explicit wins over it');
    expect(() => resolvePolicy('claude-code/2.1.299', { ...both, 'window.explicit': null })).not.toThrow();
  });

  it.each([
    [100_000, 67_000],
    [150_000, 117_000],
    [493_000, 460_000],
    [1_000_000, 967_000],
  ])('WIN-3 a setting of %i gives a trigger at %i: less 20,000 and 13,000', (window, trigger) => {
    const params = resolvePolicy('claude-code/2.1.299', { 'window.setting': window });
    const model = { name: LONG, window: policyWindow(params, LONG), maxOutput: 128_000 };
    expect(policyThresholds(policyRegistry.get('claude-code/2.1.299'), { params }, model).autoCompact).toBe(
      trigger,
    );
  });
});
