import { describe, expect, it } from 'vitest';
import { policyWindow } from '../../../src/agent/policies/policy-window.js';
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
