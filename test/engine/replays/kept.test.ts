import { describe, expect, it } from 'vitest';
import { metricValues } from '../../../src/metrics/registry.js';
import { replayAll, steady } from '../../agent/layers/baselines/replay-baseline.js';

const SUMMARY = 'llm: { fake: { summaryTokens: 500, scratchpadTokens: 0 } }\n';

describe('kept content', () => {
  it('is whole while nothing is taken out', () => {
    const text =
      'name: a\ntranscript: { synthetic: { workload: refactor, turns: 80, overrides: { thinkingShare: 0 } } }\npolicy: unbounded\n';
    for (const { main, facts } of replayAll(text)) {
      expect(new Set(main.map(({ kept }) => kept))).toEqual(new Set([1]));
      expect(facts.contentRetention).toBe(1);
    }
  });

  it('falls by what a placeholder stands for, and the placeholder itself is not kept content', () => {
    const [run] = replayAll(steady('baselines/mask', 5, 1_000), [
      'rules.mask.select.keep.last=2',
      'rules.mask.when.toolResults=3',
    ]);
    // Turn 4 would hold 1,100 + 3 × 1,000 and has one result masked; turn 5 two of four.
    expect(run!.main.map(({ kept }) => kept)).toEqual([
      1,
      1,
      1,
      Number((3_100 / 4_100).toFixed(6)),
      Number((3_100 / 5_100).toFixed(6)),
    ]);
    const mean = (3 + 3_100 / 4_100 + 3_100 / 5_100) / 5;
    expect(metricValues(run!.facts).contentRetention).toBeCloseTo(mean, 5);
  });

  it('does not count a summary, nor the request that asks for it', () => {
    const set = ['rules.summarise.when.turns=3', 'rules.summarise.select.keep.last=1 rounds'];
    const [run] = replayAll(steady('baselines/summarise', 4, 1_000, SUMMARY), set);
    expect(run!.main.at(-1)!.kept).toBe(Number((2_100 / 4_100).toFixed(6)));
    const compact = run!.entries.filter((entry) => entry.type === 'request' && entry.purpose === 'compact');
    expect(compact).toMatchObject([{ kept: null }]);
  });

  it('comes back with a resume where clearing was not part of the record', () => {
    const text = `name: a
transcript:
  synthetic:
    turns: 30
    prefixTokens: 1000
    text: none
    steady: { gapSeconds: 10, outputTokens: 0, resultTokens: 1000, promptTokens: 100 }
    idle: [{ afterTurn: 20, minutes: 90 }]
    resumeAt: [{ afterTurn: 25 }]
policy: claude-code/2026
`;
    const [run] = replayAll(text);
    const kept = run!.main.map((entry) => entry.kept);
    expect(kept[20]).toBeLessThan(0.5);
    expect(kept[25]).toBe(1);
  });

  it('MIC-3 leaves out what the server deleted, and so does the peak of the context', () => {
    const [run] = replayAll(steady('claude-code/2026', 18, 1_000), ['sessionMemory.enabled=false']);
    expect(run!.layers).toMatchObject([{ layer: 'microcompact', action: 'delete', saved: 7_000 }]);
    // Turn n holds 1,100 + (n − 1) × 1,000; from turn 13 on the first seven results are deleted on the server.
    const whole = (turn: number): number => 1_100 + (turn - 1) * 1_000;
    const turns = Array.from({ length: 18 }, (_, i) => i + 1);
    const shown = (turn: number): number => whole(turn) - (turn > 12 ? 7_000 : 0);
    expect(run!.main.map(({ kept }) => kept)).toEqual(
      turns.map((turn) => Number((shown(turn) / whole(turn)).toFixed(6))),
    );
    expect(run!.main.map(({ context }) => context)).toEqual(turns.map(shown));
    const mean = turns.reduce((sum, turn) => sum + shown(turn) / whole(turn), 0) / 18;
    expect(metricValues(run!.facts).contentRetention).toBeCloseTo(mean, 5);
    expect(metricValues(run!.facts).peakContextTokens).toBe(12_100);
  });
});
