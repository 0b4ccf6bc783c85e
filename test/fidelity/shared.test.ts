import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quantile } from '../../src/base/stats.js';
import { recordedWindow } from '../../src/client/window.js';
import type { FidelityFigures } from '../../src/fidelity/compare.js';
import { traceHitRate, validateTraces } from '../../src/fidelity/traces.js';
import { totalFidelity, validateTranscript, WAYS } from '../../src/fidelity/validate.js';
import { rangeOf } from '../../src/fidelity/version-map.js';
import { fitShape, sampleWorkload } from '../../src/fidelity/workload-fit.js';
import { resolvePolicy } from '../../src/policies/catalogue.js';
import { thresholds } from '../../src/tiers/window/thresholds.js';
import { readClaudeCode } from '../../src/transcript/claude-code/read.js';
import { parseRequestTrace } from '../../src/transcript/request-trace/parse-request-trace.js';
import { generateTranscript } from '../../src/transcript/synthetic/generate-transcript.js';
import type { SessionShape } from '../../src/transcript/synthetic/shape.js';
import { sharedData } from '../helpers/shared.js';

const transcripts = sharedData
  .files('transcripts/claude-code')
  .map((path) => readClaudeCode(readFileSync(path), { id: basename(path) }));
const files = transcripts.map((transcript) => validateTranscript(transcript, transcript.id));
const total = totalFidelity(files);

/** Figures where more is better, and where less is. */
const AGREEMENTS = ['classAgreement', 'classAgreementOver60s'] as const;
const ERRORS = ['promptError', 'readError', 'creationError', 'costErrorMedian', 'costErrorWorst'] as const;

describe.skipIf(!sharedData.present)('the simulator against the shared recordings', () => {
  it('prices them when the unexplained breaks are given', () => {
    const { given } = total;
    expect(total.requests).toBeGreaterThan(1_600);
    expect(given.classAgreement).toBeGreaterThanOrEqual(0.995);
    expect(given.classAgreementOver60s).toBeGreaterThanOrEqual(0.97);
    expect(given.readError).toBeLessThanOrEqual(0.005);
    expect(given.costErrorMedian).toBeLessThanOrEqual(0.01);
    expect(given.costErrorWorst).toBeLessThanOrEqual(0.05);
  });

  it('gives as breaks no more than a few of the requests', () => {
    expect(total.unexplainedBreaks).toBeLessThanOrEqual(total.requests / 200);
  });

  it('beats the one-line rule blind, in every figure', () => {
    for (const name of AGREEMENTS) expect(total.blind[name]).toBeGreaterThan(total.baseline[name]!);
    for (const name of ERRORS) expect(total.blind[name]).toBeLessThan(total.baseline[name]!);
  });

  it('beats the published figures of the one-line rule blind', () => {
    expect(total.blind.classAgreement).toBeGreaterThan(0.988);
    expect(total.blind.classAgreementOver60s).toBeGreaterThan(0.945);
    expect(total.blind.readError).toBeLessThan(0.009);
    expect(total.blind.costErrorMedian).toBeLessThan(0.05);
  });

  it('predicts prompts to within 1 % from the ones before', () => {
    expect(total.blind.promptError).toBeLessThan(0.01);
    expect(total.given.promptError).toBeLessThan(0.01);
  });

  it('WIN-3 fires at the recorded automatic compactions and nowhere else', () => {
    const { recorded, matched, unrecorded } = total.triggers;
    expect(recorded).toBeGreaterThanOrEqual(10);
    expect(matched).toBeGreaterThanOrEqual(0.95 * recorded);
    expect(unrecorded).toBe(0);
  });

  it('WIN-3 lies below the size of the recorded automatic compactions of all versions', () => {
    const [header, ...rows] = sharedData.read('derived/compaction-events.csv').toString().trim().split('\n');
    const names = header!.split(',');
    const events = rows
      .map((row) => Object.fromEntries(row.split(',').map((cell, i) => [names[i]!, cell])))
      .filter((event) => event.kind === 'compact_boundary' && event.trigger === 'auto');
    const reached = events.filter((event) => {
      const window = recordedWindow(event.model!, Number(event.preTokens), event.version!)!;
      const params = resolvePolicy(rangeOf(event.version!).profile, {});
      return Number(event.preTokens) >= thresholds(params, window).autoCompact!;
    });
    expect(events.length).toBeGreaterThan(80);
    expect(reached.length / events.length).toBeGreaterThanOrEqual(0.95);
  });

  it('does not get worse when any one recording is left out', () => {
    for (const left of files) {
      const rest = totalFidelity(files.filter((file) => file !== left));
      expect(rest.given.classAgreement, left.file).toBeGreaterThanOrEqual(0.995);
      expect(rest.given.costErrorWorst, left.file).toBeLessThanOrEqual(0.05);
      expect(rest.blind.classAgreement, left.file).toBeGreaterThan(rest.baseline.classAgreement!);
      expect(rest.blind.readError, left.file).toBeLessThan(rest.baseline.readError!);
    }
  });

  it('docs/fidelity.md states these figures', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/fidelity.md'), 'utf8');
    for (const way of WAYS) expect(page).toContain(figureRow(way, total[way]));
    const { recorded, matched } = total.triggers;
    expect(page).toContain(`${matched} of ${recorded}`);
  });
});

/** A row of the table in the documentation. */
function figureRow(way: string, figures: FidelityFigures): string {
  const cells = [...AGREEMENTS, ...ERRORS].map((name) => `${(figures[name]! * 100).toFixed(2)} %`);
  return `| ${way} | ${cells.join(' | ')} |`;
}

describe.skipIf(!sharedData.present)('the request traces', () => {
  it('E1 have the published hit rates within the sampling error', () => {
    const rates = sharedData
      .files('kv-cache-tester')
      .map((path) => traceHitRate(parseRequestTrace(readFileSync(path), { id: basename(path) })));
    const result = validateTraces(rates);
    expect(result.conversations).toBe(48);
    expect(result.minimum).toBeGreaterThanOrEqual(0.61);
    expect(result.statistics.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['median', 'within'],
      ['quartile', 'within'],
      ['mean', 'within'],
    ]);
  });
});

describe.skipIf(!sharedData.present)('a workload fitted to the shared recordings', () => {
  it('reproduces growth, gaps and sizes at p50, p90 and p99 within 10 %', () => {
    const recorded = sampleWorkload(transcripts);
    const overrides = fitShape(recorded);
    const generate = (seed: string, changes: Partial<SessionShape>) =>
      generateTranscript({
        workload: 'bugfix',
        turns: 60_000,
        seed,
        text: 'none',
        overrides: { ...overrides, ...changes },
      });
    const work = sampleWorkload([generate('one', {}), generate('two', {})]);
    const talk = sampleWorkload([generate('three', { callsPerPrompt: 1 })]);
    const pairs = {
      'growth of the prompt': [recorded.growthTokens, work.growthTokens],
      'gap between requests': [recorded.gapSeconds, work.gapSeconds],
      'size of a human prompt': [recorded.promptChars, talk.promptChars],
    } as const;
    for (const [name, [wanted, found]] of Object.entries(pairs)) {
      for (const share of [0.5, 0.9, 0.99]) {
        const off = quantile(found, share)! / quantile(wanted, share)!;
        expect(Math.abs(off - 1), `${name} at ${share}`).toBeLessThan(0.1);
      }
    }
  }, 120_000);
});
