import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assistant, jsonl, say, system, usage, user } from '../../../helpers/session.js';
import { cli, TRACE, tempFolder } from '../../cli.js';

const cells = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/));

async function printed(files: Readonly<Record<string, string | Uint8Array>>, ...argv: readonly string[]) {
  const cwd = tempFolder(files);
  const args = ['ttl', ...Object.keys(files), ...argv];
  const { stdout, stderr } = await cli(args, { cwd, columns: 240 });
  const report = JSON.parse((await cli([...args, '--json'], { cwd })).stdout);
  return { stdout, stderr, rows: cells(stdout), report, cwd };
}

/** A Claude Code session: each call writes this many tokens; the calls are twenty seconds apart. */
const session = (name: string, ...written: readonly number[]) =>
  jsonl(
    written.flatMap((tokens, i) => [
      user(`${name}u${i}`, i * 20, 'go'),
      assistant(`${name}a${i}`, i * 20 + 5, `${name}m${i}`, say('done'), {
        model: 'claude-sonnet-4-5',
        usage: usage(0, 0, tokens, 1_000),
      }),
    ]),
  );

describe('the text of lifetimes', () => {
  it('has the size of the sessions, and the hit rate at each lifetime', async () => {
    const { rows } = await printed({ 'a.json': TRACE }, '--ttl', '300,3600,86400');
    expect(rows[0]).toEqual(['1 session · 4 requests · 4,000 prompt tokens']);
    // 640 tokens come again in each request: one pause is below 5 minutes, two below an hour
    expect(rows.slice(2, 6)).toEqual([
      ['lifetime', 'hit rate', 'hit tokens'],
      ['5 min', '16.0%', '640'],
      ['1 h', '32.0%', '1,280'],
      ['24 h', '48.0%', '1,920'],
    ]);
  });

  it('says of one session nothing of a spread, of two how they differ', async () => {
    const spread = 'Hit rate per session at an unlimited lifetime';
    expect((await printed({ 'a.json': TRACE })).stdout).not.toContain(spread);
    const all = JSON.parse(TRACE);
    // the second session has one request, which finds nothing
    const short = JSON.stringify({ ...all, id: 'short', requests: all.requests.slice(0, 1) });
    const { stdout } = await printed({ 'a.json': TRACE, 'b.json': short });
    expect(stdout).toContain(`${spread}: median 24.0%, lower quartile 12.0%, mean 24.0%, lowest 0.0%.`);
  });

  it('has each session at both lifetimes on request, and the figures of the JSON', async () => {
    const { stdout, rows, report } = await printed({ 'a.json': TRACE }, '--per-session');
    // $0.30 read, $3.75 and $6 written, $15 out: see the costs in ttl.test.ts
    const [own] = report.cost.perSession;
    expect(rows.find(([first]) => first === 'session')).toEqual([
      'session',
      '5 min',
      '1 h',
      'cheaper',
      'rescued',
      'break-even',
    ]);
    const comma = (tokens: number) => Math.round(tokens).toLocaleString('en-US');
    expect(rows.find(([first]) => first === 'a')).toEqual([
      'a',
      '$0.0134',
      '$0.0173',
      '5m',
      '640',
      comma(own.breakEvenTokens),
    ]);
    const { premiumUsd, savedUsd, breakEvenTokens } = report.cost;
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `1 hour pays $${premiumUsd.toFixed(4)} more for writes and saves $${savedUsd.toFixed(4)} on 640 tokens read after 5 minutes to 1 hour; it breaks even at ${comma(breakEvenTokens)}.`,
    );
    expect(stdout).toContain(
      '5 minutes is cheaper for 100.0% of the sessions, 1 hour for 0.0%, neither for 0.0%.',
    );
  });

  it('says what an hour saves on requests that no recording holds apart from what it rescues', async () => {
    const call = (id: string, at: number, read: number, written: number) => [
      user(`${id}u`, at, 'go'),
      assistant(`${id}a`, at + 5, id, say('done'), {
        model: 'claude-opus-4-6',
        usage: usage(0, read, written, 10),
      }),
    ];
    const away = system('away', 192, 'away_summary', { content: 'so far' });
    const lines = [...call('one', 0, 16_000, 14_000), away, ...call('two', 400, 30_000, 500)];
    const text = jsonl(lines.map((line) => ({ ...line, version: '2.1.112' })));
    const { stdout, report } = await printed({ 's.jsonl': text }, '--verbose');
    const { unrecordedUsd, savedUsd, rescuedTokens } = report.cost;
    expect({ savedUsd, rescuedTokens }).toEqual({ savedUsd: 0, rescuedTokens: 0 });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `It saves $${unrecordedUsd.toFixed(4)} on unrecorded requests.`,
    );
  });

  it('has what was billed beside both lifetimes where the recording tells', async () => {
    const { rows } = await printed({ 's.jsonl': session('s', 10_000) }, '--per-session');
    // 10,000 tokens written for an hour at $6, which would be $3.75 for five minutes, and 1,000 out at $15
    expect(rows.filter(([first]) => ['as recorded', '5 minutes', '1 hour'].includes(first!))).toEqual([
      ['as recorded', '$0.0750'],
      ['5 minutes', '$0.0525'],
      ['1 hour', '$0.0750'],
    ]);
    expect(rows.find(([first]) => first === 'session')!.slice(0, 4)).toEqual([
      'session',
      'as recorded',
      '5 min',
      '1 h',
    ]);
    expect(rows.find(([first]) => first === 's')!.slice(1, 4)).toEqual(['$0.0750', '$0.0525', '$0.0750']);
  });

  it('names the page and the picture that it wrote, and none where it wrote none', async () => {
    const { stdout, cwd } = await printed({ 'a.json': TRACE }, '--out', 'made', '--png');
    expect(stdout).toContain(`page ${join('made', 'ttl.html')}\n`);
    expect(readdirSync(join(cwd, 'made')).sort()).toEqual(['charts', 'ttl.html']);
    expect(readdirSync(join(cwd, 'made/charts')).sort()).toEqual(
      ['cost', 'hit-rate'].flatMap((name) =>
        ['png', 'svg', 'vl.json'].map((ending) => `${name}-by-lifetime.${ending}`),
      ),
    );
    expect((await printed({ 'a.json': TRACE })).stdout).not.toContain('page ');
  });
});
