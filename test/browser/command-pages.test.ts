import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, TRACE, tempFolder } from '../cli/cli.js';
import { openPage, seriousFindings, sidewaysPx, useBrowser } from './browser.js';

const browser = useBrowser();

const OTHER = TRACE.replace('"hand"', '"other"');
const BOTH = ['--set', 'cache.ttl=5m,1h', '--transcripts', '*.json'];

/** The commands that write a page of their own kind, and where. */
const PAGES = [
  ['sweep', ['a.yaml', '--vary', 'cache.ttl=5m,1h'], 'reports/tiny-sweep/report.html'],
  ['tune', ['a.yaml', '--vary', 'cache.ttl=5m,1h', '--minimise', 'costUsd'], 'reports/tiny-tune/report.html'],
  ['compare', ['a.yaml', ...BOTH], 'reports/tiny-compare/report.html'],
  ['ttl', ['one.json', 'two.json', '--out', 'out'], 'out/ttl.html'],
  ['diff', ['a.yaml', 'a.yaml', '--out', 'out'], 'out/diff.html'],
] as const;

describe.each(PAGES)('the page of %s', (command, argv, path) => {
  it('fits wide and narrow windows in both schemes, and has no serious barrier', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 'one.json': TRACE, 'two.json': OTHER });
    const { code, stdout } = await cli([command, ...argv], { cwd });
    // No lifetime is better than what the scenario has already.
    const expected = command === 'tune' ? 99 : 0;
    expect({ code, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
      code: expected,
      last: `page ${path}`,
    });
    const html = readFileSync(join(cwd, path), 'utf8');
    for (const [width, scheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const { page, problems } = await openPage(browser, html, { width, scheme });
      expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
      expect(await seriousFindings(page)).toEqual([]);
      expect(problems).toEqual([]);
    }
  });
});
