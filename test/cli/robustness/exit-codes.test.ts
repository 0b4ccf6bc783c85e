import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CcbenchError } from '../../../src/core/base/errors.js';
import { cli, refused, scenario, snapshot, tempFolder } from '../cli.js';

describe('exit codes', () => {
  it('99 when an expectation fails, after every scenario was run', async () => {
    const cwd = tempFolder({
      'a.yaml': scenario('bad', 'expect: [apiCalls > 40]\n'),
      'b.yaml': scenario('good'),
    });
    const { code, stdout, stderr } = await cli(['run', 'a.yaml', 'b.yaml', '--json'], { cwd });
    expect(code).toBe(99);
    expect(stderr).toContain('expectation failed in bad: apiCalls > 40 (apiCalls is 40)');
    const { runs } = JSON.parse(stdout);
    expect(runs).toHaveLength(2);
    expect(runs[0].expectations[0]).toMatchObject({ passed: false, actual: 40 });
    expect(readdirSync(join(cwd, 'reports'))).toEqual(['bad', 'good']);
  });

  it('99 when the run has no data for an expectation', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('bad', 'expect: [cacheHitRateSubagents >= 0]\n') });
    expect((await cli(['run', 'a.yaml', '--no-files'], { cwd })).code).toBe(99);
  });

  it('98 when a run is worse than the baseline, 0 for the baseline itself', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['run', 'a.yaml', '--out', 'main'], { cwd });
    const compare = (...argv: string[]) => cli(['run', 'a.yaml', '--baseline', 'main', ...argv], { cwd });
    expect((await compare()).code).toBe(0);
    const worse = await compare('--model', 'claude-opus-4-1');
    expect(worse.code).toBe(98);
    expect(worse.stderr).toContain('regression in tiny: costUsd was $');
  });

  it('98 or 0 by how much worse than the baseline --tolerance allows', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['run', 'a.yaml', '--out', 'main'], { cwd });
    const file = join(cwd, 'main/tiny/summary.json');
    const summary = JSON.parse(readFileSync(file, 'utf8'));
    // The baseline was cheaper: this run costs 5 % more.
    summary.metrics.costUsd /= 1.05;
    writeFileSync(file, JSON.stringify(summary));
    const codeWith = async (...argv: string[]) =>
      (await cli(['run', 'a.yaml', '--baseline', 'main', '--no-files', ...argv], { cwd })).code;
    expect(await codeWith()).toBe(98);
    expect(await codeWith('--tolerance', '4.9%')).toBe(98);
    expect(await codeWith('--tolerance', '5.1')).toBe(0);
  });

  it('2 when the baseline lacks a run, before anything is run', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const stderr = await refused(['run', 'a.yaml', '--baseline', 'none-here'], { cwd });
    expect(stderr).toContain('the baseline has no report of tiny');
    expect(readdirSync(cwd)).toEqual(['a.yaml']);
  });

  it('130 on interrupt in the middle of a replay, the previous report intact and nothing left behind', async () => {
    const long = scenario('tiny', 'variants: [{ name: hour, cache: { ttl: 1h } }]\n');
    const cwd = tempFolder({ 'a.yaml': long.replace('turns: 40', 'turns: 200') });
    await cli(['run', 'a.yaml'], { cwd });
    const before = snapshot(cwd);
    for (const calls of [1, 3, 8]) {
      const controller = new AbortController();
      let asked = 0;
      const now = () => {
        if (++asked === calls) controller.abort();
        return asked * 50;
      };
      const { code, stderr } = await cli(['run', 'a.yaml', '--seed', '8'], {
        cwd,
        interrupt: controller.signal,
        now,
      });
      expect(code).toBe(130);
      expect(stderr).toContain('interrupted');
      expect(snapshot(cwd)).toEqual(before);
    }
  });

  it('130 on interrupt leaves no folder behind where there was none', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 'b.yaml': scenario('other') });
    const { code, stdout } = await cli(['run', 'a.yaml', 'b.yaml', '--json'], {
      cwd,
      interrupt: AbortSignal.abort(),
    });
    expect(code).toBe(130);
    expect(JSON.parse(stdout).error.code).toBe('interrupted');
    expect(readdirSync(cwd)).toEqual(['a.yaml', 'b.yaml']);
  });

  it('1 for an invariant that does not hold, which is no fault of the input', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const now = () => {
      throw new CcbenchError('invariant', 'INV-2 does not hold: planted');
    };
    const { code, stderr } = await cli(['run', 'a.yaml'], { cwd, now });
    expect(code).toBe(1);
    expect(stderr).toContain('error[invariant]: INV-2 does not hold: planted');
    expect(readdirSync(cwd)).toEqual(['a.yaml']);
  });

  it('1 for a bug in ccbench, with a stack only for --debug', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const now = () => {
      throw new TypeError('the clock is broken');
    };
    const { code, stdout, stderr } = await cli(['run', 'a.yaml'], { cwd, now });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('error[internal]: this is a fault of ccbench: the clock is broken');
    expect(stderr).toContain('--debug');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect((await cli(['run', 'a.yaml', '--debug'], { cwd, now })).stderr).toMatch(/\n\s+at /);
    expect(readdirSync(cwd)).toEqual(['a.yaml']);
  });
});
