import { expect, it } from 'vitest';
import { tryKills } from '../../../scripts/kills/try-kills.mjs';
import { startCli } from '../start.js';

/** A run and a sweep, which keeps its points; npm run kills tries more, and the other commands that write reports the same way. */
const KILLS = 2;

it('D9 a kill at any moment leaves the earlier report, and no litter behind the next run', {
  timeout: 300_000,
}, async () => {
  const said: string[] = [];
  const { kills, problems } = await tryKills({
    kills: KILLS,
    seed: 1,
    start: (argv: readonly string[], cwd: string) => startCli(argv, cwd).child,
    say: (text: string) => said.push(text),
  });
  expect({ kills, problems }).toEqual({ kills: KILLS, problems: [] });
});
