import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openerFor } from '../../../src/cli/commands/open.js';
import { cli, scenario, tempFolder } from '../cli.js';

const WITHOUT_DISPLAY = { CCBENCH_CACHE: 'kept' };

/** A folder with two reports, the second of which was written last. */
async function twoReports(): Promise<string> {
  const cwd = tempFolder({
    'a.yaml': scenario('first'),
    'b.yaml': scenario('second', 'variants:\n  - { name: other, cache: { ttl: 1h } }\n'),
  });
  for (const file of ['a.yaml', 'b.yaml'])
    expect((await cli(['run', file, '--quiet'], { cwd, env: WITHOUT_DISPLAY })).code).toBe(0);
  return cwd;
}

describe('ccbench open', () => {
  it('prints the page that was written last where there is no display', async () => {
    const cwd = await twoReports();
    const { code, stdout, stderr } = await cli(['open'], { cwd, env: WITHOUT_DISPLAY });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const page = stdout.trim();
    expect(page.startsWith(join(cwd, 'reports/second/'))).toBe(true);
    expect(page.endsWith('report.html')).toBe(true);
    expect(existsSync(page)).toBe(true);
    const named = await cli(['open', 'reports/first', '--json'], { cwd, env: WITHOUT_DISPLAY });
    expect(JSON.parse(named.stdout)).toEqual({
      page: join(cwd, 'reports/first/report.html'),
      opened: false,
    });
  });

  it('prints the page of a sweep', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('first') });
    const vary = ['--vary', 'cache.ttl=5m,1h', '--workers', '0'];
    await cli(['sweep', 'a.yaml', ...vary], { cwd, env: WITHOUT_DISPLAY });
    const { stdout } = await cli(['open'], { cwd, env: WITHOUT_DISPLAY });
    expect(stdout).toMatch(/reports\/first.*\/report\.html\n$/);
  });

  it('is not led away by a run that writes no page', async () => {
    const cwd = await twoReports();
    const before = (await cli(['open'], { cwd, env: WITHOUT_DISPLAY })).stdout;
    await cli(['run', 'a.yaml', '--no-charts'], { cwd, env: WITHOUT_DISPLAY });
    await cli(['run', 'a.yaml', '--no-files'], { cwd, env: WITHOUT_DISPLAY });
    expect((await cli(['open'], { cwd, env: WITHOUT_DISPLAY })).stdout).toBe(before);
  });

  it.runIf(process.platform === 'linux')('starts the program of the desktop with the page', async () => {
    const cwd = await twoReports();
    const tools = join(cwd, 'tools');
    mkdirSync(tools);
    writeFileSync(
      join(tools, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > ${join(cwd, 'shown.new')}\n/bin/mv ${join(cwd, 'shown.new')} ${join(cwd, 'shown')}\n`,
    );
    chmodSync(join(tools, 'xdg-open'), 0o755);
    const env = { ...WITHOUT_DISPLAY, DISPLAY: ':0', PATH: tools };
    const { code, stdout } = await cli(['open', 'reports/first'], { cwd, env });
    const page = join(cwd, 'reports/first/report.html');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `opened ${page}\n` });
    await expect.poll(() => existsSync(join(cwd, 'shown')), { timeout: 20_000 }).toBe(true);
    expect(readFileSync(join(cwd, 'shown'), 'utf8')).toBe(page);

    rmSync(join(tools, 'xdg-open'));
    const without = await cli(['open', 'reports/first'], { cwd, env });
    expect(without).toEqual({
      code: 0,
      stdout: `${page}\n`,
      stderr: 'xdg-open cannot be started; open the page yourself\n',
    });
  });

  it('says what to do where there is no page', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('first') });
    const none = await cli(['open'], { cwd, env: WITHOUT_DISPLAY });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('no page has been written yet');
    expect(none.stderr).toContain('hint: ccbench run <scenario> writes one');
    await cli(['run', 'a.yaml', '--quiet'], { cwd, env: WITHOUT_DISPLAY });
    rmSync(join(cwd, 'reports'), { recursive: true });
    const gone = await cli(['open'], { cwd, env: WITHOUT_DISPLAY });
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('report.html: the last page is no longer there');
    mkdirSync(join(cwd, 'empty'));
    expect((await cli(['open', 'empty'], { cwd })).stderr).toContain('empty: it holds no report.html');
    expect((await cli(['open', 'x.html'], { cwd })).stderr).toContain('x.html: there is no such page');
    writeFileSync(join(cwd, 'kept/last-page.json'), '{');
    expect((await cli(['open'], { cwd, env: WITHOUT_DISPLAY })).stderr).toContain('no page has been written');
  });

  it.each<[NodeJS.Platform, Record<string, string>, string | null]>([
    ['linux', {}, null],
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', { DISPLAY: ':0', CI: 'true' }, null],
    ['darwin', {}, 'open'],
    ['darwin', { SSH_CONNECTION: '1 2 3 4' }, null],
    ['win32', {}, 'rundll32'],
  ])('on %s with %j the page goes to %s', (platform, env, program) => {
    expect(openerFor('/p.html', platform, env)?.[0] ?? null).toBe(program);
  });
});
