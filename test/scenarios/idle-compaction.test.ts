import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { openRef } from '../../src/config/files/open-ref.js';
import { MS_PER_MINUTE } from '../../src/core/base/clock.js';
import type { RequestEntry } from '../../src/core/run/log-entries.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { mainRequests, ofType, runLog } from '../helpers/plan.js';

const FILE = resolve(import.meta.dirname, '../../scenarios/idle-compaction.yaml');
const { runs } = compileScenario({ text: readFileSync(FILE, 'utf8'), file: FILE, set: [] }, builtinContext);

function logOf(variant: string | null): readonly LogEntry[] {
  const run = runs.find((each) => each.variant === variant)!;
  return runLog(run.plan, openRef(run.transcript, { cwd: '.' }));
}

const LOGS = { on: logOf(null), off: logOf('off') };

/** The first request of each session behind its pause of 90 minutes. */
function firstBack(entries: readonly LogEntry[]): readonly RequestEntry[] {
  const previous = new Map<string, number>();
  return mainRequests(entries).filter(({ thread, t, latencyMs }) => {
    const gap = t - (previous.get(thread) ?? t);
    previous.set(thread, t + latencyMs);
    return gap > 80 * MS_PER_MINUTE;
  });
}

const cost = (entries: readonly LogEntry[]): number => ofType(entries, 'end')[0]!.cost;

describe('the published case of idle compaction (Codeman discussion 554)', () => {
  it('without it, six returns write 440,000 to 884,000 tokens each', () => {
    const written = firstBack(LOGS.off).map(({ write1h }) => write1h);
    expect(written).toHaveLength(6);
    expect(Math.min(...written)).toBeGreaterThanOrEqual(440_000);
    expect(Math.max(...written)).toBeLessThanOrEqual(884_000);
  });

  it('with it, they write 19,000 to 106,000', () => {
    const written = firstBack(LOGS.on).map(({ write1h }) => write1h);
    expect(written).toHaveLength(6);
    expect(Math.min(...written)).toBeGreaterThanOrEqual(19_000);
    expect(Math.max(...written)).toBeLessThanOrEqual(106_000);
  });

  it('all 13 come 54 to 56 minutes after the last reply, while the conversation is cached', () => {
    const requests = ofType(LOGS.on, 'request');
    const asked = requests.filter(({ purpose }) => purpose === 'compact');
    const minutes = asked.map(({ thread, t }) => {
      const before = requests.findLast(
        (each) => each.thread === thread && each.purpose === 'main' && each.t < t,
      )!;
      return (t - before.t - before.latencyMs) / MS_PER_MINUTE;
    });
    expect(minutes).toHaveLength(13);
    for (const each of minutes) expect(each).toBeCloseTo(54, 1);
    for (const { read, prompt } of asked) expect(read / prompt).toBeGreaterThan(0.9);
  });

  it('six returns pay for seven that never come: one in eighteen would do', () => {
    const idle = ofType(LOGS.on, 'layer').filter(({ trigger }) => trigger === 'idle');
    const unused = idle.filter(({ thread }) => thread.startsWith('left-'));
    expect(unused).toHaveLength(7);
    const wasted = unused.reduce((sum, each) => sum + each.cost, 0);
    const saved = cost(LOGS.off) - cost(LOGS.on);
    expect(saved).toBeGreaterThan(0);
    // What is read for a compaction is written by a return without one: $0.20 against $8 a million, and the summary at $20.
    const perUnused = wasted / unused.length;
    const perReturn = (saved + wasted) / (idle.length - unused.length);
    const share = perUnused / (perUnused + perReturn);
    expect(share).toBeGreaterThan(0.2 / 8);
    expect(share).toBeLessThan(1 / 16);
  });
});
