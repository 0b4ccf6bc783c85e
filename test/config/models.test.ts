import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { CcbenchError, formatPlace } from '../../src/core/base/errors.js';
import { modelsOf } from '../../src/provider/prices/models.js';
import { NEWEST, priceUsage } from '../../src/provider/prices/price.js';
import { refusalsOf } from '../helpers/refusal.js';
import { errorsOf, problemsOf, synthetic } from './compile-yaml.js';

const USAGE = { input: 1_000_000, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

function compile(text: string, files: Readonly<Record<string, string>> = {}, ...set: readonly string[]) {
  const readPolicy = (written: string) => {
    const found = files[written];
    if (found === undefined) throw new CcbenchError('bad-input', `there is no file ${written}`);
    return { text: found, file: written };
  };
  return compileScenario({ text, file: 's.yaml', set, readPolicy }, builtinContext).runs[0]!.plan;
}

/** What is refused, each as `place: sentence`. */
function refusals(text: string, files: Readonly<Record<string, string>> = {}): string {
  return refusalsOf(() => compile(text, files))
    .map(({ place, message }) => `${place === null ? '' : formatPlace(place)}: ${message}`)
    .join('\n');
}

/** What a million tokens of each kind cost, in dollars: input, output, read, writes for five minutes and an hour. */
function dollars(plan: ReturnType<typeof compile>, model: string): readonly number[] {
  const { pricesPerMTok: p } = modelsOf(plan).resolve(model);
  return [p.input, p.output, p.cacheRead, p.cacheWrite5m, p.cacheWrite1h];
}

/** Dollars for a million read tokens of Sonnet 5.5 on a day. */
function readUsd(plan: ReturnType<typeof compile>, day: string): number {
  const usage = { ...USAGE, input: 0, cacheRead: 1_000_000 };
  return priceUsage(modelsOf(plan).resolve('claude-sonnet-5-5'), usage, Date.parse(day)).totalNano / 1e9;
}

describe('models of a scenario', () => {
  it('may be run and are part of the plan', () => {
    const plan = compile(
      synthetic(
        'model: my-model',
        'models:',
        '  my-model: { provider: openai, window: 64000, maxOutput: 8000, aliases: [mine], prices: { input: 1, output: 4, read: 0.1 } }',
      ),
    );
    expect(plan.models).toEqual([
      {
        id: 'my-model',
        provider: 'openai',
        aliases: ['mine'],
        window: 64_000,
        maxOutput: 8_000,
        prices: { input: 1, output: 4, read: 0.1, write: 1, writeLong: 1 },
        steps: [],
        minimum: 1_024,
      },
    ]);
    expect(priceUsage(modelsOf(plan).resolve('mine'), USAGE, NEWEST).totalNano).toBe(1_000_000_000);
  });

  it('leave plans alone where there are none', () => {
    expect(compile(synthetic())).not.toHaveProperty('models');
    expect(compile(synthetic('models: {}'))).toEqual(compile(synthetic()));
  });

  it('change a model of the table, which keeps the ratios of reads and writes', () => {
    const plan = compile(synthetic('models: { claude-opus-5: { prices: { input: 10, output: 40 } } }'));
    expect(dollars(plan, 'claude-opus-5')).toEqual([10, 40, 1, 12.5, 20]);
    expect(dollars(plan, 'claude-opus-4-5')).toEqual([5, 25, 0.5, 6.25, 10]);
    expect(dollars(compile(synthetic()), 'claude-opus-5')).toEqual([5, 25, 0.5, 6.25, 10]);
  });

  it('of which only the window is changed keep prices and steps', () => {
    const plan = compile(synthetic('models: { gpt-5.6: { window: 272000 } }'));
    expect(plan.models).toMatchObject([{ id: 'gpt-5.6-sol', window: 272_000, steps: [{ above: 272_000 }] }]);
    expect(modelsOf(plan).resolve('openai/gpt-5.6').window).toBe(272_000);
  });

  it('have no steps but those written with their prices', () => {
    const flat = compile(synthetic('models: { gpt-5.5: { prices: { input: 4, output: 24 } } }'));
    expect(flat.models?.[0]?.steps).toEqual([]);
    const stepped = compile(
      synthetic(
        'models: { gpt-5.5: { prices: { input: 4, output: 24 }, steps: [{ above: 200000, input: 8, output: 36 }] } }',
      ),
    );
    expect(stepped.models?.[0]?.steps).toEqual([
      { above: 200_000, input: 8, output: 36, read: 0.8, write: 8, writeLong: 8 },
    ]);
  });

  it('may stand in a file, whose places are told', () => {
    const text = synthetic('model: mine', 'models: ./prices.yaml');
    const plan = compile(text, { './prices.yaml': 'mine: { prices: { input: 2, output: 3 } }\n' });
    expect(dollars(plan, 'mine')).toEqual([2, 3, 2, 2, 2]);
    const broken = { './prices.yaml': 'mine:\n  prices: { input: 2, outputs: 3 }\n' };
    expect(refusals(text, broken)).toContain(
      './prices.yaml:2:23: unknown key `outputs` in `models.mine.prices`',
    );
    const wrong = { './prices.yaml': 'mine:\n  prices: { input: 2, output: much }\n' };
    expect(refusals(`${text}seed: x\n`, wrong)).toMatch(
      /^\.\/prices\.yaml:2:31: `models\.mine\.prices\.output`: .*\ns\.yaml:5:7: `seed`: /,
    );
    expect(refusals(synthetic('models: 7'))).toMatch(/^s\.yaml:3:9: `models`: /);
    expect(refusals(text)).toContain('there is no file ./prices.yaml');
    expect(refusals(text, { './prices.yaml': '' })).toContain(
      'prices.yaml:1:1: the table of models is empty',
    );
  });

  it('are refused with place and nearest word', () => {
    const lines = ['models:', '  my-model:', '    windw: 1000', '    prices: { input: 1, output: 2 }'];
    expect(problemsOf(synthetic(...lines))).toEqual(['s.yaml:5:5: unknown key `windw` in `models.my-model`']);
    expect(errorsOf(synthetic(...lines))[0]?.hint).toContain('did you mean `window`?');
    expect(problemsOf(synthetic('models: { m: { prices: { input: -1, output: 2 } } }'))).toHaveLength(1);
    expect(
      problemsOf(synthetic('models: { m: { provider: open, prices: { input: 1, output: 2 } } }'))[0],
    ).toContain('`models.m.provider` must be');
  });

  it.each([
    [
      'a new model without prices',
      '{ m: { window: 64000 } }',
      '14: `m` has no prices, and the table does not know it',
    ],
    [
      'steps out of order',
      '{ m: { prices: { input: 1, output: 1 }, steps: [{ above: 9, input: 1, output: 1 }, { above: 9, input: 1, output: 1 }] } }',
      '101: the steps of `m` must rise',
    ],
    [
      'a name of the table',
      '{ m: { aliases: [gpt-5.5], prices: { input: 1, output: 1 } } }',
      '25: "gpt-5.5" is already a name of gpt-5.5',
    ],
    [
      'a name twice',
      '{ m: { aliases: [x], prices: { input: 1, output: 1 } }, n: { aliases: [x], prices: { input: 1, output: 1 } } }',
      '79: "x" is already a name of m',
    ],
  ])('%s is refused', (_what, models, sentence) => {
    expect(problemsOf(synthetic(`models: ${models}`))).toEqual([`s.yaml:3:${sentence}`]);
  });

  it('that nobody knows are errors where a user names them', () => {
    const other = 'models: { your-model: { prices: { input: 1, output: 1 } } }';
    expect(refusals(synthetic('model: my-model', other))).toBe('s.yaml:3:8: unknown model "my-model"');
  });

  it('keep the earlier prices of the table where only a size is changed', () => {
    // Sonnet 5.5 read for $0.20 before 7 October 2026.
    const plan = compile(synthetic('models:', '  claude-sonnet-5-5: { window: 200000 }'));
    expect(readUsd(plan, '2026-10-01')).toBe(0.2);
    expect(readUsd(plan, '2026-10-08')).toBe(0.1);
  });

  it('cost the same on all days where their prices are written', () => {
    const prices = '{ input: 1, output: 5, read: 0.4 }';
    const plan = compile(synthetic('models:', `  claude-sonnet-5-5: { prices: ${prices} }`));
    expect(readUsd(plan, '2026-10-01')).toBe(0.4);
    expect(readUsd(plan, '2026-10-08')).toBe(0.4);
  });
});

describe('the price day of a scenario', () => {
  it('is part of the plan, of a variant too', () => {
    expect(compile(synthetic('priceDay: 2026-10-01')).priceDay).toBe('2026-10-01');
    expect(compile(synthetic('priceDay: null'))).not.toHaveProperty('priceDay');
    expect(compile(synthetic(), {}, 'priceDay=2026-10-01').priceDay).toBe('2026-10-01');
  });

  it.each(['2026-02-30', 'yesterday', '20261001'])('refuses %s', (day) => {
    expect(refusals(synthetic(`priceDay: '${day}'`))).toContain('a day such as 2026-07-01');
  });
});
