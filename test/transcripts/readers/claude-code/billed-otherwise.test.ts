import { describe, expect, it } from 'vitest';
import { modelOrUnknown } from '../../../../src/provider/prices/models.js';
import { NEWEST, priceUsage } from '../../../../src/provider/prices/price.js';
import { assistant, type Fields, readSession, say, usage, user } from '../../../helpers/session.js';

/** A session of one response in two lines whose usage says something besides its counts, and of a usual one. */
function sessionOf(said: Fields, model: string) {
  const counts = { ...usage(100, 0, 2_000, 50), ...said };
  return readSession([
    user('u1', 0, 'go'),
    assistant('a1', 4, 'm1', say('x'), { model, usage: counts }),
    assistant('a2', 5, 'm1', say('y'), { model, usage: counts }),
    user('u2', 6, 'on'),
    assistant('a3', 9, 'm2', say('z'), { model, usage: usage(10, 2_000, 60, 5) }),
  ]);
}

function warnedOf(said: Fields, model = 'claude-opus-5'): readonly (readonly [string, number])[] {
  const { warnings } = sessionOf(said, model);
  return warnings.filter(({ code }) => code.startsWith('billed-')).map(({ code, count }) => [code, count]);
}

/** What its two responses cost, in billionths of a dollar. */
function costsOf(said: Fields, model = 'claude-opus-5'): readonly number[] {
  return sessionOf(said, model)
    .threads[0]!.steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []))
    .map((call) => priceUsage(modelOrUnknown(call.model), call.usage!, NEWEST).totalNano);
}

// api.md §1.8: fast mode, `inference_geo: us` and batches have prices of their own, and they stack; `iterations` are billed
// beside the counts at the top.
describe('a response that costs something else than its counts at the list price', () => {
  // Opus 5, dollars per million tokens: 5 input, 10 written for an hour, 25 output; in fast mode twice as much.
  const [first, second] = [
    100 * 5_000 + 2_000 * 10_000 + 50 * 25_000,
    10 * 5_000 + 2_000 * 500 + 60 * 10_000 + 5 * 25_000,
  ];

  it.each<[string, Fields, number]>([
    ['fast mode', { speed: 'fast' }, 2],
    ['the United States', { inference_geo: 'us' }, 1.1],
    ['a batch', { service_tier: 'batch' }, 0.5],
    ['two of them', { speed: 'fast', inference_geo: 'us' }, 2.2],
  ])('is priced at its tariff: %s', (_what, said, factor) => {
    const [own, usual] = costsOf(said);
    expect(own).toBeCloseTo(first * factor, 3);
    expect(usual).toBe(second);
    expect(warnedOf(said)).toEqual([]);
  });

  it.each<[string, Fields, string?]>([
    ['fast', { speed: 'fast' }, 'claude-sonnet-5'],
    ['us', { inference_geo: 'us' }, 'nobody-knows'],
    ['priority', { service_tier: 'priority' }],
    ['iterations', { iterations: [{ type: 'compaction', input_tokens: 100_000 }, { type: 'message' }] }],
  ])('is reported once where its price is not known: %s', (kind, said, model) => {
    expect(warnedOf(said, model)).toEqual([[`billed-${kind}`, 1]]);
  });

  it('is none where everything is as usual', () => {
    const usual = {
      speed: 'standard',
      inference_geo: 'not_available',
      service_tier: 'standard',
      iterations: [{ type: 'message', input_tokens: 100 }],
    };
    expect(warnedOf(usual)).toEqual([]);
    expect(warnedOf({ inference_geo: '', iterations: [] })).toEqual([]);
    expect(costsOf(usual)).toEqual([first, second]);
  });
});
