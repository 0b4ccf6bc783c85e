import { describe, expect, it } from 'vitest';
import { assistant, jsonl, say, usage, user } from '../../helpers/session.js';
import { cli, tempFolder } from '../cli.js';

/** A session of three calls that write 10,000 tokens and answer with 1,000 each; the first N are of a model with a price. */
const session = (priced: number) =>
  jsonl(
    [0, 1, 2].flatMap((i) => [
      user(`u${i}`, i * 20, 'go'),
      assistant(`a${i}`, i * 20 + 5, `m${i}`, say('done'), {
        model: i < priced ? 'claude-sonnet-4-5' : 'claude-zebra-9',
        usage: usage(0, 10_000 * i, 10_000, 1_000),
      }),
    ]),
  );

const printed = async (priced: number, ...argv: readonly string[]) => {
  const { code, stdout } = await cli(argv, { cwd: tempFolder({ 's.jsonl': session(priced) }), columns: 300 });
  expect(code).toBe(0);
  return stdout;
};

const PART = '2 of 3 calls use models without a price';

/** This version of the client asks for no suggestions. */
const RUN_PART = '2 of 3 requests use models without a price';

describe('models without a price', () => {
  it('leave a run with a least cost, said with the number', async () => {
    const text = await printed(1, 'run', 's.jsonl');
    expect(text).toMatch(new RegExp(`\n  total +\\$0\\.\\d+  at least: ${RUN_PART}\n`));
    expect(text).toMatch(
      new RegExp(`\ns cost at least \\$0\\.\\d+: ${RUN_PART}; .* were read from the cache\\.\n`),
    );
    expect(text).not.toContain('against the recording');
    expect(text).not.toMatch(/nine of ten|90 %/);
    const [run] = JSON.parse(await printed(1, 'run', 's.jsonl', '--json')).runs;
    expect(run.unpricedRequests).toBe(2);
    expect(run.metrics.costUsd).toBeGreaterThan(0);
  });

  it('leave a run without a cost where no model has one, in text and JSON', async () => {
    const text = await printed(0, 'run', 's.jsonl');
    expect(text).toContain('The cost of s is not known: no model of the 3 requests has a price;');
    expect(text).not.toContain('$');
    const [run] = JSON.parse(await printed(0, 'run', 's.jsonl', '--json')).runs;
    expect(run.metrics).toMatchObject({ costUsd: null, costLowUsd: null, costPerTurnUsd: null });
    expect(run.unpricedRequests).toBe(3);
    const priced = JSON.parse(await printed(3, 'run', 's.jsonl', '--json')).runs[0];
    expect(priced.unpricedRequests).toBe(0);
  });

  it('are left out of what providers --session says was recorded', async () => {
    const none = JSON.parse(await printed(0, 'providers', 'anthropic', '--session', 's.jsonl', '--json'));
    expect(none).toMatchObject({ recordedUsd: null, recordedUnpricedCalls: 3 });
    const text = await printed(1, 'providers', 'anthropic', '--session', 's.jsonl');
    expect(text).toMatch(/\nas recorded +at least \$0\.\d+ /);
    expect(text).toContain(`As recorded ${PART}; under each provider all calls go to the model of its row.`);
    expect(text).toContain('The session cost at least $');
  });

  it('leave a difference without a cost', async () => {
    const { a, b } = JSON.parse(await printed(1, 'diff', 's.jsonl', '--json'));
    for (const lane of [a, b]) expect(lane).toMatchObject({ requests: 3, unpricedRequests: 2 });
    expect(JSON.parse(await printed(0, 'diff', 's.jsonl', '--json')).a.costUsd).toBeNull();
  });
});
