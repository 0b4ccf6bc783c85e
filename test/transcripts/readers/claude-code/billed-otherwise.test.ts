import { describe, expect, it } from 'vitest';
import { assistant, type Fields, readSession, say, usage, user } from '../../../helpers/session.js';

/** A session of one response in two lines whose usage says something besides its counts. */
function warnedOf(said: Fields): readonly (readonly [string, number])[] {
  const counts = { ...usage(100, 0, 2_000, 50), ...said };
  const { warnings } = readSession([
    user('u1', 0, 'go'),
    assistant('a1', 4, 'm1', say('x'), { usage: counts }),
    assistant('a2', 5, 'm1', say('y'), { usage: counts }),
    user('u2', 6, 'on'),
    assistant('a3', 9, 'm2', say('z'), { usage: usage(10, 2_000, 60, 5) }),
  ]);
  return warnings.filter(({ code }) => code.startsWith('billed-')).map(({ code, count }) => [code, count]);
}

// api.md §1.8: fast mode, `inference_geo: us` and batches have prices of their own, and they stack; `iterations` are billed
// beside the counts at the top.
describe('a response that costs something else than its counts at the list price', () => {
  it.each<[string, Fields]>([
    ['fast', { speed: 'fast' }],
    ['us', { inference_geo: 'us' }],
    ['batch', { service_tier: 'batch' }],
    ['priority', { service_tier: 'priority' }],
    ['iterations', { iterations: [{ type: 'compaction', input_tokens: 100_000 }, { type: 'message' }] }],
  ])('is reported once: %s', (kind, said) => {
    expect(warnedOf(said)).toEqual([[`billed-${kind}`, 1]]);
  });

  it('is reported with each of its reasons', () => {
    expect(warnedOf({ speed: 'fast', inference_geo: 'us' })).toEqual([
      ['billed-fast', 1],
      ['billed-us', 1],
    ]);
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
  });
});
