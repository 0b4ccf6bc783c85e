import { describe, expect, it } from 'vitest';
import { assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { type CliResult, cli, tempFolder } from '../../cli.js';

/** `why` on a session of one request to a model: 10 tokens of input, 90,000 written for an hour, 50 of output. */
function whyOn(model: string, files: Readonly<Record<string, string>> = {}) {
  const fields = { version: '2.1.100', cwd: '/projects/shop' };
  const lines = [
    user('u0', 0, 'one', fields),
    assistant(
      'a0',
      1,
      'm0',
      say('yes'),
      { model, usage: usage(10, 0, 90_000, 50) },
      { ...fields, parentUuid: 'u0' },
    ),
  ];
  const cwd = tempFolder({ 's.jsonl': jsonl(lines), ...files });
  return (...more: readonly string[]): Promise<CliResult> =>
    cli(['why', 's.jsonl', '--no-files', ...more], { cwd, env: { HOME: cwd } });
}

async function usdOf(result: Promise<CliResult>): Promise<number> {
  const { code, stdout, stderr } = await result;
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout).recordedUsd;
}

describe('prices that are given to ccbench why', () => {
  it('without one an unknown model is refused, with the way out', async () => {
    const { code, stderr } = await whyOn('house-model')();
    expect(code).toBe(2);
    expect(stderr).toContain('no price is known for house-model');
    expect(stderr).toContain('--price model=in,out,read,write');
  });

  it('bill an unknown model', async () => {
    const run = whyOn('house-model');
    // Writes of an hour cost what writes do where one price is given.
    const written = (10 * 2 + 90_000 * 3 + 50 * 8) / 1e6;
    expect(await usdOf(run('--price', 'house-model=2,8,0.2,3', '--json'))).toBeCloseTo(written, 9);
    const bare = (90_010 * 2 + 50 * 8) / 1e6;
    expect(await usdOf(run('--price', 'house-model=2,8', '--json'))).toBeCloseTo(bare, 9);
  });

  it('come from a file, over which those of the command line count', async () => {
    const run = whyOn('house-model', {
      'prices.yaml':
        'house-model: { prices: { input: 1, output: 4, write: 1 } }\nother: { prices: { input: 1, output: 1 } }\n',
    });
    expect(await usdOf(run('--prices', 'prices.yaml', '--json'))).toBeCloseTo((90_010 + 200) / 1e6, 9);
    expect(await usdOf(run('--prices', 'prices.yaml', '--price', 'house-model=2,8', '--json'))).toBeCloseTo(
      (90_010 * 2 + 400) / 1e6,
      9,
    );
  });

  it('replace those of a known model, and its causes and limits follow', async () => {
    const run = whyOn('claude-sonnet-4-5');
    const { stdout } = await run('--price', 'claude-sonnet-4-5=6,30,0.6,7.5', '--limits', '--json');
    const { limits, byCause, recordedUsd } = JSON.parse(stdout);
    expect(byCause.reduce((sum: number, { usd }: { usd: number }) => sum + usd, 0)).toBeCloseTo(
      recordedUsd,
      9,
    );
    // Twice the input price of Sonnet: (10 + 90,000 × 2 + 50 × 5) × 2.
    expect(limits.fiveHour.fullest.weighted).toBe(360_520);
  });

  it.each([
    'house-model',
    'house-model=1',
    'house-model=1,x',
    'house-model=1,2,3,4,5',
    'house-model=-1,2',
    '=1,2',
  ])('refuse %s', async (wrong) => {
    const { code, stderr } = await whyOn('house-model')('--price', wrong);
    expect(code).toBe(2);
    expect(stderr).toContain('my-model=input,output,read,write');
  });

  it('refuse a model that no request is of', async () => {
    const { code, stderr } = await whyOn('claude-sonnet-4-5')('--price', 'house-model=1,2');
    expect(code).toBe(2);
    expect(stderr).toContain('--price house-model: no request is of this model');
    expect(stderr).toContain('claude-sonnet-4-5');
  });

  it('name the place of a fault in the file', async () => {
    const run = whyOn('house-model', {
      'prices.yaml': 'house-model:\n  prices: { input: one, output: 4 }\n',
    });
    const { code, stderr } = await run('--prices', 'prices.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain('prices.yaml:2:');
    const missing = await run('--prices', 'none.yaml');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('none.yaml');
  });
});
