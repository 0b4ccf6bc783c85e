import { describe, expect, it } from 'vitest';
import { evaluateExpectation, parseExpectation } from '../../src/metrics/expect.js';
import { foldLog } from '../../src/metrics/fold.js';
import { layerEntry, requestEntry } from '../helpers/log.js';

const PLACE = { file: 'a.yaml', line: 3, column: 5 };

describe('parseExpectation', () => {
  it.each([
    ['cacheHitRate >= 90%', 'cacheHitRate', '>=', 0.9],
    ['cacheHitRate>0.5', 'cacheHitRate', '>', 0.5],
    ['peakContextTokens < 167.5k', 'peakContextTokens', '<', 167_500],
    ['promptTokens <= 1.1M', 'promptTokens', '<=', 1_100_000],
    ['outputTokens != 1_000', 'outputTokens', '!=', 1000],
    ['  breakerTrips == 0 ', 'breakerTrips', '==', 0],
    ['costByCause.rewrite:ttl-5m < .5', 'costByCause.rewrite:ttl-5m', '<', 0.5],
    ['failures.prompt_too_long == 3', 'failures.prompt_too_long', '==', 3],
    ['estimatorRatio < 120%', 'estimatorRatio', '<', 1.2],
    ['cacheHitRate >= 0', 'cacheHitRate', '>=', 0],
    ['cacheHitRate == 100%', 'cacheHitRate', '==', 1],
  ])('reads %s', (text, metric, op, value) => {
    expect(parseExpectation(text, null)).toEqual({ text: text.trim(), metric, op, value });
  });

  it.each([
    '',
    'cacheHitRate',
    'cacheHitRate = 1',
    'cacheHitRate >= ',
    'cacheHitRate >= high',
    'costUsd < 5 USD',
    '>= 1',
  ])('refuses the shape of "%s" and shows the right one', (text) => {
    expect(() => parseExpectation(text, PLACE)).toThrow(
      expect.objectContaining({
        code: 'bad-value',
        place: PLACE,
        hint: expect.stringContaining('cacheHitRate >= 90%'),
      }),
    );
  });

  it.each([
    ['cacheHitrate >= 1', 'cacheHitRate'],
    ['costByCause.cary < 1', 'costByCause.carry'],
    ['layers.microcompact.save > 1', 'layers.microcompact.saved'],
  ])('suggests the nearest metric for %s', (text, near) => {
    expect(() => parseExpectation(text, PLACE)).toThrow(
      expect.objectContaining({
        code: 'unknown-name',
        place: PLACE,
        hint: expect.stringContaining(`"${near}"`),
      }),
    );
  });

  it('refuses values that can never be told from a slip', () => {
    expect(() => parseExpectation('cacheHitRate >= 90', null)).toThrow(
      expect.objectContaining({ code: 'bad-value', hint: 'did you mean 90%?' }),
    );
    for (const value of ['101%', '101', '-1%'])
      expect(() => parseExpectation(`cacheHitRate <= ${value}`, null)).toThrow(
        expect.objectContaining({ code: 'bad-value', hint: 'give a value from 0% to 100%' }),
      );
    expect(() => parseExpectation('apiCalls > 5%', null)).toThrow(
      expect.objectContaining({ hint: 'leave out the %' }),
    );
  });
});

describe('evaluateExpectation', () => {
  const facts = foldLog([
    requestEntry({ read: 90, input: 10, inputCost: 500_000_000 }),
    layerEntry({ layer: 'microcompact', action: 'clear', saved: 30 }),
  ]);
  const passed = (text: string): boolean => evaluateExpectation(parseExpectation(text, null), facts).passed;

  it('compares with each operator', () => {
    expect(
      ['>= 90%', '<= 90%', '== 90%', '< 91%', '> 89%', '!= 89%'].map((rest) =>
        passed(`cacheHitRate ${rest}`),
      ),
    ).toEqual(Array(6).fill(true));
    expect(
      ['> 90%', '< 90%', '!= 90%', '>= 91%', '<= 89%', '== 89%'].map((rest) =>
        passed(`cacheHitRate ${rest}`),
      ),
    ).toEqual(Array(6).fill(false));
  });

  it('tells what it found', () => {
    expect(evaluateExpectation(parseExpectation('costUsd == 0.5', null), facts)).toEqual({
      text: 'costUsd == 0.5',
      metric: 'costUsd',
      actual: 0.5,
      passed: true,
      message: 'costUsd is 0.5',
    });
    expect(passed('layers.microcompact.saved == 30')).toBe(true);
  });

  it('fails without data, whatever the operator', () => {
    for (const op of ['>=', '<=', '<', '>', '==', '!=']) {
      const result = evaluateExpectation(parseExpectation(`cacheHitRate ${op} 0.5`, null), foldLog([]));
      expect(result).toMatchObject({
        actual: null,
        passed: false,
        message: 'the run has no data for cacheHitRate',
      });
    }
  });
});
