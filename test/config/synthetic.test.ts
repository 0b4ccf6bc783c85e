import { describe, expect, it } from 'vitest';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { compileYaml, problemsOf } from './compile-yaml.js';

function withSynthetic(...lines: readonly string[]): string {
  return ['name: a', 'transcript:', '  synthetic:', ...lines.map((line) => `    ${line}`), ''].join('\n');
}

function specOf(text: string, run = 0) {
  const { transcript } = compileYaml(text).runs[run]!;
  if (transcript.kind !== 'synthetic') throw new Error('not synthetic');
  return transcript.spec;
}

describe('generated sessions', () => {
  it('fills in every default', () => {
    expect(specOf(withSynthetic('workload: refactor'))).toEqual({
      workload: 'refactor',
      turns: 200,
      seed: 1,
      model: 'claude-sonnet-4-5',
      idle: [],
      compactAt: [],
      endDreamAt: [],
      modelAt: [],
      resumeAt: [],
      prefixChangeAt: [],
      text: 'filler',
      overrides: {},
    });
  });

  it('passes on what is written, and the generator accepts it', () => {
    const spec = specOf(
      withSynthetic(
        'turns: 12',
        'idle: [{ afterTurn: 3, minutes: 75 }]',
        'compactAt: [{ afterTurn: 5, instructions: keep the plan }]',
        'modelAt: [{ afterTurn: 6, model: claude-opus-4-5 }]',
        'resumeAt: [{ afterTurn: 7 }]',
        'prefixChangeAt: [{ afterTurn: 8, what: tools }]',
        'prefixTokens: 20000',
        'text: none',
        'overrides: { outputTokens: 100, humanIdleSeconds: { p: [0, 1], v: [1, 9] }, toolWeights: { Read: 3, Grep: 0.5 } }',
        'subagents: { everyTurns: 4, turns: 2 }',
      ),
    );
    const [main] = generateTranscript(spec).threads;
    expect(main!.steps.filter((step) => step.kind === 'call')).toHaveLength(12);
    const events = main!.steps.flatMap((step) => (step.kind === 'event' ? [step.event.kind] : []));
    expect(events).toEqual(['manual-compact', 'model-switch', 'resume', 'prefix-change']);
  });

  it('is one session for all variants, made for the model of the base', () => {
    const text = `${withSynthetic('turns: 3')}variants: [{ name: v, model: claude-opus-4-5 }]\nseed: 5\n`;
    expect(specOf(text, 1)).toEqual(specOf(text, 0));
    expect(specOf(text).seed).toBe(5);
    expect(compileYaml(text).runs[1]!.plan.model).toBe('claude-opus-4-5');
  });

  it('checks turns, models, tools and sizes at their places', () => {
    const text = withSynthetic(
      'turns: 10',
      'resumeAt: [{ afterTurn: 11 }]',
      'modelAt: [{ afterTurn: 2, model: gpt }]',
      'subagents: { everyTurns: 2, turns: 2, model: gpt }',
      'overrides:',
      '  outputTokens: { p: [0, 0.5], v: [1, 2] }',
      '  toolWeights: { Raed: 2 }',
      'steady: { gapSeconds: 5, tokensPerTurn: 10, outputTokens: 20 }',
    );
    expect(problemsOf(text)).toEqual([
      's.yaml:5:29: `transcript.synthetic.resumeAt[0].afterTurn` is turn 11, but the session has 10',
      's.yaml:6:38: unknown model "gpt"',
      's.yaml:7:50: unknown model "gpt"',
      's.yaml:9:21: the distribution "outputTokens" is malformed: `p` must begin with 0 and end with 1',
      's.yaml:10:22: unknown tool "Raed"',
      's.yaml:11:13: the sizes of a steady session do not fit together',
    ]);
  });

  it('does not ask the generator about values that are wrong already', () => {
    const text = withSynthetic(
      'steady: { tokensPerTurn: 10 }',
      'overrides: { outputTokens: { p: [0], v: [x, 1] } }',
    );
    expect(problemsOf(text).map((problem) => problem.split(', got')[0])).toEqual([
      's.yaml:4:13: `transcript.synthetic.steady.gapSeconds` is missing',
      's.yaml:5:37: `transcript.synthetic.overrides.outputTokens.p`: expected a list of at least 2',
      's.yaml:5:46: `transcript.synthetic.overrides.outputTokens.v[0]`: expected a number from 0 to 10,000,000',
    ]);
  });
});
