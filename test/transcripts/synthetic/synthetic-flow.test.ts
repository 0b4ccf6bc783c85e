import { describe, expect, it } from 'vitest';
import { countCalls } from '../../../src/core/model/transcript.js';
import {
  generateFlowing,
  generateTranscript,
} from '../../../src/transcripts/synthetic/generate-transcript.js';
import type { SyntheticSpec } from '../../../src/transcripts/synthetic/spec.js';

const SPECS: readonly (readonly [string, SyntheticSpec])[] = [
  ['a drawn session', { workload: 'refactor', turns: 120, seed: 3, idle: [{ afterTurn: 50, minutes: 75 }] }],
  [
    'a steady one',
    { workload: 'refactor', turns: 40, seed: 1, steady: { gapSeconds: 20, tokensPerTurn: 900 } },
  ],
];

describe('a session that is made while it is taken', () => {
  it.each(SPECS)('has the steps, the prefix and the calls of %s, each time', (_name, spec) => {
    const whole = generateTranscript(spec);
    const flowing = generateFlowing(spec, 1);
    const [thread] = flowing.threads;
    expect(thread?.flow).toBeDefined();
    for (let time = 0; time < 2; time++) expect([...thread!.flow!.steps()]).toEqual(whole.threads[0]!.steps);
    expect(thread!.prefix).toEqual(whole.threads[0]!.prefix);
    expect(countCalls(flowing)).toBe(countCalls(whole));
    expect({ ...thread! }).toEqual(whole.threads[0]);
  });

  it('is kept where other agents take part', () => {
    const spec = { workload: 'refactor', turns: 40, seed: 1, subagents: { everyTurns: 10, turns: 3 } };
    expect(generateFlowing(spec, 1)).toEqual(generateTranscript(spec));
  });
});
