import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../../src/agent/policies/own-policy.js';
import { countTriggers, type TriggerReport } from '../../../src/analysis/validate/triggers.js';
import { validateTranscript } from '../../../src/analysis/validate/validate.js';
import { RecordingBuilder, toolUse } from './recording.js';

/** A session that grows by steps to the given prompts, with a compaction behind one of them. */
function growing(
  version: string,
  prompts: readonly number[],
  compactBehind: number | null,
  options: { readonly model?: string; readonly trigger?: 'auto' | 'manual' } = {},
): TriggerReport {
  const recording = new RecordingBuilder(version, options.model ?? 'claude-opus-4-5').say('go on', 0);
  for (const [i, prompt] of prompts.entries()) {
    const at = 10 + i * 10;
    recording
      .answer({ at, read: 20_000, write: prompt - 20_000, blocks: [toolUse(`t${i}`)] })
      .result(`t${i}`, 'ok', at + 5);
    if (i === compactBehind) recording.compact(at + 6, options.trigger ?? 'auto', prompt);
  }
  return validateTranscript(recording.read(), 'test').triggers;
}

describe('WIN-3 automatic compaction', () => {
  it.each([
    ['2.0.76', 155_100, 155_000, 'claude-code/2.0.76'],
    ['2.1.7', 155_100, 155_000, 'claude-code/2.1.7'],
    ['2.1.20', 155_100, 155_000, 'claude-code/2.1.7'],
    ['2.1.25', 167_100, 167_000, 'claude-code/2.1.112'],
    ['2.1.81', 167_100, 167_000, 'claude-code/2.1.112'],
  ])('%s fires where the recording compacted', (version, prompt, threshold, profile) => {
    const report = growing(version, [100_000, 140_000, prompt, 40_000], 2);
    expect(report.checks).toMatchObject([{ verdict: 'matched', threshold, profile, index: 3 }]);
    expect(report.checks[0]!.offTokens).toBeGreaterThanOrEqual(100);
    expect(report.unrecorded).toEqual([]);
  });

  it('is late where the profile would not have fired yet', () => {
    expect(growing('2.1.42', [100_000, 101_000, 102_000, 40_000], 2).checks).toMatchObject([
      { verdict: 'late', offTokens: expect.any(Number) },
    ]);
  });

  it('is early where the profile would have fired two requests before', () => {
    const prompts = [100_000, 168_000, 169_000, 170_000, 171_000, 40_000];
    expect(growing('2.1.42', prompts, 4).checks).toMatchObject([{ verdict: 'early', index: 5 }]);
  });

  it('counts a trigger that no compaction answers, and none in a session below the threshold', () => {
    const above = growing('2.1.42', [100_000, 168_000, 169_000, 170_000, 171_000], null);
    expect(countTriggers([above])).toEqual({
      recorded: 0,
      matched: 0,
      withinStep: 0,
      early: 0,
      late: 0,
      unrecorded: 1,
    });
    expect(growing('2.1.42', [100_000, 150_000, 166_000], null).unrecorded).toEqual([]);
  });

  it('does not ask about compactions by hand', () => {
    expect(growing('2.1.42', [100_000, 120_000, 40_000], 1, { trigger: 'manual' }).checks).toEqual([]);
  });

  it('predicts the next prompt and what of it is cached', () => {
    const [check] = growing('2.1.42', [100_000, 140_000, 167_100, 40_000], 2).checks;
    expect(check!.nextRead).toEqual({ predicted: 20_000, recorded: 20_000 });
    expect(check!.nextPrompt!.recorded).toBe(40_000);
  });

  it('does not ask about one that came 55 minutes into a pause, from 2.1.299 on', () => {
    const checked = (version: string, minutes: number) => {
      const recording = new RecordingBuilder(version, 'claude-opus-5-5').say('go on', 0);
      for (const [i, prompt] of [200_000, 300_000, 450_000].entries())
        recording
          .answer({ at: 10 + i * 10, read: 20_000, write: prompt - 20_000, blocks: [toolUse(`t${i}`)] })
          .result(`t${i}`, 'ok', 15 + i * 10);
      recording.answer({ at: 40, read: 450_000, write: 100 });
      recording.compact(40 + minutes * 60, 'auto', 450_100).say('back', 7_000);
      recording.answer({ at: 7_010, read: 0, write: 50_000 });
      return validateTranscript(recording.read(), 'test').triggers.checks;
    };
    expect(checked('2.1.300', 55)).toEqual([]);
    expect(checked('2.1.300', 50)).toMatchObject([{ verdict: 'late' }]);
    expect(checked('2.1.298', 55)).toMatchObject([{ verdict: 'late' }]);
  });

  it('K20 takes a compaction at the beginning of a file for its content', () => {
    const recording = new RecordingBuilder()
      .compact(0, 'auto', 167_100)
      .answer({ at: 5, read: 0, write: 40_000 });
    const file = validateTranscript(recording.read(), 'test');
    expect(file.triggers).toMatchObject({ checks: [], unchecked: 0 });
  });
});

describe('MIC-1 microcompaction', () => {
  function results(version: string, chars: number, micro: 'recorded' | 'silent' | 'none', read = 20_000) {
    const recording = new RecordingBuilder(version, 'claude-opus-4-5').say('go on', 0);
    for (let i = 0; i < 20; i++) {
      recording
        .answer({ at: 10 + i * 10, read, write: 20_000 + i * 5_200, blocks: [toolUse(`t${i}`)] })
        .result(`t${i}`, 'x'.repeat(chars), 15 + i * 10);
    }
    const ids = Array.from({ length: 13 }, (_, i) => `t${i}`);
    if (micro === 'recorded') recording.microcompact(206, ids);
    const after = micro === 'none' ? 120_000 : 60_000;
    recording.answer({ at: 210, read, write: after });
    return validateTranscript(recording.read(), 'test').triggers;
  }

  it('fires at 135,000 once the oldest results save 20,000', () => {
    expect(results('2.1.17', 20_800, 'recorded').checks).toMatchObject([
      { kind: 'microcompaction', verdict: 'matched', threshold: 135_000 },
    ]);
  });

  it('shows in the drop of the prompt where no line tells of it', () => {
    expect(results('2.1.17', 20_800, 'silent').checks).toMatchObject([
      { kind: 'microcompaction', verdict: 'matched', index: 20 },
    ]);
  });

  it('is told from a compaction that follows at once', () => {
    const recording = new RecordingBuilder('2.1.20', 'claude-opus-4-5').say('go on', 0);
    for (let i = 0; i < 20; i++) {
      recording
        .answer({ at: 10 + i * 10, read: 20_000, write: 20_000 + i * 5_200, blocks: [toolUse(`t${i}`)] })
        .result(`t${i}`, 'x'.repeat(i === 19 ? 80_000 : 20_800), 15 + i * 10);
    }
    recording
      .microcompact(206, ['t0', 't1', 't2', 't3'])
      .compact(207, 'auto', 158_000)
      .answer({ at: 215, read: 20_000, write: 30_000 });
    const { checks, unrecorded } = validateTranscript(recording.read(), 'test').triggers;
    expect(checks.map(({ kind, verdict }) => [kind, verdict])).toEqual([
      ['microcompaction', 'matched'],
      ['compaction', 'matched'],
    ]);
    expect(unrecorded).toEqual([]);
  });

  it('is late where the results are too small to be worth it', () => {
    expect(results('2.1.17', 400, 'recorded').checks).toMatchObject([{ verdict: 'late' }]);
  });

  it('is not asked for where the file begins in mid-session: not all of the results are known', () => {
    expect(results('2.1.17', 20_800, 'recorded', 80_000).checks).toEqual([]);
  });

  it('is not asked for in versions that do not record it', () => {
    expect(results('2.1.7', 20_800, 'silent').checks).toEqual([]);
  });
});

describe('the version map', () => {
  it.each([
    [null, 'claude-code/2.0.76'],
    ['1.0.98', 'claude-code/2.0.76'],
    ['2.1.5', 'claude-code/2.1.7'],
    ['2.1.20', 'claude-code/2.1.7'],
    ['2.1.21', 'claude-code/2.1.112'],
    ['2.1.174', 'claude-code/2.1.112'],
    ['2.1.217', 'claude-code/2.1.325'],
    ['2.1.298', 'claude-code/2.1.325'],
    ['2.1.299', 'claude-code/2.1.299'],
    ['2.1.325', 'claude-code/2.1.299'],
    ['2.2.0', 'claude-code/2.1.299'],
  ])('%s is spoken for by %s', (version, profile) => {
    expect(rangeOf(version).profile).toBe(profile);
  });
});

it('WIN-3 tells a count that reached the threshold from one that needs a mean step', () => {
  const reached = growing('2.1.42', [100_000, 140_000, 167_100, 40_000], 2);
  expect(countTriggers([reached])).toMatchObject({ matched: 1, withinStep: 0 });
  // Steps of 30,000 on average: 160,000 and another one would have crossed 167,000.
  const near = growing('2.1.42', [100_000, 130_000, 160_000, 40_000], 2);
  expect(countTriggers([near])).toMatchObject({ matched: 1, withinStep: 1 });
});
