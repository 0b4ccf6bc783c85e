import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answered, say, usage, user } from '../../helpers/session.js';
import { cli, refused, scenario, TRACE, tempFolder } from '../cli.js';

/** More than what is unpacked: 272 MB. */
const MUCH = Buffer.alloc(285_212_672, ' ');

const LINES = [user('u1', 0, 'go'), answered(1, 1, say('done'), usage(2, 9_000, 900, 20))];

describe('input that unpacks to far more than it is', () => {
  it.each([
    ['recording', 'a.jsonl.gz', LINES.map((line) => `${JSON.stringify(line)}\n`).join('')],
    ['trace', 'a.json.gz', TRACE],
  ])('D6 a %s is refused in one line', async (_kind, name, head) => {
    const cwd = tempFolder({ [name]: gzipSync(Buffer.concat([Buffer.from(head), MUCH]), { level: 1 }) });
    const stderr = await refused(['inspect', name], { cwd });
    expect(stderr.split('\n')[0]).toContain('the gzip data is larger than 256 MiB when unpacked');
  });
});

describe('a plan of many points', () => {
  it('D6 hears Ctrl-C before it is made', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('many') });
    const stop = new AbortController();
    let looks = 0;
    const { code, stderr } = await cli(
      ['sweep', 'a.yaml', '--vary', 'estimatorFactor=0.5..2:20000', '--no-files', '--workers', '0'],
      {
        cwd,
        interrupt: stop.signal,
        now: () => {
          if (++looks === 20) stop.abort();
          return looks * 50;
        },
      },
    );
    expect(code).toBe(130);
    expect(stderr).toContain('interrupted');
    // a look at the clock for each point: the other 19,980 were not compiled
    expect(looks).toBeLessThan(100);
  });
});

describe('progress', () => {
  it.each(['inspect', 'ttl', 'validate'])('%s shows how many files are read', async (command) => {
    const text = LINES.map((line) => `${JSON.stringify(line)}\n`).join('');
    const cwd = tempFolder({ 'a.jsonl': text, 'b.jsonl': text, 'c.jsonl': text });
    const { stderr } = await cli([command, 'a.jsonl', 'b.jsonl', 'c.jsonl'], {
      cwd,
      terminal: 'stderr',
      now: (() => {
        let clock = 0;
        return () => (clock += 200);
      })(),
    });
    expect(stderr).toContain('2 of 3 files');
    expect(stderr.lastIndexOf('\r\u001b[2K')).toBeGreaterThan(stderr.lastIndexOf('files'));
  });
});
