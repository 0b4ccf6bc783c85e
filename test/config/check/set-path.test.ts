import { describe, expect, it } from 'vitest';
import { parseAssignment, withoutVariants, withRecordings } from '../../../src/config/check/set-path.js';
import { readDocument } from '../../../src/config/files/document.js';
import { compileYaml, errorsOf, problemsOf, recorded, smallContext, synthetic } from '../compile-yaml.js';

const GAP = 'microcompact.timeBased.gapMinutes';

describe('--set', () => {
  it('changes keys of the scenario', () => {
    const { plan } = compileYaml(
      synthetic('cache: { fade: expected }'),
      'cache.ttl=1h',
      'model=claude-opus-4-5',
      'seed=9',
    ).runs[0]!;
    expect(plan).toMatchObject({ model: 'claude-opus-4-5', seed: 9, cache: { ttl: '1h', fade: 'expected' } });
  });

  it('reads values as YAML does', () => {
    const { plan } = compileYaml(
      recorded('model: claude-opus-4-5'),
      'model=null',
      'overrides.disableCompact=true',
    ).runs[0]!;
    expect(plan.model).toBeNull();
    expect(plan.policy.params['compact.enabled']).toBe(false);
  });

  it('takes a policy parameter by its own path, whichever way the policy is written', () => {
    for (const line of [
      'seed: 1',
      'policy: tidy',
      'policy: { use: tidy }',
      `policy: { set: { ${GAP}: 5 } }`,
    ]) {
      const { plan } = compileYaml(recorded(line), `${GAP}=30`).runs[0]!;
      expect(plan.policy.params[GAP]).toBe(30);
      expect(plan.policy.name).toBe(line.includes('tidy') ? 'tidy' : 'claude-code/2026');
    }
    expect(compileYaml(recorded(), `policy.set.${GAP}=31`).runs[0]!.plan.policy.params[GAP]).toBe(31);
  });

  it('keeps the settings of the policy where it names the one that the scenario has', () => {
    const written = recorded(`policy: { use: claude-code/2026, set: { ${GAP}: 5 } }`);
    const gapOf = (policy: string) =>
      compileYaml(written, `policy=${policy}`).runs[0]!.plan.policy.params[GAP];
    expect(gapOf('claude-code/2026')).toBe(5);
    expect(gapOf('tidy')).not.toBe(5);
  });

  it('reaches into lists', () => {
    const text = recorded(
      'llm: { faults: [{ call: compact, error: slow, nth: 1 }] }',
      'variants: [{ name: v }]',
    );
    const { runs } = compileYaml(text, 'llm.faults.0.nth=4', `variants.0.set.${GAP}=7`, 'expect.0=turns > 1');
    expect(runs[0]!.plan.llm.faults[0]!.nth).toBe(4);
    expect(runs[1]!.plan.policy.params[GAP]).toBe(7);
    expect(runs[0]!.expectations[0]!.text).toBe('turns > 1');
  });

  it('lets the last one win', () => {
    expect(compileYaml(recorded(), 'seed=2', 'seed=3').runs[0]!.plan.seed).toBe(3);
  });

  it('puts a recording, found from the working folder, in the place of a generated session', () => {
    expect(compileYaml(synthetic(), 'transcript.file=some/x.jsonl').runs[0]!.transcript).toMatchObject({
      kind: 'file',
      path: 'some/x.jsonl',
    });
  });

  it('suggests the nearest path', () => {
    expect(problemsOf(recorded(), 'cache.tll=1h')).toEqual([
      '--set cache.tll=1h: unknown setting "cache.tll"',
    ]);
    expect(errorsOf(recorded(), 'cache.tll=1h')[0]?.hint).toContain('did you mean "cache.ttl"?');
    expect(errorsOf(recorded(), 'microcompact.timeBased.gapMinute=1')[0]?.hint).toContain(
      `did you mean "${GAP}"?`,
    );
  });

  it('names the commands that list the settings, and those that begin alike, not hundreds of others', () => {
    const hintOf = (set: string) => errorsOf(recorded(), set)[0]?.hint;
    expect(hintOf('zzzzzz.zzzzzz=1')).toBe(
      'ccbench policies show <policy> lists the settings of a policy, ccbench schema the keys of a scenario',
    );
    expect(hintOf('cache.tll=1h')).toMatch(/; below cache: .*cache\.ttl/);
    expect(hintOf('cache.tll=1h')).not.toContain('transcript.');
  });

  it('reports a bad value at the option, together with the problems of the file', () => {
    const changes = ['cache.ttl=2h', `${GAP}=0`, 'seed', 'seed=', 'seed=*other'];
    expect(problemsOf(recorded('sede: 1'), ...changes)).toEqual([
      's.yaml:3:1: unknown key `sede`',
      '--set seed: "seed" is not path=value',
      '--set seed=: "seed=" has no value',
      '--set seed=*other: the value of "seed=*other" cannot be read',
      '--set cache.ttl=2h: `cache.ttl`: expected 5m, 1h or recorded, got "2h"',
      `--set ${GAP}=0: ${GAP} must be a whole number from 1 to 1440`,
    ]);
  });
});

describe('a path of --set', () => {
  it.each([
    ['cache.ttl', ['cache', 'ttl']],
    [' seed ', ['seed']],
    ['llm.faults.0.nth', ['llm', 'faults', 0, 'nth']],
    ['compact.enabled', ['policy', 'set', 'compact.enabled']],
    ['rules.compact.when.0.tokens', ['policy', 'set', 'rules.compact.when.0.tokens']],
    ['policy.rules.compact.when.tokens', ['policy', 'set', 'rules.compact.when.tokens']],
    ['policy.cache.ttl', ['policy', 'set', 'cache.ttl']],
    ['policy.set.auto.percent', ['policy', 'set', 'auto.percent']],
    ['variants.1.set.auto.percent', ['variants', 1, 'set', 'auto.percent']],
    ['variants.1.policy.set.auto.percent', ['variants', 1, 'policy', 'set', 'auto.percent']],
  ])('%s leads to %j', (text, path) => {
    expect(parseAssignment(`${text}=1`, smallContext)).toEqual({ path, value: 1 });
  });

  it.each(['cache.rules', 'policy.window', 'set', 'variants.0.set.', 'policy.set'])(
    '%s leads nowhere',
    (text) => {
      const problems = problemsOf(recorded('variants: [{ name: v }]'), `${text}=1`);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`--set ${text}=1: `);
    },
  );

  it('may add to the end of a list, and not beyond', () => {
    const text = recorded('expect: [turns > 1]');
    expect(compileYaml(text, 'expect.1=turns > 2').runs[0]!.expectations).toHaveLength(2);
    expect(problemsOf(text, 'expect.2=turns > 2')).toEqual([
      '--set expect.2=turns > 2: there is no position 2 in a list of 1',
    ]);
  });

  it('makes a group of what is given by name, and keeps what a group has', () => {
    const faulty = recorded('llm: { faults: [{ call: compact, error: slow, nth: 1 }] }');
    const { llm } = compileYaml(faulty, 'llm.fake.latencyScale=2').runs[0]!.plan;
    expect([llm.fake.latencyScale, llm.faults.length]).toEqual([2, 1]);
    expect(compileYaml(recorded('policy: tidy'), 'policy.use=none').runs[0]!.plan.policy.name).toBe('none');
  });

  it('must not replace what an earlier one has set, but may add to it', () => {
    expect(problemsOf(recorded(), 'cache.ttl=1h', 'cache={ fade: off }')).toEqual([
      '--set cache={ fade: off }: it replaces what --set cache.ttl=1h has set',
    ]);
    const { plan } = compileYaml(recorded(), 'cache={ fade: off }', 'cache.ttl=1h').runs[0]!;
    expect(plan.cache).toMatchObject({ fade: 'off', ttl: '1h' });
  });

  it('is of no use where there is no scenario', () => {
    expect(problemsOf('just a sentence', 'seed=1')).toEqual([
      expect.stringMatching(/^s\.yaml:1:1: expected a group of keys/),
    ]);
  });
});

describe('a scenario that is changed before it is read', () => {
  const read = (text: string) => readDocument(text, 's.yaml').document!;
  const document = read('name: a\nseed: 3\ntranscript: { file: x }\ntranscripts: []\nvariants: []\n');

  it('has the recordings that are given, each problem of theirs at the option', () => {
    const changed = withRecordings(document, ['y', 'z']);
    expect(changed.value).toEqual({ name: 'a', seed: 3, variants: [], transcript: { file: ['y', 'z'] } });
    for (const place of [changed.placeOf, changed.placeOfKey]) {
      expect(place(['transcript', 'file'])).toEqual({ file: '--transcripts' });
      expect(place(['seed'])).toMatchObject({ file: 's.yaml', line: 2 });
    }
    expect(withRecordings(document, undefined)).toBe(document);
    for (const text of ['[1]', '7', '~'])
      expect(withRecordings(read(text), ['y']).value).toEqual(read(text).value);
  });

  it('has its base alone', () => {
    expect(withoutVariants(document).value).not.toHaveProperty('variants');
    expect(withoutVariants(document).value).toHaveProperty('seed', 3);
    for (const text of ['[1]', '7', '~']) expect(withoutVariants(read(text)).value).toEqual(read(text).value);
  });
});
