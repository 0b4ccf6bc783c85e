import fc from 'fast-check';
import { expect, it } from 'vitest';
import { modelOrUnknown } from '../../../src/provider/prices/models.js';
import { NEWEST, priceByRead, priceUsage } from '../../../src/provider/prices/price.js';
import { forAll } from '../../helpers/for-all.js';

it('the price by what is read is that of the usage, to the billionth', () => {
  const tokens = fc.nat(400_000);
  forAll(
    fc.constantFrom('gpt-5.4', 'claude-sonnet-4-5', 'gemini-2.5-pro'),
    fc.record({
      input: tokens,
      cacheRead: tokens,
      cacheWrite5m: tokens,
      cacheWrite1h: tokens,
      output: tokens,
    }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (model, usage, share) => {
      const row = modelOrUnknown(model);
      const open = usage.input + usage.cacheRead;
      const cacheRead = Math.round(share * open);
      const read = { ...usage, cacheRead, input: open - cacheRead, output: 0 };
      expect(priceByRead(row, usage, NEWEST)(cacheRead)).toBe(priceUsage(row, read, NEWEST).totalNano);
    },
  );
});
