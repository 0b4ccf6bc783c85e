import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../../../scripts/kills/start-redis.mjs';
import { tryStudyKills } from '../../../../scripts/kills/try-study-kills.mjs';
import { startCli } from '../../start.js';

let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  redis = await startRedis();
}, 60_000);
afterAll(() => redis?.stop());

describe('kill -9 in the middle of a study', { timeout: 600_000 }, () => {
  const start = (argv: readonly string[], cwd: string) => startCli(argv, cwd).child;
  const said: string[] = [];
  const trial = { seed: 1, points: 60, meanMs: 2_500, start, say: (text: string) => said.push(text) };

  it('of one process changes no byte of the result', async () => {
    expect(await tryStudyKills({ ...trial, kills: 2, points: 30, redis: undefined })).toEqual({
      kills: 2,
      problems: [],
    });
  });

  it('of workers of a fleet changes no byte of the result', async () => {
    const { kills, problems } = await tryStudyKills({ ...trial, kills: 2, redis: redis.url });
    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(2);
  });
});
