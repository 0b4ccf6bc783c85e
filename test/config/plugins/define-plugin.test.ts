import { describe, expect, it } from 'vitest';
import { benchPlan } from '../../../src/cli/commands/bench/plan.js';
import { defineLayer, definePlugin, definePolicy } from '../../../src/config/plugins/define-plugin.js';
import { findPlugin } from '../../../src/config/plugins/load-plugin.js';
import type { LayerInput, Plugin } from '../../../src/config/plugins/plugin.js';
import { blamePlugins } from '../../../src/config/plugins/register-plugin.js';
import { activePlugins, usePlugin } from '../../../src/config/plugins/use-plugins.js';
import { CcbenchError, ProblemList } from '../../../src/core/base/errors.js';
import { thrownBy } from '../../helpers/refusal.js';

const create = () => ({ due: () => false, *act() {} });
const PARAM = { path: 't.keep', kind: { type: 'switch' }, default: true, unit: null, help: 'h' };
const LAYER = { name: 't', points: ['results'], create };
const METRIC = { name: 'm', unit: 'count', better: null, help: 'h', value: () => 1 };
const READER = { name: 'r', detect: () => true, read: () => ({}) };

/** Every problem of what is given, as it is said. */
function problemsOf(define: () => unknown): readonly string[] {
  const error = thrownBy(define);
  if (error instanceof ProblemList) return error.problems.map(({ message }) => message);
  return error === null ? [] : [(error as CcbenchError).message];
}
const ofLayer = (change: object) =>
  problemsOf(() => defineLayer({ ...LAYER, ...change } as unknown as LayerInput));
const ofParam = (change: object) => ofLayer({ params: [{ ...PARAM, ...change }] });
const ofPlugin = (rest: object) =>
  problemsOf(() => definePlugin({ name: 'x', ...rest } as unknown as Plugin));

describe('a layer', () => {
  it('has a switch, and the counts of rules, unless it says otherwise', () => {
    expect(defineLayer(LAYER as LayerInput)).toMatchObject({
      ...{ name: 't', points: ['results'], layer: 'rules', needs: [], params: [], killSwitch: 't.enabled' },
    });
    const said = {
      layer: 'snip',
      needs: ['text'],
      params: [PARAM],
      killSwitch: 't.on',
    } as Partial<LayerInput>;
    expect(defineLayer({ ...LAYER, ...said } as LayerInput)).toMatchObject(said);
  });

  it('may be asked at every point of the loop', () => {
    const points = [
      'results',
      'before-request',
      'refused',
      'manual',
      'after-response',
      'end-of-loop',
      'wake',
    ];
    expect(
      ofLayer({ points: [...points, 'manual-clear', 'end-dream', 'thread-end', 'session-end'] }),
    ).toEqual([]);
    expect(ofLayer({ points: [] })).toEqual([
      'layer "t": points: expected at least one point: without any it is never asked',
    ]);
    expect(ofLayer({ points: ['results', 'later'] })[0]).toMatch(
      /^layer "t": points\[1\]: expected results, /,
    );
  });

  it('is refused with every problem, under its name where it has one', () => {
    expect(ofLayer({ name: ' ', create: 7 })).toEqual([
      expect.stringMatching(/^layer without a name: name: /),
      'layer without a name: create: expected a function that gives { due, act }, got 7',
    ]);
    expect(ofLayer({ create: undefined, layer: 'odd' })).toHaveLength(2);
  });

  it.each([
    [{ kind: { type: 'integer', min: 0, max: 9 } }, null],
    [{ kind: { type: 'number', min: 0, max: 9 } }, null],
    [{ kind: { type: 'choice', values: ['a'] } }, null],
    [{ default: null, unit: 'tokens' }, null],
    [{ kind: { type: 'integer', min: 0 } }, 'params[0].kind: expected `min` and `max`, both numbers'],
    [{ kind: { type: 'number', max: 9 } }, 'params[0].kind: expected `min` and `max`, both numbers'],
    [{ kind: { type: 'choice', values: 'a' } }, 'params[0].kind: expected `values`, a list of texts'],
    [{ default: undefined }, '`params[0].default` is missing'],
    [{ path: 'keep' }, 'params[0].path: expected names with dots, such as my-layer.keep, got "keep"'],
    [{ path: 't..keep' }, 'params[0].path: expected names with dots, such as my-layer.keep, got "t..keep"'],
  ])('with the parameter %j says %j', (change, problem) => {
    expect(ofParam(change)).toEqual(problem === null ? [] : [`layer "t": ${problem}`]);
  });
});

describe('a plug-in', () => {
  it('is given back as it is, with parts of every kind or none', () => {
    const whole = { name: 'x', layers: [LAYER], policies: ['{}'], readers: [READER], metrics: [METRIC] };
    expect(definePlugin(whole as unknown as Plugin)).toBe(whole);
    expect(ofPlugin({})).toEqual([]);
  });

  it.each([
    [
      { metrics: [{ ...METRIC, name: '1m' }] },
      'metrics[0].name: expected one word of letters and figures, got "1m"',
    ],
    [
      { metrics: [{ ...METRIC, better: 'more' }] },
      'metrics[0].better: expected lower or higher or null, got "more"',
    ],
    [
      { metrics: [{ ...METRIC, value: 1 }] },
      'metrics[0].value: expected a function of the facts of a run, got 1',
    ],
    [
      { readers: [{ ...READER, read: 1 }] },
      'readers[0].read: expected a function of the text of a file, got 1',
    ],
    [
      { readers: [{ ...READER, detect: null }] },
      'readers[0].detect: expected a function of the beginning of a file, got nothing',
    ],
  ])('with %j is refused', (rest, problem) => {
    expect(ofPlugin(rest)).toEqual([`plug-in "x": ${problem}`]);
  });
});

describe('a policy of a plug-in', () => {
  const TEXT = 'name: mine\nrules: []\n';

  it('is text, an object, or one that was defined already', () => {
    const policy = definePolicy(TEXT);
    expect(policy.name).toBe('mine');
    expect(definePolicy({ name: 'mine', rules: [] }).name).toBe('mine');
    expect(definePolicy({ rules: [] }).name).toBe('own-policy');
    expect(definePolicy(policy)).toBe(policy);
  });

  it('is refused under its name, with every problem', () => {
    const named = (source: Parameters<typeof definePolicy>[0]) =>
      (thrownBy(() => definePolicy(source)) as ProblemList | null)?.message;
    expect(named({ name: 'mine', rules: 7 } as never)).toContain('policy "mine"');
    expect(named({ rules: 7 } as never)).toContain('the policy');
    expect(named(null as never)).toContain('the policy');
    expect(problemsOf(() => definePolicy('rules: [\n'))).toHaveLength(1);
    expect(problemsOf(() => definePolicy(`${TEXT}rules: []\n`))).toEqual(['`rules` is written twice']);
  });
});

describe('a plug-in that is in use', () => {
  const own = {
    name: 'own',
    layers: [{ ...LAYER, name: 'own-layer' }],
    policies: ['{ name: own-policy, layers: [own-layer], rules: [] }'],
  } as unknown as Plugin;

  it('is known by its name until it is removed, and may be hidden meanwhile', () => {
    const used = usePlugin(own);
    try {
      expect(activePlugins().map(({ name, sha256, file }) => [name, sha256, file])).toEqual([
        ['own', null, null],
      ]);
      expect(() => usePlugin(own)).toThrow('two plug-ins are called "own"');
      const show = used.hide();
      expect(() => benchPlan('own-policy')).toThrow('unknown policy');
      show();
      expect(benchPlan('own-policy').policy.name).toBe('own-policy');
    } finally {
      used.remove();
    }
    used.remove();
    const [first, second] = [usePlugin(own), usePlugin({ name: 'second' })];
    first.remove();
    expect(activePlugins()).toEqual([second]);
    second.remove();
    expect(activePlugins()).toEqual([]);
    expect(() => benchPlan('own-policy')).toThrow('unknown policy');
  });

  it('is blamed for what would be a fault of the program, where its layers were at work', () => {
    const used = usePlugin(own);
    try {
      const plan = { ...benchPlan('own-policy'), plugins: [{ name: 'own', sha256: null }] };
      const fault = new RangeError('too far');
      const said = 'a run with the layer "own-layer" of the plug-in "own" failed: ';
      expect(blamePlugins(plan, fault)).toMatchObject({
        code: 'bad-plugin',
        message: `${said}too far`,
        cause: fault,
      });
      expect(blamePlugins(plan, 'odd')).toMatchObject({ message: `${said}odd` });
      for (const code of ['internal', 'invariant'] as const)
        expect(blamePlugins(plan, new CcbenchError(code, 'no'))).toMatchObject({ code: 'bad-plugin' });
      const usage = new CcbenchError('bad-usage', 'no');
      expect(blamePlugins(plan, usage)).toBe(usage);
      expect(blamePlugins(benchPlan('own-policy'), fault)).toBe(fault);
      expect(blamePlugins({ ...benchPlan('none'), plugins: plan.plugins }, fault)).toBe(fault);
    } finally {
      used.remove();
    }
  });
});

it('the file of a plug-in is missing, or cannot be read', () => {
  const find = (path: string) => () => findPlugin(path, 'p.mjs', { file: 'here' });
  const refused = (code: string, message: string) => expect.objectContaining({ code, message });
  expect(find('/no/such/p.mjs')).toThrow(
    refused('file-missing', 'plug-in p.mjs: there is no such file') as unknown as Error,
  );
  expect(find('/')).toThrow(
    refused('file-unreadable', 'plug-in p.mjs: it cannot be read (EISDIR)') as unknown as Error,
  );
});
