import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  autoCompactEnabled,
  autoCompactThreshold,
  effectiveWindow,
  thresholds,
} from '../../../../src/agent/layers/thresholds/thresholds.js';
import { policyRegistry } from '../../../../src/agent/policies/catalogue.js';
import { planPolicy, resolvePolicy } from '../../../../src/agent/policies/plan-policy.js';
import { policyWindow } from '../../../../src/agent/policies/policy-window.js';
import { policyThresholds, shownLimits, shownStatus } from '../../../../src/agent/policies/shown-limits.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { forAll } from '../../../helpers/for-all.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../../helpers/plan.js';

/** A model of today: its longest answer is above what clients ask for. */
const MODEL = { window: 200_000, maxOutput: 64_000 };
const limitsOf = (policy: string, set: Record<string, unknown> = {}, window = MODEL.window) =>
  thresholds(resolvePolicy(policy, set), { ...MODEL, window });

/** What a client shows with this many tokens used. */
const shown = (policy: string, used: number, set: Record<string, unknown> = {}) =>
  shownStatus(shownLimits(policyRegistry.get(policy), { params: resolvePolicy(policy, set) }, MODEL)!, used);

describe('windows', () => {
  it('WIN-1 a client that goes by the suffix takes a long model for a short one', () => {
    const bySuffix = resolvePolicy('claude-code/2.1.7', {});
    expect(policyWindow(bySuffix, 'claude-opus-4-6')).toBe(200_000);
    expect(policyWindow(bySuffix, 'claude-opus-4-6[1m]')).toBe(1_000_000);
    const knowing = resolvePolicy('claude-code/2.1.112', {});
    expect(policyWindow(knowing, 'claude-opus-4-6')).toBe(1_000_000);
  });

  it('WIN-1 a policy file believes in the window of a short model, Claude Code does not', () => {
    const { params, rules: parts } = planPolicy(policyRegistry.get('peers/codex-remote'), {});
    expect(policyWindow(params, 'gpt-5.3-codex-spark', { rules: parts })).toBe(128_000);
    expect(policyWindow(params, 'gpt-5.3-codex-spark')).toBe(200_000);
    expect(policyWindow(params, 'gpt-5.3-codex-spark', { recorded: 90_000 })).toBe(90_000);
    expect(policyWindow(params, 'a-model-nobody-knows', { rules: parts })).toBe(200_000);
  });

  it.each([
    ['claude-code/2.0', 200_000],
    ['claude-code/2.1', 168_000],
    ['claude-code/2026', 180_000],
  ])('WIN-2 the effective window of %s is %i', (policy, effective) => {
    expect(limitsOf(policy).effective).toBe(effective);
  });

  it.each([
    ['claude-code/2.0', 8_192, null, 200_000],
    ['claude-code/2.1', 8_192, null, 191_808],
    ['claude-code/2.1', 32_000, null, 168_000],
    ['claude-code/2.1', 64_000, null, 168_000],
    ['claude-code/2.1', 8_192, 64_000, 136_000],
    ['claude-code/2.1', null, null, 168_000],
    ['claude-code/2026', 8_192, null, 191_808],
    ['claude-code/2026', 64_000, null, 180_000],
    ['claude-code/2026', 64_000, 8_192, 191_808],
  ])(
    'WIN-2 C25 %s, a model of %s, %s set: the effective window is %i',
    (policy, maxOutput, set, effective) => {
      const params = resolvePolicy(policy, { 'window.maxOutput': set });
      expect(effectiveWindow(params, { window: 200_000, maxOutput })).toBe(effective);
    },
  );
});

describe('the reserve in a replay', () => {
  /** The size by usage and characters at which a session of a model compacts first; null when it never does. */
  function firesAt(model: string, set: Record<string, unknown> = {}, tokens = 178_808): number | null {
    const talk = new Conversation({ model, toolsTokens: 20_000, systemTokens: 3_000 }).human(100);
    const rest = tokens - 23_100 - 20 * 2;
    talk.tools([{ tool: 'Task', tokens: 50_000 }]).tools([{ tool: 'Task', tokens: rest - 50_000 }]);
    const quiet = { 'sessionMemory.enabled': false, 'microcompact.token.enabled': false, ...set };
    const plan = planOf({ policy: 'claude-code/2.1', set: quiet });
    const [first] = ofType(runLog(plan, talk.answer(10).transcript()), 'layer');
    return first?.estimatedBefore ?? null;
  }

  it('C25 claude-code/2.1 compacts at 178,808 on claude-3-5-haiku, whose answers have at most 8,192 tokens', () => {
    expect(firesAt('claude-3-5-haiku')).toBe(178_808);
    expect(firesAt('claude-3-5-haiku', {}, 178_807)).toBeNull();
  });

  it('C25 at 155,000 where the client caps the answer at 32,000', () => {
    expect(firesAt('claude-sonnet-4-5', {}, 155_000)).toBe(155_000);
    expect(firesAt('claude-sonnet-4-5', {}, 154_999)).toBeNull();
  });

  it('C25 a maximal output of the scenario overrides both: 64,000 gives 123,000', () => {
    const set = { 'window.maxOutput': 64_000 };
    expect(firesAt('claude-sonnet-4-5', set, 123_000)).toBe(123_000);
    expect(firesAt('claude-3-5-haiku', set, 123_000)).toBe(123_000);
    expect(firesAt('claude-sonnet-4-5', set, 122_999)).toBeNull();
    expect(firesAt('claude-sonnet-4-5', { 'window.maxOutput': 8_192 })).toBe(178_808);
  });
});

describe('the order of WIN-1 in a replay', () => {
  const talk = (model: string) => {
    const conversation = new Conversation({ model }).human(100);
    for (let i = 0; i < 4; i++) conversation.tools([{ tool: 'Task', tokens: 60_000 }]);
    return conversation.answer(10).transcript();
  };
  /** The threshold of the first compaction; null when there is none. */
  const threshold = (model: string, set: Record<string, unknown>, policy = 'claude-code/2.1.112') => {
    const entries = logFor({ policy, set: { 'storage.enabled': false, ...set } }, talk(model));
    expect(ofType(entries, 'refused')).toEqual([]);
    const [first] = ofType(entries, 'layer');
    return first === undefined ? null : (first.details.threshold as number);
  };

  it('R1 a window set by the user comes before the suffix and what the client knows of the model', () => {
    const set = { 'window.explicit': 100_000 };
    expect(threshold('claude-sonnet-4-5', set)).toBe(67_000);
    expect(threshold('claude-opus-4-6', set)).toBe(67_000);
    expect(threshold('claude-sonnet-4-5[1m]', set)).toBe(67_000);
    expect(threshold('claude-opus-4-6', {})).toBeNull();
    expect(threshold('claude-sonnet-4-5[1m]', {})).toBeNull();
    // A client that goes by the suffix alone knows nothing of the model: 100,000 − 32,000 − 13,000.
    const quiet = { ...set, 'microcompact.token.enabled': false };
    expect(threshold('claude-opus-4-6', quiet, 'claude-code/2.1.7')).toBe(55_000);
  });

  it('C27 R1 the 1M beta comes behind it, where the model takes it: 255,100 tokens are neither refused nor compacted', () => {
    const set = { 'window.beta1m': true };
    expect(threshold('claude-sonnet-4-5', set)).toBeNull();
    expect(threshold('claude-sonnet-4-5', { ...set, 'window.explicit': 100_000 })).toBe(67_000);
    expect(threshold('claude-sonnet-4-5', {})).toBe(167_000);
    expect(threshold('claude-opus-4-5', set)).toBe(167_000);
  });

  it('C27 the beta widens what the API takes under every policy', () => {
    const refused = (set: Record<string, unknown>) =>
      ofType(logFor({ policy: 'none', set }, talk('claude-sonnet-4-5')), 'refused').length;
    expect(refused({})).toBe(1);
    expect(refused({ 'window.beta1m': true })).toBe(0);
  });
});

describe('a model on which the client does not compact by itself', () => {
  it('WIN-5 warns below the effective window: 180,000 − 20,000', () => {
    const policy = 'claude-code/2.1.325';
    const limits = (name: string) =>
      policyThresholds(policyRegistry.get(policy), { params: resolvePolicy(policy, {}) }, { ...MODEL, name });
    expect(limits('claude-sonnet-4-5')).toMatchObject({
      autoCompact: null,
      warning: 160_000,
      error: 160_000,
    });
    expect(limits('claude-sonnet-4')).toMatchObject({ autoCompact: 167_000, warning: 147_000 });
  });
});

describe('thresholds of the analysed profiles in a 200 K window', () => {
  it.each([
    ['claude-code/2.0', 187_000, 167_000, null],
    ['claude-code/2.1', 155_000, 135_000, 165_000],
    ['claude-code/2026', 167_000, 147_000, 177_000],
  ])('WIN-3 WIN-5 WIN-6 %s: compacts at %i, warns at %i, blocks at %s', (policy, auto, warning, blocking) => {
    expect(
      policyThresholds(policyRegistry.get(policy), { params: resolvePolicy(policy, {}) }, MODEL),
    ).toMatchObject({
      window: 200_000,
      autoCompact: auto,
      warning,
      error: warning,
      blocking,
    });
    expect(shown(policy, auto)).toMatchObject({ percentLeft: 0 });
    expect(shown(policy, warning - 1)).toMatchObject({ warning: false, error: false });
    expect(shown(policy, warning)).toMatchObject({ warning: true, error: true });
  });

  it('WIN-3 offsets are distances from the limit: a 1 M window compacts at 967,000', () => {
    expect(limitsOf('claude-code/2026', {}, 1_000_000)).toMatchObject({
      effective: 980_000,
      autoCompact: 967_000,
      blocking: 977_000,
    });
    expect(limitsOf('claude-code/2.0', {}, 1_000_000).autoCompact).toBe(987_000);
  });

  it('WIN-5 percent left is rounded over the limit and never below 0', () => {
    const left = (used: number) => shown('claude-code/2026', used).percentLeft; // limit 167,000
    expect([0, 83_500, 165_330, 166_166, 166_164, 400_000].map(left)).toEqual([100, 50, 1, 0, 1, 0]);
  });

  it('WIN-5 with auto-compaction off the limit for display is the effective window', () => {
    const off = { 'autoCompact.enabled': false };
    expect(shown('claude-code/2026', 90_000, off)).toEqual({ percentLeft: 50, warning: false, error: false });
    expect(shown('claude-code/2026', 160_000, off)).toMatchObject({ warning: true, error: true });
    expect(shown('none', 179_999)).toEqual({ percentLeft: 10, warning: false, error: false });
    expect(shown('none', 180_000)).toMatchObject({ warning: true });
  });
});

describe('percentage override', () => {
  const at = (percent: number | null, policy = 'claude-code/2026') =>
    autoCompactThreshold(resolvePolicy(policy, { 'window.percent': percent }), MODEL);

  it('WIN-4 is a floored share of the effective window', () => {
    expect(at(50)).toBe(90_000);
    expect(at(33.3333)).toBe(59_999);
    expect(at(50, 'claude-code/2.1')).toBe(84_000);
  });

  it('WIN-4 C27 multiplies by p / 100, in that order: 29 % of 200,000 is 57,999', () => {
    expect(at(29, 'claude-code/2.0')).toBe(57_999);
    expect(at(30, 'claude-code/2.0')).toBe(60_000);
    // The replay goes by it: usage is 57,999 at the third call.
    const talk = (last: number) =>
      new Conversation()
        .human(100)
        .tools([{ tool: 'Task', tokens: last }])
        .tools([{ tool: 'Task', tokens: 10 }])
        .answer(10);
    const compacts = (last: number) =>
      ofType(
        logFor({ policy: 'claude-code/2.0', set: { 'window.percent': 29 } }, talk(last)),
        'layer',
      ).filter(({ action }) => action === 'compact').length;
    const below = 57_999 - 15_100 - 20 - 20;
    expect([compacts(below - 1), compacts(below)]).toEqual([0, 1]);
  });

  it('WIN-4 can only make compaction earlier', () => {
    expect(at(92)).toBe(165_600);
    expect(at(93)).toBe(167_000);
    expect(at(100)).toBe(167_000);
    forAll(fc.double({ min: 0.001, max: 100, noNaN: true }), (percent) => {
      expect(at(percent)).toBeLessThanOrEqual(167_000);
    });
  });

  it('WIN-4 null is none', () => {
    expect(at(null)).toBe(167_000);
  });

  it.each([0, -5, 100.01, 250])('WIN-4 %s would be ignored by the client, so it is refused', (percent) => {
    expect(() => at(percent)).toThrow(
      `window.percent must be a number above 0 and at most 100, or null; found ${percent}`,
    );
    const resolved = { ...resolvePolicy('claude-code/2026', {}), 'window.percent': percent };
    expect(autoCompactThreshold(resolved, MODEL)).toBe(167_000);
  });
});

describe('switches', () => {
  const enabled = (set: Record<string, unknown>, policy = 'claude-code/2026') =>
    autoCompactEnabled(resolvePolicy(policy, set));

  it('WIN-7 all three must allow automatic compaction', () => {
    expect(enabled({})).toBe(true);
    expect(enabled({ 'compact.enabled': false })).toBe(false);
    expect(enabled({ 'autoCompact.disabled': true })).toBe(false);
    expect(enabled({ 'autoCompact.enabled': false })).toBe(false);
  });

  const full = () =>
    new Conversation()
      .human(100)
      .tools([{ tool: 'Bash', tokens: 160_000 }])
      .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }))
      .answer(10);
  const compactions = (set: Record<string, unknown>) => {
    const entries = logFor({ policy: 'claude-code/2.1.112', set }, full());
    return ofType(entries, 'layer').filter((entry) => entry.action === 'compact');
  };

  it('WIN-7 all-disabled also stops manual compaction, auto-disabled does not', () => {
    const bash = { 'storage.enabled': false };
    expect(compactions({ ...bash, 'compact.enabled': false })).toEqual([]);
    expect(compactions({ ...bash, 'autoCompact.disabled': true })).toMatchObject([{ trigger: 'manual' }]);
    expect(compactions({ ...bash, 'autoCompact.enabled': false })).toMatchObject([{ trigger: 'manual' }]);
  });
});

describe('overshoot', () => {
  it('WIN-8 the check comes before each call, so one response may overshoot; the report says by how much', () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Read', tokens: 150_000 }])
      .tools([{ tool: 'Read', tokens: 10_000 }])
      .answer(10);
    const entries = logFor({ policy: 'claude-code/2.1.112' }, talk);
    // 15,000 prefix + 100 + 20 + 150,000 + 20 by usage, 10,000 newer by characters / 4.
    const seen = 165_140 + 10_000;
    expect(ofType(entries, 'layer')[0]).toMatchObject({
      turn: 3,
      estimatedBefore: seen,
      details: { threshold: 167_000, overshoot: seen - 167_000 },
    });
    expect(foldLog(entries).overshootTokens).toBe(seen - 167_000);
    expect(mainRequests(entries)).toHaveLength(3);
  });
});
