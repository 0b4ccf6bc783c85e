import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { canonicalJson } from '../../src/core/base/digest.js';
import { compileYaml, problemsOf, recorded, smallContext, synthetic } from './compile-yaml.js';

const GAP = 'microcompact.timeBased.gapMinutes';
const KEEP = 'microcompact.timeBased.keepRecent';

function planOf(text: string, index = 0) {
  return compileYaml(text).runs[index]!.plan;
}

it('a fault is of a call from the first on', () => {
  const fault = (nth: number) =>
    synthetic(`llm: { faults: [{ call: main, error: overloaded, nth: ${nth} }] }`);
  expect(problemsOf(fault(1))).toEqual([]);
  expect(problemsOf(fault(0))).toHaveLength(1);
});

describe('defaults', () => {
  it('leaves model and lifetimes to a recording', () => {
    const plan = planOf(recorded());
    expect(plan.model).toBeNull();
    expect(plan.cache).toEqual({ mode: 'on', ttl: 'recorded', subagentTtl: 'recorded', fade: 'client' });
  });

  it('decides model and lifetimes for a generated session', () => {
    const plan = planOf(synthetic());
    expect(plan.model).toBe('claude-sonnet-4-5');
    expect(plan.cache).toEqual({ mode: 'on', ttl: '5m', subagentTtl: '5m', fade: 'client' });
  });

  it('E6 draws summaries around 4,400 tokens (12 K characters at 2.75 a token)', () => {
    expect(planOf(synthetic()).llm.fake.summaryTokens).toEqual({
      median: 4_400,
      p90: 6_500,
      min: 1_600,
      max: 9_000,
    });
  });

  it('has one plan for all transcripts of a kind, however many there are', () => {
    const { runs } = compileYaml(
      'name: a\ntranscripts: [{ file: x }, { file: y }, { synthetic: { workload: bugfix, turns: 3 } }]\nvariants: [{ name: v }]\n',
    );
    expect(runs.map(({ variant }) => variant)).toEqual([null, 'v', null, 'v', null, 'v']);
    expect(new Set(runs.map(({ plan }) => plan)).size).toBe(4);
    expect(runs[0]!.plan).toBe(runs[2]!.plan);
  });

  it('leaves nothing open in a plan', () => {
    const text = JSON.stringify(
      compileYaml(synthetic('llm: { faults: [{ call: compact, error: slow }] }')),
      (_key, value) => (value === undefined ? 'UNDEFINED' : value),
    );
    expect(text).not.toContain('UNDEFINED');
    expect(planOf(synthetic('llm: { faults: [{ call: compact, error: slow }] }')).llm.faults).toEqual([
      {
        call: 'compact',
        error: 'slow',
        nth: null,
        every: null,
        from: null,
        to: null,
        probability: null,
        gapTokens: null,
        retryAfterSeconds: null,
        delaySeconds: null,
      },
    ]);
  });

  it('gives the same plans byte for byte, whatever the order of keys', () => {
    const first = synthetic('model: claude-opus-4-5', 'seed: 7', 'cache: { ttl: 1h, fade: off }');
    const second = synthetic('cache: { fade: off, ttl: 1h }', 'seed: 7', 'model: claude-opus-4-5');
    expect(JSON.stringify(compileYaml(first))).toBe(JSON.stringify(compileYaml(first)));
    expect(JSON.stringify(compileYaml(second))).toBe(JSON.stringify(compileYaml(first)));
    expect(canonicalJson(planOf(first))).toBe(canonicalJson(planOf(second)));
  });
});

describe('transcripts', () => {
  it('finds recordings beside the scenario', () => {
    const runs = compileYaml(
      'name: a\ntranscripts:\n  - { file: [rec/x.jsonl, ../y.jsonl] }\n  - { file: /z.jsonl }\n',
    ).runs;
    expect(runs.map(({ transcript }) => transcript)).toEqual([
      {
        kind: 'file',
        path: 'rec/x.jsonl',
        written: 'rec/x.jsonl',
        place: { file: 's.yaml', line: 3, column: 14 },
      },
      {
        kind: 'file',
        path: '../y.jsonl',
        written: '../y.jsonl',
        place: { file: 's.yaml', line: 3, column: 27 },
      },
      { kind: 'file', path: '/z.jsonl', written: '/z.jsonl', place: { file: 's.yaml', line: 4, column: 13 } },
    ]);
  });

  it.each([
    ['x.jsonl', 'studies/one/x.jsonl'],
    ['./x.jsonl', 'studies/one/x.jsonl'],
    ['../x.jsonl', 'studies/one/../x.jsonl'],
    ['C:\\x.jsonl', 'C:\\x.jsonl'],
  ])('reads %s of a scenario in another folder as %s', (written, path) => {
    const text = `name: a\ntranscript: { file: '${written}' }\n`;
    const source = { text, file: 'studies/one/s.yaml', set: [] };
    expect(compileScenario(source, smallContext).runs[0]!.transcript).toMatchObject({ path, written });
  });

  it('wants one kind of transcript', () => {
    expect(problemsOf('name: a\n')).toEqual(['s.yaml:1:1: `transcript` is missing']);
    expect(problemsOf('name: a\ntranscript: {}\n')).toEqual([
      's.yaml:2:13: `transcript` takes `file` or `synthetic`; neither is there',
    ]);
    expect(problemsOf('name: a\ntranscript: { file: x, synthetic: { workload: bugfix } }\n')).toEqual([
      's.yaml:2:13: `transcript` takes `file` or `synthetic`; both are there',
    ]);
    expect(problemsOf(recorded('transcripts: [{ file: y }]'))).toEqual([
      's.yaml:3:14: use `transcript` for one or `transcripts` for several, not both',
    ]);
  });
});

describe('variants', () => {
  const base = [
    `policy: { use: tidy, set: { ${GAP}: 30 } }`,
    'cache: { ttl: 1h }',
    'llm: { fake: { summaryTokens: 6000 }, faults: [{ call: compact, error: slow }] }',
    'expect: [ apiCalls > 0 ]',
    'variants:',
  ];

  it('runs the base first, then each variant, for each transcript', () => {
    const text =
      'name: a\ntranscripts: [{ file: x }, { file: y }]\nvariants: [{ name: keep 3 }, { name: b }]\n';
    const order = compileYaml(text).runs.map((run) => [
      run.plan.name,
      run.variant,
      run.transcript.kind === 'file' && run.transcript.path,
    ]);
    expect(order).toEqual([
      ['a', null, 'x'],
      ['a/keep 3', 'keep 3', 'x'],
      ['a/b', 'b', 'x'],
      ['a', null, 'y'],
      ['a/keep 3', 'keep 3', 'y'],
      ['a/b', 'b', 'y'],
    ]);
  });

  it('keeps what a variant does not mention', () => {
    const { runs } = compileYaml(recorded(...base, '  - { name: same }'));
    expect({ ...runs[1]!.plan, name: 'a' }).toEqual(runs[0]!.plan);
    expect(runs[1]!.expectations).toEqual(runs[0]!.expectations);
  });

  it('merges groups key by key', () => {
    const plan = planOf(
      recorded(...base, '  - { name: v, cache: { fade: sampled }, llm: { fake: { notesTokens: 9 } } }'),
      1,
    );
    expect(plan.cache).toEqual({ mode: 'on', ttl: '1h', subagentTtl: 'recorded', fade: 'sampled' });
    expect(plan.llm.fake.summaryTokens).toEqual({ fixed: 6_000 });
    expect(plan.llm.fake.notesTokens).toEqual({ fixed: 9 });
    expect(plan.llm.faults).toHaveLength(1);
  });

  it('replaces lists', () => {
    const run = compileYaml(recorded(...base, '  - { name: v, llm: { faults: [] }, expect: [ turns < 5 ] }'))
      .runs[1]!;
    expect(run.plan.llm.faults).toEqual([]);
    expect(run.expectations.map((item) => item.text)).toEqual(['turns < 5']);
  });

  it('adds `set` to what the base has set', () => {
    const plan = planOf(recorded(...base, `  - { name: v, set: { ${KEEP}: 3 } }`), 1);
    expect(plan.policy.name).toBe('tidy');
    expect(plan.policy.params).toMatchObject({ [GAP]: 30, [KEEP]: 3 });
  });

  it('starts from the own numbers of a policy that the variant names', () => {
    const plan = planOf(recorded(...base, `  - { name: v, policy: none, set: { ${KEEP}: 3 } }`), 1);
    expect(plan.policy.name).toBe('none');
    expect(plan.policy.params).toMatchObject({ [GAP]: 60, [KEEP]: 3 });
  });

  it('lets a variant take back a model and a window', () => {
    const text = recorded(
      'model: claude-opus-4-5',
      'window: 100000',
      'variants: [{ name: v, model: null, window: null }]',
    );
    expect(planOf(text, 1)).toMatchObject({ model: null, window: null });
  });

  it('refuses two variants of one name, or of names that would share a folder', () => {
    expect(problemsOf(recorded('variants:', '  - name: b', '  - name: b', '  - name: B!'))).toEqual([
      's.yaml:5:11: two variants are called "b"',
      's.yaml:6:11: the variants "b" and "B!" would share a folder',
    ]);
  });

  it('checks the words of a variant at their own places', () => {
    expect(
      problemsOf(
        recorded('variants:', '  - name: v', '    policy: non', '    model: gpt', '    expect: [ x > 1 ]'),
      ),
    ).toEqual([
      's.yaml:5:13: unknown policy "non"',
      's.yaml:6:12: unknown model "gpt"',
      's.yaml:7:15: unknown metric "x"',
    ]);
  });

  it('refuses a parameter that is set twice', () => {
    const text = recorded(
      'variants:',
      `  - { name: v, policy: { set: { ${KEEP}: 3 } }, set: { ${KEEP}: 4 } }`,
    );
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^s\.yaml:4:\d+: `microcompact\.timeBased\.keepRecent` is set twice/),
    ]);
  });
});

describe('names and values of other parts', () => {
  it('points at a parameter out of range', () => {
    expect(problemsOf(recorded('policy:', '  set:', `    ${GAP}: 0`))).toEqual([
      `s.yaml:5:40: ${GAP} must be a whole number from 1 to 1440`,
    ]);
  });

  it('WIN-4 WIN-7 turns overrides into parameters', () => {
    const on = planOf(
      recorded('overrides: { autoCompactPercent: 60, disableCompact: true, disableAutoCompact: true }'),
    );
    expect(on.policy.params).toMatchObject({
      'auto.percent': 60,
      'compact.enabled': false,
      'auto.enabled': false,
    });
    const early = planOf(recorded('overrides: { autoCompactPercent: 0.5 }'));
    expect(early.policy.params['auto.percent']).toBe(0.5);
    const off = planOf(recorded('overrides: { autoCompactPercent: null, disableCompact: false }'));
    expect(off.policy.params).toMatchObject({
      'auto.percent': null,
      'compact.enabled': true,
      'auto.enabled': true,
    });
  });

  it('WIN-4 WIN-7 lets an override of a variant win over the parameter that the base sets', () => {
    const text = recorded(
      'policy: { use: tidy, set: { auto.percent: 40, compact.enabled: true, window.told: 90000 } }',
      'variants:',
      '  - { name: other, overrides: { autoCompactPercent: 75, disableCompact: true, contextWindow: 50000 } }',
    );
    expect(planOf(text).policy.params).toMatchObject({
      'auto.percent': 40,
      'compact.enabled': true,
      'window.told': 90_000,
    });
    expect(planOf(text, 1).policy.params).toMatchObject({
      'auto.percent': 75,
      'compact.enabled': false,
      'window.told': 50_000,
    });
  });

  it('WIN-1 tells the window of the model from the one the client assumes', () => {
    const short = planOf(recorded('window: 60000'));
    expect([short.window, short.policy.params['window.told']]).toEqual([60_000, null]);
    const told = planOf(recorded('overrides: { contextWindow: 50000 }'));
    expect([told.window, told.policy.params['window.told']]).toEqual([null, 50_000]);
  });

  it.each([
    ['min over median', { min: 6, median: 5, p90: 7, max: 8 }],
    ['median over p90', { min: 1, median: 5, p90: 4, max: 8 }],
    ['p90 over max', { min: 1, median: 5, p90: 9, max: 8 }],
  ])('refuses an amount with %s', (_what, amount) => {
    for (const key of ['summaryTokens', 'scratchpadTokens', 'notesTokens']) {
      expect(problemsOf(recorded(`llm: { fake: { ${key}: ${JSON.stringify(amount)} } }`))).toEqual([
        expect.stringContaining(`\`llm.fake.${key}\` must rise: min ≤ median ≤ p90 ≤ max`),
      ]);
      const equal = JSON.stringify({ min: 8, median: 8, p90: 8, max: 8 });
      expect(problemsOf(recorded(`llm: { fake: { ${key}: ${equal} } }`))).toEqual([]);
    }
  });

  it('refuses amounts that do not rise and faults that never strike', () => {
    const text = recorded(
      'llm:',
      '  fake: { summaryTokens: { median: 9, p90: 5, min: 1, max: 10 } }',
      '  faults:',
      '    - { call: main, error: slow, from: 5, to: 4 }',
      '    - { call: main, error: slow, nth: 5, every: 4 }',
    );
    expect(problemsOf(text).map((problem) => problem.slice(0, 40))).toEqual([
      's.yaml:4:26: `llm.fake.summaryTokens` mu',
      's.yaml:6:47: `llm.faults[0].to` comes be',
      's.yaml:7:39: `llm.faults[1].nth` names o',
    ]);
  });
});
