import { describe, expect, it } from 'vitest';
import { classOf, compareRequests, figuresOf, tally } from '../../../src/analysis/validate/compare.js';
import { predictRequests } from '../../../src/analysis/validate/predict.js';
import {
  fidelityPoints,
  readSaved,
  worseFigures,
  worstPoints,
} from '../../../src/analysis/validate/report.js';
import { recordedTruth } from '../../../src/analysis/validate/truth.js';
import { totalFidelity, validateTranscript } from '../../../src/analysis/validate/validate.js';
import { begun } from './recording.js';

describe('classes', () => {
  it.each([
    [90, 'full'],
    [89, 'partial'],
    [50, 'partial'],
    [49, 'miss'],
    [0, 'miss'],
  ])('a read of %i %% of the previous prefix is %s', (read, expected) => {
    expect(classOf(read, 100)).toBe(expected);
  });
});

/** Three requests behind the first: a hit, a break inside the lifetime, a hit after a minute. */
function recording() {
  return begun('2.0.64', undefined, { read: 10_000, write: 20_000 })
    .say('one', 20)
    .answer({ at: 25, read: 30_000, write: 1_000 })
    .say('two', 40)
    .answer({ at: 45, read: 10_000, write: 22_000, reason: 'tools_changed' })
    .say('three', 140)
    .answer({ at: 145, read: 32_000, write: 1_000 })
    .read();
}

describe('figures', () => {
  it('follow by arithmetic from reads, writes and prices', () => {
    const transcript = recording();
    const truth = recordedTruth(transcript);
    const prompts = new Map([
      ['main#1', 31_000],
      ['main#2', 33_000],
      ['main#3', 32_000],
    ]);
    const sums = tally(compareRequests(truth, predictRequests(transcript, truth, 'none'), prompts));
    const figures = figuresOf([sums]);
    expect(figures.classAgreement).toBeCloseTo(2 / 3);
    expect(figures.classAgreementOver60s).toBe(1);
    expect(figures.promptError).toBeCloseTo(2_000 / 96_000);
    expect(figures.readError).toBeCloseTo(21_000 / 72_000);
    expect(figures.creationError).toBeCloseTo(21_000 / 24_000);
    // $5 a million: reads at a tenth, five-minute writes at 1.25.
    const recorded = 72_000 * 0.1 + 24_000 * 1.25;
    const predicted = 93_000 * 0.1 + 3_000 * 1.25;
    expect(figures.costErrorMedian).toBeCloseTo((recorded - predicted) / recorded);
    // what the predictions cost, alone and with the breaks that were to be expected
    const risky = figuresOf([{ ...sums, predictedNano: 80, hazardNano: 15, recordedNano: 100 }]);
    expect([risky.netError, risky.netErrorWithHazard]).toEqual([-0.2, -0.05]);
  });

  it('pool requests and tokens over files, and take cost by file', () => {
    const one = tally([]);
    expect(figuresOf([one])).toEqual({
      classAgreement: null,
      classAgreementOver60s: null,
      promptError: null,
      readError: null,
      creationError: null,
      costErrorMedian: null,
      costErrorP75: null,
      costErrorP90: null,
      costErrorMax: null,
      costErrorWorst: null,
      netError: null,
      netErrorWithHazard: null,
      netUsd: 0,
      recallNotFull: null,
      falseAlarms: 0,
    });
    const some = { ...one, requests: 60, agreeing: 54, recordedNano: 100, predictedNano: 103 };
    const few = { ...one, requests: 40, agreeing: 40, recordedNano: 100, predictedNano: 150 };
    const both = figuresOf([some, few]);
    expect(both.classAgreement).toBeCloseTo(0.94);
    expect(both.costErrorMedian).toBeCloseTo((0.03 + 0.5) / 2);
    expect(both.costErrorMax).toBeCloseTo(0.5);
    expect(both.costErrorP90!).toBeLessThanOrEqual(both.costErrorMax!);
    // Saved results are held against the worst of long files.
    expect(both.costErrorWorst).toBeCloseTo(0.03);
  });
});

describe('a validated recording', () => {
  const file = validateTranscript(recording(), 'three.jsonl');

  it('puts blind, given and the baseline side by side', () => {
    expect(file.requests).toBe(3);
    expect(file.figures.blind.classAgreement).toBeCloseTo(2 / 3);
    expect(file.figures.baseline.classAgreement).toBeCloseTo(2 / 3);
    expect(file.figures.given).toMatchObject({ classAgreement: 1, readError: 0, creationError: 0 });
    expect(totalFidelity([file, file])).toMatchObject({ requests: 6, unexplainedBreaks: 2 });
  });

  it('by model, has the median over sessions, not the error of all together', () => {
    const blind = file.comparisons.blind.map((each) => ({ ...each, predicted: each.request.usage }));
    const [model] = file.byModel.keys();
    const right = { ...file, byModel: new Map([[model!, tally(blind)]]) };
    const [own] = Object.values(totalFidelity([file, right, right]).byProvider.anthropic!.byModel);
    expect(own!.costErrorMedian).toBe(0);
    expect(own!.costErrorMax).toBeCloseTo(file.figures.blind.costErrorMedian!);
    expect(own!.netError).toBeCloseTo(file.figures.blind.netError! / 3);
  });

  it('names the requests furthest off with the cause and the recorded reason', () => {
    expect(worstPoints([file], 'blind', 5)).toMatchObject([
      {
        index: 2,
        predictedRead: 31_000,
        recordedRead: 10_000,
        cause: 'hit',
        recordedReason: 'tools_changed',
      },
    ]);
    expect(worstPoints([file], 'given', 5)).toEqual([]);
    expect(fidelityPoints(file, 'given').map((point) => point.cause)).toEqual(['hit', 'given-break', 'hit']);
  });

  it('is held against a saved result figure by figure', () => {
    const now = totalFidelity([file]);
    const saved = readSaved(JSON.stringify({ total: now }), 'saved.json');
    expect(worseFigures(saved, now)).toEqual([]);
    const better = { ...saved, given: { ...saved.given, readError: -0.1 } };
    expect(worseFigures(better, now)).toEqual([{ figure: 'given.readError', before: -0.1, now: 0 }]);
    const gone = { ...now, blind: { ...now.blind, classAgreement: null } };
    expect(worseFigures(saved, gone).map(({ figure }) => figure)).toEqual(['blind.classAgreement']);
    expect(() => readSaved('{}', 'saved.json')).toThrow(/not a saved result/);
    expect(() => readSaved('no json', 'saved.json')).toThrow(/not a saved result/);
  });
});
