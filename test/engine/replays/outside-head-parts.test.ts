import { describe, expect, it } from 'vitest';
import type { RecordedCall } from '../../../src/core/model/transcript.js';
import { OutsideHead } from '../../../src/engine/requests/client-state.js';
import { MODELS } from '../../../src/provider/prices/models.js';
import { numbered, prefixOf } from '../../helpers/cache-request.js';

const SOL = MODELS.resolve('gpt-5.6-sol');
const OTHER = MODELS.resolve('gpt-5.4');
/** Six blocks of a thousand tokens. */
const VIEW = prefixOf(numbered(6));

const call = (cacheRead: number | null, model = SOL.id): RecordedCall =>
  ({
    model,
    usage: cacheRead === null ? null : { input: 1, cacheRead, cacheWrite5m: 0, cacheWrite1h: 0, output: 1 },
  }) as RecordedCall;

function head(found: number | null, model?: string): OutsideHead {
  const outside = new OutsideHead();
  outside.begin(VIEW, call(found, model), { row: SOL, models: MODELS });
  return outside;
}

describe('the head of a prompt that others keep', () => {
  it('K11 is this many tokens as the recorded first request found, to the token', () => {
    expect([1, 999, 1_000, 1_001, 5_999, 6_000].map((found) => head(found).tokensIn(VIEW, SOL))).toEqual([
      1, 999, 1_000, 1_001, 5_999, 6_000,
    ]);
    // A prompt does not hold more than it is.
    expect(head(9_000).tokensIn(VIEW, SOL)).toBe(6_000);
    expect(head(2_500).tokensIn(prefixOf(numbered(40)), SOL)).toBe(2_500);
  });

  it('K11 is nothing where the first request found nothing, or nobody knows what it found', () => {
    expect([head(0), head(null)].map((outside) => outside.tokensIn(VIEW, SOL))).toEqual([0, 0]);
    const empty = new OutsideHead();
    empty.begin(prefixOf([]), call(500), { row: SOL, models: MODELS });
    expect(empty.tokensIn(VIEW, SOL)).toBe(0);
  });

  it('K11 is there for the model that was recorded alone', () => {
    expect(head(2_000).tokensIn(VIEW, OTHER)).toBe(0);
    expect(head(2_000, OTHER.id).tokensIn(VIEW, SOL)).toBe(0);
  });

  it('K11 ends where a prompt begins otherwise, and with the prompt', () => {
    const outside = head(4_000);
    expect(outside.tokensIn(prefixOf(numbered(2)), SOL)).toBe(2_000);
    const changed = prefixOf([...numbered(1), ['else', 1_000], ...numbered(4).slice(2)]);
    expect(outside.tokensIn(changed, SOL)).toBe(1_000);
    expect(outside.tokensIn(prefixOf([['else', 1_000]]), SOL)).toBe(0);
    expect(outside.tokensIn(prefixOf([]), SOL)).toBe(0);
  });

  it('K11 is told by the first request: later ones say nothing of it', () => {
    const outside = head(2_000);
    outside.begin(VIEW, call(5_000), { row: SOL, models: MODELS });
    expect(outside.tokensIn(VIEW, SOL)).toBe(2_000);
    const nothing = head(0);
    nothing.begin(VIEW, call(5_000), { row: SOL, models: MODELS });
    expect(nothing.tokensIn(VIEW, SOL)).toBe(0);
  });
});
