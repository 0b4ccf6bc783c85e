import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fixes } from '../../../../src/analysis/why/fixes.js';
import { sumUp } from '../../../../src/analysis/why/sum-up.js';
import { fixBlocks } from '../../../../src/cli/commands/why/fix-document.js';
import { answered, type Fields, jsonl, say, user } from '../../../helpers/session.js';
import { cli, tempFolder } from '../../cli.js';

/** A prompt of 100,000 tokens that is written for five minutes again and again, twenty minutes apart. */
function session(version: string): Buffer {
  const fields = { version, cwd: '/projects/shop' };
  const usage: Fields = {
    input_tokens: 10,
    output_tokens: 50,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 100_000,
    cache_creation: { ephemeral_5m_input_tokens: 100_000, ephemeral_1h_input_tokens: 0 },
  };
  return jsonl(
    Array.from({ length: 12 }, (_, i) => [
      user(`u${i}`, 1_200 * i, `question ${i}`, { ...fields, parentUuid: i === 0 ? null : `a${i - 1}` }),
      answered(i, 1_200 * i + 1, say('yes'), usage, { ...fields, parentUuid: `u${i}` }),
    ]).flat(),
  );
}

function runner(version = '2.1.112') {
  const home = tempFolder({ 's.jsonl': session(version) });
  return {
    home,
    run: (...rest: readonly string[]) =>
      cli(['why', 's.jsonl', ...rest], { cwd: home, env: { HOME: home, CCBENCH_CACHE: join(home, 'kept') } }),
  };
}

describe('ccbench why --fix', () => {
  it('prints what to paste in lines of their own, within 25 lines, and writes nothing', async () => {
    const { home, run } = runner();
    const { code, stdout } = await run('--fix');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d findings? worth more than 1 % of \$4\.5\d/);
    expect(stdout).toContain('~/.claude/settings.json (Claude Code 2.1.112)');
    expect(stdout.split('\n')).toContain('   + { "env": { "ENABLE_PROMPT_CACHING_1H": "1" } }');
    expect(stdout.split('\n').length).toBeLessThanOrEqual(26);
    expect(existsSync(join(home, 'reports'))).toBe(false);
    expect(existsSync(join(home, '.claude'))).toBe(false);
  });

  it('says where no setting is known, and has the same for programs', async () => {
    expect((await runner('2.1.100').run('--fix')).stdout).toContain('no setting is known');
    const { run } = runner();
    const { fixes } = JSON.parse((await run('--fix', '--json')).stdout);
    expect(fixes[0]).toMatchObject({ usd: expect.any(Number), low: expect.any(Number) });
  });
});

describe('nothing to change', () => {
  const saidOf = (found: Partial<Fixes>): unknown =>
    fixBlocks({ fixes: [], notWorth: [], tried: 1, ...found }, sumUp([], []), { top: 5, home: '/' })[0];

  it('is said with its reason: nothing saves, nothing surely saves 1 %, or nothing was tried', () => {
    expect(saidOf({})).toBe('No change saves anything on 0 sessions ($0).');
    expect(saidOf({ notWorth: ['1-hour lifetime'] })).toMatch(/^No change clearly saves more than 1 % on /);
    expect(saidOf({ tried: 0 })).toMatch(/^No change could be tried on /);
  });
});

describe('ccbench why --trend and --split', () => {
  it('show days, and cannot tell from a single session', async () => {
    const { run } = runner();
    const { stdout } = await run('--trend', '--split', '2026-02-01');
    expect(stdout.split('\n').length).toBeLessThanOrEqual(25);
    const { trend, split, page } = JSON.parse(
      (await run('--trend', '--split', '2026-02-01', '--json')).stdout,
    );
    expect(trend.period).toBe('day');
    expect(split).toMatchObject({ day: '2026-02-01', measures: [{ verdict: 'cannot-tell' }, {}, {}] });
    expect(page).toBeNull();
  });

  it('refuse what is no day, and views that exclude each other', async () => {
    const { run } = runner();
    const bad = await run('--split', 'October');
    expect(bad.code).not.toBe(0);
    expect(bad.stderr).toContain('--split October is not a day');
    for (const view of [['--trend'], ['--fix'], ['--split', '2026-02-01']]) {
      const refused = await run('--share', '--no-files', ...view);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain(`--share and ${view[0]} cannot be shown together`);
    }
  });
});
