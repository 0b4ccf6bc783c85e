import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answered, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, tempFolder } from '../../cli.js';

function turn(i: number): Buffer {
  return jsonl([
    user(`u${i}`, 60 * i, `question ${i}`, { parentUuid: i === 0 ? null : `a${i - 1}` }),
    answered(i, 60 * i + 5, say('answer'), usage(10, 1_000 * i, 1_000, 50), { parentUuid: `u${i}` }),
  ]);
}

function folderWithSession(): string {
  const cwd = tempFolder();
  mkdirSync(join(cwd, 'logs'));
  writeFileSync(join(cwd, 'logs', 'a.jsonl'), Buffer.concat([turn(0), turn(1)]));
  return cwd;
}

describe('ccbench why --watch', () => {
  it('makes the page again when a session goes on, serves it, and ends well on Ctrl-C', {
    timeout: 60_000,
  }, async () => {
    const cwd = folderWithSession();
    const stop = new AbortController();
    const printed: string[] = [];
    const ended = cli(['why', 'logs', '--watch'], {
      cwd,
      env: { HOME: cwd },
      interrupt: stop.signal,
      onPrinted: (text) => printed.push(text),
    });
    const page = join(cwd, 'reports', 'why', 'why.html');
    const address = await vi.waitFor(
      () => {
        const found = /page (http:\S+\/ccbench);/.exec(printed.join(''))?.[1];
        if (found === undefined) throw new Error('it does not watch yet');
        return found;
      },
      { timeout: 30_000 },
    );
    const before = readFileSync(page, 'utf8');
    expect(before).toContain('"requests":2');
    expect(await (await fetch(address)).text()).toContain('"requests":2');
    appendFileSync(join(cwd, 'logs', 'a.jsonl'), turn(2));
    await vi.waitFor(() => expect(readFileSync(page, 'utf8')).toContain('"requests":3'), { timeout: 30_000 });
    expect(await (await fetch(address)).text()).toContain('EventSource("/ccbench/events?seen=');
    stop.abort();
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    // The answer is printed once.
    expect(stdout.split('Where it went').length).toBe(2);
    expect(readFileSync(page, 'utf8')).toContain('"requests":3');
  });

  it('needs no file: it looks at the sessions on this machine', async () => {
    const { stdout } = await cli(['why', '--watch', '--json'], { cwd: folderWithSession() });
    expect(stdout).toContain('cannot be combined with --json');
  });

  it.each(['--json', '--no-files', '--trend', '--limits', '--fix', '--share'])(
    'refuses %s',
    async (option) => {
      const { code, stdout, stderr } = await cli(['why', 'logs', '--watch', option], {
        cwd: folderWithSession(),
      });
      expect(code).toBe(2);
      expect(stdout + stderr).toContain(`cannot be combined with ${option}`);
    },
  );
});
