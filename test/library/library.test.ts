import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as ccbench from '../../src/index.js';
import {
  CcbenchError,
  defineLayer,
  definePlugin,
  definePolicy,
  loadScenario,
  readTranscript,
  replay,
  runStudy,
  usePlugin,
} from '../../src/index.js';
import { cli, scenario, TRACE, tempFolder } from '../cli/cli.js';
import { ROOT } from '../helpers/architecture/tree.js';
import { needFreshBuild } from '../helpers/setup/built.js';

/** The names that programs may import: taking one away, or giving one another meaning, is a new major version. */
const SURFACE = [
  'CcbenchError',
  'ProblemList',
  'changeReport',
  'clearedBlock',
  'createBlock',
  'createMessage',
  'defineLayer',
  'definePlugin',
  'definePolicy',
  'loadScenario',
  'readTranscript',
  'replay',
  'runStudy',
  'sizeBefore',
  'usePlugin',
];

const TIER = {
  name: 'idle-layer',
  points: ['before-request'],
  create: () => ({ due: () => false, *act() {} }),
} as const;

describe('the library', () => {
  it('exports what its page names, and nothing else', () => {
    expect(Object.keys(ccbench).sort()).toEqual(SURFACE);
    const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
    expect(SURFACE.filter((name) => !page.includes(name))).toEqual([]);
  });

  it('is found by its name, with types', () => {
    const { exports, types } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(exports['.'].types).toBe(types);
    expect(Object.keys(exports)).toEqual([
      '.',
      './schema/*',
      './scenarios/*',
      './fixtures/*',
      './package.json',
    ]);
    expect(existsSync(join(ROOT, exports['.'].default))).toBe(true);
    expect(existsSync(join(ROOT, types))).toBe(true);
  });

  it('gives the same names to programs that import it and to those that require it', async () => {
    needFreshBuild();
    const built = join(ROOT, 'dist/index.js');
    expect(Object.keys(createRequire(import.meta.url)(built)).sort()).toEqual(SURFACE);
    const imported = await import(built);
    expect(SURFACE.filter((name) => imported[name] === undefined)).toEqual([]);
  });
});

describe('readTranscript', () => {
  it('gives the same of a file, a URL, a text and bytes', () => {
    const file = join(tempFolder({ 'hand.json': TRACE }), 'hand.json');
    const same = readTranscript(TRACE, { id: 'hand' });
    expect(same.threads[0]!.steps.filter(({ kind }) => kind === 'call')).toHaveLength(4);
    expect(readTranscript(file)).toEqual(same);
    expect(readTranscript(new URL(`file://${file}`))).toEqual(same);
    expect(readTranscript(new TextEncoder().encode(TRACE), { id: 'hand' })).toEqual(same);
  });

  it('says which file is missing', () => {
    expect(() => readTranscript('nowhere.jsonl')).toThrow(/nowhere\.jsonl: there is no file nowhere\.jsonl/);
  });
});

describe('replay', () => {
  it('gives the digest and the metrics of the command line', async () => {
    const cwd = tempFolder({ 's.yaml': scenario('s') });
    const { stdout } = await cli(['run', 's.yaml', '--json', '--no-files'], { cwd });
    const { digest, metrics } = JSON.parse(stdout);
    const { runs } = await loadScenario(join(cwd, 's.yaml'));
    const result = replay(runs[0]!.plan, runs[0]!.transcript());
    expect(result.digest).toBe(digest);
    expect(result.metrics).toMatchObject(metrics);
    expect(result.log[0]!.type).toBe('run');
  });

  it('tells every entry as it is made, and keeps none where they are not wanted', async () => {
    const { runs } = await loadScenario(scenario('s'));
    const kept = replay(runs[0]!.plan, runs[0]!.transcript());
    const heard: unknown[] = [];
    const dropped = replay(runs[0]!.plan, runs[0]!.transcript(), {
      log: 'dropped',
      onEntry: (entry) => heard.push(entry),
    });
    expect(heard).toEqual(kept.log);
    expect(dropped.log).toEqual([]);
    expect(dropped.digest).toBe(kept.digest);
    const fails = (): never => {
      throw new RangeError('of the caller');
    };
    expect(() => replay(runs[0]!.plan, runs[0]!.transcript(), { onEntry: fails })).toThrow(
      new RangeError('of the caller'),
    );
  });
});

describe('loadScenario', () => {
  it('reads policy files beside the scenario, and takes settings', async () => {
    const cwd = tempFolder({
      'mine.yaml':
        'name: mine\nrules:\n  - { name: cut, when: { messages: ">= 9" }, select: { what: history }, replace: { with: nothing } }\n',
      's.yaml': scenario('s', 'variants: [{ name: long, cache: { ttl: 1h } }]\n').replace(
        'none\nseed',
        './mine.yaml\nseed',
      ),
    });
    const { name, runs } = await loadScenario(join(cwd, 's.yaml'), { set: { seed: 9 } });
    expect(name).toBe('s');
    expect(runs.map(({ variant, plan }) => [variant, plan.policy.name, plan.seed, plan.cache.ttl])).toEqual([
      [null, 'mine', 9, '5m'],
      ['long', 'mine', 9, '1h'],
    ]);
  });

  it('takes an object for a text, and names its problems by path and hint', async () => {
    const given = {
      name: 'lunch',
      transcript: { synthetic: { workload: 'bugfix', turns: 20 } },
      policy: 'none',
      seed: 3,
    };
    const [ofObject, ofText] = await Promise.all([loadScenario(given), loadScenario(JSON.stringify(given))]);
    expect(ofObject.runs[0]!.plan).toEqual(ofText.runs[0]!.plan);
    await expect(loadScenario({ ...given, nam: 'x', policy: 'nonsense' })).rejects.toThrow(
      /unknown policy "nonsense"[\s\S]*unknown key `nam` \(did you mean `name`\?/,
    );
    for (const wrong of [null, 5, undefined])
      await expect(loadScenario(wrong as never)).rejects.toThrow(/^expected a path, a URL or a text$/);
  });

  it('lists every problem in one message', async () => {
    const wrong = scenario('s').replace('policy: none', 'policy: noone').replace('seed: 3', 'seed: three');
    await expect(loadScenario(wrong)).rejects.toThrow(/scenario\.yaml: 2 problems\n.*noone[\s\S]*seed/);
  });

  it('knows a policy that it is handed, and none of a name that is taken', async () => {
    const mine = definePolicy('{ name: mine, rules: [] }');
    const { runs } = await loadScenario(scenario('s').replace('none\n', 'mine\n'), { policies: [mine] });
    expect(runs[0]!.plan.policy.name).toBe('mine');
    const taken = definePolicy('{ name: none, rules: [] }');
    await expect(loadScenario(scenario('s'), { policies: [taken] })).rejects.toThrow(
      'another policy is already called "none"',
    );
  });
});

describe('what is defined', () => {
  it('as a policy is the same in YAML and as an object', () => {
    const rule = {
      name: 'cut',
      when: { messages: '>= 9' },
      select: { what: 'history' },
      replace: { with: 'nothing' },
    };
    const written = { name: 'mine', rules: [rule] };
    expect(definePolicy(JSON.stringify(written))).toEqual(definePolicy(written));
  });

  it('as a policy is refused with the path of each problem', () => {
    const wrong = () => definePolicy({ rules: [{ name: 'a', when: { tokens: '>= much' } }], guard: {} });
    expect(wrong).toThrow(CcbenchError);
    expect(wrong).toThrow(/rules\[0\]\.when\.tokens: /);
    expect(wrong).toThrow(/unknown key `guard`/);
    expect(() => definePolicy('rules: [')).toThrow(/the policy: 1 problem/);
  });

  it('as a layer has nothing left open', () => {
    expect(defineLayer(TIER)).toMatchObject({
      layer: 'rules',
      needs: [],
      params: [],
      killSwitch: 'idle-layer.enabled',
    });
    const wrong = { name: 'x', points: [], params: [{ path: 'flat' }] };
    expect(() => defineLayer(wrong as never)).toThrow(
      /points: expected at least one point[\s\S]*create: expected a function[\s\S]*params\[0\]\.path[\s\S]*`params\[0\]\.default` is missing/,
    );
  });

  it('as a plug-in is registered until it is removed, and is named in logs without a digest', async () => {
    const plugin = definePlugin({
      name: 'in-memory',
      layers: [TIER],
      policies: ['{ name: idle, layers: [idle-layer], rules: [] }'],
    });
    const used = usePlugin(plugin);
    onTestFinished(() => used.remove());
    const { runs } = await loadScenario(scenario('s').replace('none\n', 'idle\n'));
    const { log } = replay(runs[0]!.plan, runs[0]!.transcript());
    expect(log[0]).toMatchObject({ plugins: [{ name: 'in-memory', sha256: null }] });
    expect(() => usePlugin(plugin)).toThrow('two plug-ins are called "in-memory"');
    await expect(runStudy({ scenario: scenario('s'), workers: 2 })).rejects.toThrow(/"in-memory" is no file/);
    used.remove();
    await expect(loadScenario(scenario('s').replace('none\n', 'idle\n'))).rejects.toThrow(
      /unknown policy "idle"/,
    );
  });
});

describe('runStudy', () => {
  const VARIANTS = scenario('s', 'variants: [{ name: long, cache: { ttl: 1h } }]\n');

  it('gives the rows and differences of ccbench compare', async () => {
    const cwd = tempFolder({ 's.yaml': VARIANTS });
    const { stdout } = await cli(['compare', 's.yaml', '--json', '--no-files', '--workers', '0'], { cwd });
    const compared = JSON.parse(stdout);
    const study = await runStudy({ scenario: join(cwd, 's.yaml') });
    const figures = (rows: readonly { name: string; metrics: unknown; differences: unknown }[]) =>
      rows.map(({ name, metrics, differences }) => ({ name, metrics, differences }));
    expect(figures(study.rows)).toEqual(figures(compared.variants));
    expect(study.best).toEqual(compared.best);
  });

  it('takes rows by hand: a policy by name, one that is defined, and settings', async () => {
    const mine = definePolicy('{ name: mine, rules: [] }');
    const { rows } = await runStudy({
      scenario: VARIANTS,
      variants: [
        { name: 'a', policy: 'unbounded' },
        { name: 'b', policy: mine, set: { 'cache.ttl': '1h' } },
      ],
      metrics: ['costUsd'],
      baseline: 'b',
    });
    expect(rows.map(({ name, settings }) => [name, settings])).toEqual([
      ['a', { policy: '"unbounded"' }],
      ['b', { policy: '"mine"', 'cache.ttl': '"1h"' }],
    ]);
    expect(rows[1]!.differences).toBeNull();
    expect(rows[0]!.differences!.costUsd!.mean).toBeCloseTo(
      rows[0]!.metrics.costUsd! - rows[1]!.metrics.costUsd!,
      9,
    );
  });

  it('refuses what it does not know', async () => {
    const ask = (more: object) => runStudy({ scenario: VARIANTS, ...more });
    await expect(ask({ metrics: ['costUsb'] })).rejects.toThrow(/unknown metric "costUsb".*costUsd/);
    await expect(ask({ variants: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] })).rejects.toThrow(
      'two rows are called "a"',
    );
    await expect(ask({ baseline: 'short' })).rejects.toThrow(/unknown row "short"/);
    await expect(ask({ vary: ['cache.ttl=5m'], variants: [] })).rejects.toThrow('not both');
    await expect(ask({ vary: ['cash.ttl=5m'] })).rejects.toThrow(/unknown setting "cash\.ttl"/);
  });

  it('says why a run failed, and goes on with the others', async () => {
    const used = usePlugin({
      name: 'faulty',
      layers: [
        {
          ...TIER,
          name: 'faulty-layer',
          create: () => ({
            due: () => {
              throw new Error('ouch');
            },
            *act() {},
          }),
        },
      ],
      policies: ['{ name: faulty, layers: [faulty-layer], rules: [] }'],
    });
    onTestFinished(() => used.remove());
    const { rows } = await runStudy({
      scenario: scenario('s'),
      variants: [{ name: 'fine' }, { name: 'faulty', policy: 'faulty' }],
    });
    expect(rows[0]!.runs[0]!.error).toBeNull();
    expect(rows[1]!.runs[0]!.error).toContain(
      'plug-in "faulty": due of the layer "faulty-layer" threw: ouch',
    );
    expect(rows[1]!.standing).toBe('apart');
  });
});
