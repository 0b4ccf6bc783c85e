import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { durationMs } from '../../src/config/schema/schema-sessions.js';
import { ProblemList } from '../../src/core/base/errors.js';

function compile(text: string) {
  return compileScenario({ text, file: 's.yaml', set: [] }, builtinContext);
}

function problems(text: string): readonly string[] {
  try {
    compile(text);
  } catch (error) {
    if (error instanceof ProblemList)
      return error.problems.map(({ place, message, hint }) =>
        [`${place?.line}:${place?.column} ${message}`, ...(message.includes('earlier') ? [hint] : [])].join(
          '; ',
        ),
      );
    throw error;
  }
  return [];
}

const session = (name: string, rest = '') =>
  `  - { name: ${name}, transcript: { synthetic: { turns: 5 } }${rest} }\n`;

describe('sessions of a scenario', () => {
  it('become one transcript with starts, resumes and endings', () => {
    const text = `name: w\nsessions:\n${session('a')}${session('b', ', startsAfter: 18h, end: crashed')}${session('c', ', at: 2d 4h, resume: a')}${session('d', ', startsAfter: 90')}${session('e', ', startsAfter: 0.5')}`;
    const { runs } = compile(text);
    expect(runs).toHaveLength(1);
    const { transcript } = runs[0]!;
    if (transcript.kind !== 'sessions') throw new Error('no sessions');
    expect(
      transcript.sessions.map(({ name, start, resumes, ending }) => ({ name, start, resumes, ending })),
    ).toEqual([
      { name: 'a', start: { afterMs: 0 }, resumes: null, ending: 'clean' },
      { name: 'b', start: { afterMs: 18 * 3_600_000 }, resumes: null, ending: 'crashed' },
      { name: 'c', start: { atMs: 52 * 3_600_000 }, resumes: 'a', ending: 'clean' },
      { name: 'd', start: { afterMs: 90 * 60_000 }, resumes: null, ending: 'clean' },
      { name: 'e', start: { afterMs: 30_000 }, resumes: null, ending: 'clean' },
    ]);
    const specs = transcript.sessions.map((item) =>
      item.transcript.kind === 'synthetic' ? item.transcript.spec : null,
    );
    expect(new Set(specs.map((spec) => spec?.seed)).size).toBe(5);
    expect(new Set(specs.map((spec) => spec?.prefixSeed)).size).toBe(1);
    // E6: the median first prompt of the recordings.
    expect(new Set(specs.map((spec) => spec?.prefixTokens))).toEqual(new Set([34_700]));
  });

  it('work where they say: in a project and a checkout of it, else all in one', () => {
    const text = `name: w\nsessions:\n${session('a')}${session('b', ', project: api, checkout: left')}`;
    const { transcript } = compile(text).runs[0]!;
    if (transcript.kind !== 'sessions') throw new Error('no sessions');
    const [here, there] = transcript.sessions;
    expect(there).toMatchObject({ project: 'api', checkout: 'left' });
    expect(Object.keys(here!)).not.toEqual(expect.arrayContaining(['project']));
    expect(Object.keys(here!)).not.toEqual(expect.arrayContaining(['checkout']));
  });

  it('answer for their model and lifetimes where all are recordings, and for neither beside a generated one', () => {
    const recorded = (name: string) => `  - { name: ${name}, transcript: { file: ${name}.jsonl } }\n`;
    const planOf = (sessions: string) => compile(`name: w\nsessions:\n${sessions}`).runs[0]!.plan;
    const all = planOf(recorded('a') + recorded('b'));
    expect([all.model, all.cache.ttl]).toEqual([null, 'recorded']);
    const some = planOf(recorded('a') + session('b'));
    expect([some.model, some.cache.ttl]).toEqual([expect.any(String), '5m']);
  });

  it('understand durations', () => {
    expect(['90s', '1.5h', '2d 4h', '1h30m'].map(durationMs)).toEqual([
      90_000, 5_400_000, 187_200_000, 5_400_000,
    ]);
    expect(durationMs(2)).toBe(120_000);
  });

  it('the home goes into the plan; without one the plan has none', () => {
    const base = 'name: w\ntranscript: { synthetic: { turns: 5 } }\n';
    expect(compile(base).runs[0]!.plan).not.toHaveProperty('home');
    const home = 'home: { memories: 4, lock: { body: "12", hoursAgo: 30 } }\n';
    expect(compile(base + home).runs[0]!.plan.home).toEqual({
      memories: 4,
      files: [],
      lock: { body: '12', hoursAgo: 30, process: 'dead' },
    });
  });

  it.each([
    [
      'a list of recordings in one session',
      '  - { name: a, transcript: { file: [x.jsonl, y.jsonl] } }\n',
      '3:36 a session has one transcript, not a list of them',
    ],
    [
      'two of one name',
      `${session('a')}${session('a')}`,
      '4:13 two sessions are called "a": they would overlap',
    ],
    [
      'a resume of nobody',
      `${session('a')}${session('b', ', resume: c')}`,
      '4:65 no earlier session is called "c"; earlier sessions: a',
    ],
    [
      'a resume of a later one',
      `${session('a', ', resume: b')}${session('b')}`,
      '3:65 no earlier session is called "b"; there is no earlier session',
    ],
    ['a negative gap', session('a', ', startsAfter: -5'), /^3:70 .*startsAfter/],
    ['a gap that is none', session('a', ', startsAfter: soon'), /^3:70 .*a duration such as 18h/],
    [
      'both starts',
      session('a', ', startsAfter: 5, at: 5'),
      '3:77 a session starts `at` a time or `startsAfter` another, not both',
    ],
    ['an unknown ending', session('a', ', end: soon'), /^3:62 .*clean, killed or crashed/],
  ])('%s: refused with the place', (_, sessions, expected) => {
    const found = problems(`name: w\nsessions:\n${sessions}`);
    expect(found).toHaveLength(1);
    if (typeof expected === 'string') expect(found[0]).toBe(expected);
    else expect(found[0]).toMatch(expected);
  });

  it('stand in the place of transcripts, not beside them', () => {
    const [problem] = problems(`name: w\ntranscript: { synthetic: {} }\nsessions:\n${session('a')}`);
    expect(problem).toMatch(/^4:\d+ use `sessions`/);
  });

  it('more children than the limit are refused with the place; the limit can be raised', () => {
    const text = (children: number, more = '') =>
      `name: w\ntranscript:\n  synthetic:\n    turns: 9\n    forks:\n      - { afterTurn: 3, children: ${children}, turns: 1 }\n${more}`;
    expect(problems(text(33))).toEqual(['6:35 33 children of one turn are more than the limit of 32']);
    expect(problems(text(32))).toEqual([]);
    expect(problems(text(33, 'policy: { set: { agents.maxChildren: 40 } }\n'))).toEqual([]);
  });

  it('children of the last turn are refused: somebody has to take their results', () => {
    const text =
      'name: w\ntranscript:\n  synthetic: { turns: 9, forks: [{ afterTurn: 9, children: 1, turns: 1 }] }\n';
    expect(problems(text)[0]).toMatch(/^3:\d+ children of turn 9 need a turn after it/);
  });
});
