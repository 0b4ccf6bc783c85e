import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';
import type { FaultRule } from '../../../src/core/run/run-plan.js';
import { createPromptCache } from '../../../src/provider/cache/prompt-cache.js';
import { levelSalts } from '../../../src/provider/cache/salts.js';
import { createFakeLlm, type LlmCall } from '../../../src/provider/fake-llm/fake-llm.js';
import { createFaultPlan } from '../../../src/provider/fake-llm/faults.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { mark5m, numbered, prefixOf } from '../../helpers/cache-request.js';
import { fault } from './build.js';

const model = resolveModel('claude-sonnet-4-5');

function call(given: Partial<LlmCall> = {}): LlmCall {
  return {
    purpose: 'compact',
    model,
    salts: levelSalts({ model }),
    view: prefixOf(numbered(10)),
    breakpoints: [mark5m(9)],
    startMs: 0,
    write: 'write',
    windowTokens: 200_000,
    deleted: null,
    outputTokens: 100,
    recordedLatencyMs: null,
    ...given,
  };
}

function llm(rules: readonly FaultRule[]) {
  return createFakeLlm(createPromptCache(), 1, createFaultPlan(rules, createRandom(1)));
}

describe('the fake LLM under faults', () => {
  it('gives back the error of the call that is hit and leaves nothing in the cache', () => {
    const fake = llm([fault('rate_limited', { nth: 1, retryAfterSeconds: 9 })]);
    expect(fake.call(call())).toMatchObject({
      ok: false,
      error: { status: 429, type: 'rate_limit_error' },
      promptTokens: 10_000,
      retryAfterSeconds: 9,
    });
    expect(fake.call(call({ startMs: 60_000 }))).toMatchObject({
      ok: true,
      fault: null,
      usage: { cacheRead: 0, cacheWrite5m: 10_000 },
    });
  });

  it('faults strike before the window is looked at', () => {
    const fake = llm([fault('overloaded', { nth: 1 })]);
    const tooLong = call({ windowTokens: 9_000 });
    expect(fake.call(tooLong)).toMatchObject({ ok: false, error: { status: 529 } });
    expect(fake.call(tooLong)).toMatchObject({
      ok: false,
      error: { status: 400, message: 'prompt is too long: 10000 tokens > 9000 maximum' },
      retryAfterSeconds: null,
    });
  });

  it('a fault of the answer is told with it, and the tokens are billed', () => {
    expect(llm([fault('empty_summary')]).call(call())).toMatchObject({
      ok: true,
      fault: { error: 'empty_summary' },
      usage: { cacheWrite5m: 10_000, output: 100 },
    });
  });

  it('a slow answer takes so much longer', () => {
    const plain = llm([]).call(call());
    const slow = llm([fault('slow', { delaySeconds: 45 })]).call(call());
    expect(slow.latencyMs - plain.latencyMs).toBe(45_000);
    const recorded = llm([fault('slow', { delaySeconds: 45 })]).call(call({ recordedLatencyMs: 1_000 }));
    expect(recorded.latencyMs).toBe(46_000);
  });
});
