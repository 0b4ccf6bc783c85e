import { describe, expect, it } from 'vitest';
import { reasonLine, reportFailure, strayFault } from '../../src/cli/fail.js';
import type { CliSession } from '../../src/cli/session.js';
import { Interrupted } from '../../src/cli/terminal/interrupt.js';
import { CcbenchError, ProblemList } from '../../src/core/base/errors.js';

/** What a failure prints, and its exit code. */
function failed(error: unknown, change: Partial<CliSession> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const stream = (list: string[]) => ({
    isTerminal: false,
    columns: null,
    write: (text: string) => void list.push(text),
  });
  const host = { stdout: stream(out), stderr: stream(err) };
  const session = { host, json: false, debug: false, ...change } as unknown as CliSession;
  return { code: reportFailure(session, error), stdout: out.join(''), stderr: err.join('') };
}
const problem = (message: string, hint?: string) =>
  new CcbenchError('bad-value', message, hint === undefined ? {} : { hint });
const hintOf = (hint: string) => failed(problem('no', hint)).stderr.split('\n')[1];

describe('a failure', () => {
  it('is its code, place, sentence and hint, with exit code 2', () => {
    const error = new CcbenchError('bad-value', 'no', {
      hint: 'yes',
      place: { file: 'a', line: 3, column: 4 },
    });
    expect(failed(error)).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: 'error[bad-value] a:3:4: no\n  hint: yes\n',
    });
    expect(reasonLine(error)).toBe('error[bad-value] a:3:4: no');
  });

  it('has a hint of 700 characters at most: a list is cut behind a whole name, a text anywhere', () => {
    const names = Array.from({ length: 90 }, (_, i) => `name-${i + 100}`);
    // 69 names of eight characters and 68 separators of two are 688 characters, one more would be 698 and reach the limit
    const exact = names.slice(0, 70).join(', ');
    expect([exact.length, hintOf(exact)]).toEqual([698, `  hint: ${exact}`]);
    expect(hintOf(names.join(', '))).toBe(`  hint: ${exact} … and 20 more`);
    expect(hintOf('x'.repeat(700))).toBe(`  hint: ${'x'.repeat(700)}`);
    expect(hintOf('x'.repeat(701))).toBe(`  hint: ${'x'.repeat(700)}… (701 characters)`);
  });

  it('of many problems lists fifty and counts the rest', () => {
    const many = (count: number) =>
      failed(
        new ProblemList(
          'bad-scenario',
          's.yaml',
          Array.from({ length: count }, (_, i) => problem(`p${i}`)),
        ),
      );
    expect(many(50).stderr.match(/^error\[bad-value\]/gm)).toHaveLength(50);
    expect(many(50).stderr).not.toContain('more');
    expect(many(51).stderr).toMatch(/: p49\n… and 1 more problem\n$/);
    expect(many(52).stderr).toMatch(/: p49\n… and 2 more problems\n$/);
  });

  it('of the program itself says so, with exit code 1, and its stack with --debug alone', () => {
    const fault = new RangeError('too far');
    expect(failed(fault)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error\[internal\]: this is a fault of ccbench: too far\n {2}hint: run the same/,
      ),
    });
    expect(failed(fault).stderr).not.toContain('    at ');
    expect(failed(fault, { debug: true }).stderr).toContain('    at ');
    expect(failed(new CcbenchError('invariant', 'no')).code).toBe(1);
  });

  it('is one object with --json, with every problem', () => {
    const { stdout, stderr, code } = failed(
      new ProblemList('bad-scenario', 's', [problem('a'), problem('b', 'h')]),
      { json: true },
    );
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'bad-scenario' });
    expect(stdout).toContain('"hint": "h"');
    expect(stderr).toBe(
      failed(new ProblemList('bad-scenario', 's', [problem('a'), problem('b', 'h')])).stderr,
    );
  });

  it('may be the wish of the user', () => {
    expect(failed(new Interrupted()).code).toBe(130);
  });

  it('beside a command is that of a plug-in where its file is among the places', () => {
    const stray = new Error('ouch');
    stray.stack = 'Error: ouch\n    at file:///x/p.mjs?sha256=abc:3:4';
    expect(strayFault(stray)).toMatchObject({
      code: 'bad-plugin',
      message: expect.stringContaining('p.mjs'),
    });
    expect(strayFault(new Error('ouch'))).toMatchObject({ code: 'internal' });
    expect(strayFault('ouch')).toMatchObject({ code: 'internal', message: expect.stringContaining('ouch') });
  });
});
