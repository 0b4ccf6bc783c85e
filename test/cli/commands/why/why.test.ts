import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, printed, refused, tempFolder } from '../../cli.js';

/** Two prompts, the second after twenty minutes. */
function session(folder: string, name: string, project: string, named = 'claude-sonnet-4-5'): void {
  const fields = { version: '2.1.100', cwd: project };
  const model = { model: named };
  const lines = [
    user('u0', 0, 'a secret question', fields),
    assistant(
      'a0',
      1,
      `${name}-0`,
      say('a secret answer'),
      { ...model, usage: usage(10, 0, 90_000, 50) },
      { ...fields, parentUuid: 'u0' },
    ),
    user('u1', 7_200, 'more', { ...fields, parentUuid: 'a0' }),
    assistant(
      'a1',
      7_201,
      `${name}-1`,
      say('yes'),
      { ...model, usage: usage(10, 0, 95_000, 50) },
      { ...fields, parentUuid: 'u1' },
    ),
  ];
  mkdirSync(folder, { recursive: true });
  cpSync(join(tempFolder({ [name]: jsonl(lines) }), name), join(folder, name));
}

describe('ccbench why', () => {
  it('without an argument explains what it finds in the usual places', async () => {
    const home = tempFolder();
    session(join(home, '.claude/projects/-projects-shop'), 's1.jsonl', '/projects/shop');
    const stdout = await printed(['why'], { cwd: home, env: { HOME: home } });
    // Written: 90,000 + 95,000 for an hour at $6 a million, 20 at $3, 100 put out at $15.
    expect(stdout).toContain('$1.11 · 1 session · 2 requests');
    expect(stdout).toContain('/projects/shop');
    expect(stdout).toContain('the 1-hour lifetime ran out');
    expect(stdout).toMatch(/ \$0\.54 /);
    expect(stdout).toMatch(/^The session is reproduced within /);
    expect(stdout).toMatch(/\npage reports\/why\/why\.html\n$/);
    expect(readFileSync(join(home, 'reports/why/why.html'), 'utf8')).toContain('"name":"s1"');
  });

  it('says where it looked when it finds nothing', async () => {
    const home = tempFolder();
    const stderr = await refused(['why'], { cwd: home, env: { HOME: home } });
    expect(stderr).toContain('no sessions were found in their usual places');
    expect(stderr).toContain('ccbench why <path>');
    expect(stderr).toContain('~/.claude/projects');
  });

  it('--share has neither names nor paths nor text', async () => {
    const home = tempFolder();
    session(join(home, 'logs'), 'private-name.jsonl', '/projects/shop');
    const stdout = await printed(['why', 'logs', '--share'], { cwd: home, env: { HOME: home } });
    expect(stdout).toContain('$1.11 at list prices in 1 session of 1 project');
    expect(existsSync(join(home, 'reports'))).toBe(false);
    for (const word of ['private', 'shop', 'secret', '/', '.jsonl']) expect(stdout).not.toContain(word);
  });

  it('--share --json has the figures of the block, and neither names nor paths nor days', async () => {
    const home = tempFolder();
    session(join(home, 'logs'), 'private-name.jsonl', '/projects/shop');
    // A copy is set aside with a reason that names the other file.
    session(join(home, 'logs'), 'private-two.jsonl', '/projects/shop');
    cpSync(join(home, 'logs/private-name.jsonl'), join(home, 'logs/private-copy.jsonl'));
    const stdout = await printed(['why', 'logs', '--share', '--json'], {
      cwd: home,
      env: { HOME: home },
    });
    const shared = JSON.parse(stdout);
    expect(shared).toMatchObject({ sessions: 2, projects: 1, models: 1, requests: 4, skipped: 0 });
    expect(shared.recordedUsd).toBeCloseTo(2.2232, 3);
    expect(shared.reproduced.setAside).toEqual([{ reason: 'its calls are in another session too' }]);
    for (const word of ['private', 'shop', 'secret', '/projects', 'logs', '.jsonl', '2026-', 'claude', home])
      expect(stdout).not.toContain(word);
  });

  it('says in the JSON what the text says of its costs, and in what may be shown around but for names', async () => {
    const home = tempFolder();
    const fields = { version: '2.1.100' };
    // The first response does not say how it stopped, so that its output is a placeholder; the second has a model of one's own.
    const first = { model: 'claude-sonnet-4-5', stop_reason: null, usage: usage(10, 0, 9_000, 1) };
    const second = { model: 'my-own-model', usage: usage(10, 9_000, 500, 50) };
    const lines = [
      user('u0', 0, 'a question', fields),
      assistant('a0', 1, 'm0', say('a long answer'), first, { ...fields, parentUuid: 'u0' }),
      user('u1', 9, 'more', { ...fields, parentUuid: 'a0' }),
      assistant('a1', 10, 'm1', say('yes'), second, { ...fields, parentUuid: 'u1' }),
    ];
    cpSync(join(tempFolder({ s: jsonl(lines) }), 's'), join(home, 's.jsonl'));
    const plain = async (...options: string[]) =>
      (await cli(['why', 's.jsonl', ...options], { cwd: home })).stdout.replaceAll(/\s+/g, ' ');
    const { notes } = JSON.parse(await plain('--json', '--no-files'));
    expect(notes).toContain(
      'as recorded: the output of 1 of 2 calls is estimated: the recording has placeholders',
    );
    expect(notes).toContain('as recorded: without 1 call of unknown models (my-own-model)');
    const text = await plain('--no-files');
    for (const note of notes) expect(text).toContain(note);
    const shared = JSON.parse(await plain('--share', '--json'));
    expect(shared.notes).toContain('as recorded: without 1 call of unknown models (not named)');
    const block = await plain('--share');
    for (const note of shared.notes) expect(block).toContain(note);
    expect(block).not.toContain('my-own-model');
  });

  it('--since leaves out what ended before, and says when nothing is left', async () => {
    const home = tempFolder();
    session(join(home, 'logs'), 's1.jsonl', '/projects/shop');
    const kept = await cli(['why', 'logs', '--since', '2026-01-02', '--json', '--no-files'], { cwd: home });
    expect(existsSync(join(home, 'reports'))).toBe(false);
    expect(JSON.parse(kept.stdout).sessions).toBe(1);
    const gone = await cli(['why', 'logs', '--since', '2026-01-03'], { cwd: home });
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('no session ended on 2026-01-03 or later');
    const wrong = await cli(['why', 'logs', '--since', 'yesterday'], { cwd: home });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('--since yesterday is not a day');
  });

  it('says why no session counts, of the first, and how many more there are', async () => {
    const home = tempFolder();
    const said = async () => {
      const stderr = await refused(['why', 'logs'], { cwd: home });
      return stderr;
    };
    session(join(home, 'logs'), 's1.jsonl', '/projects/shop', 'mystery-1');
    expect(await said()).toMatch(/s1\.jsonl.*no session has a recorded cost: [^()]*mystery-1[^()]*\n/);
    session(join(home, 'logs'), 's2.jsonl', '/projects/shop', 'mystery-1');
    expect(await said()).toMatch(/no session has a recorded cost: .*mystery-1.* \(and 1 more\)\n/);
  });

  it('fits into 60 columns', async () => {
    const home = tempFolder();
    session(join(home, 'logs'), 's1.jsonl', '/projects/shop');
    const { stdout } = await cli(['why', 'logs'], { cwd: home, env: { HOME: home }, columns: 60 });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    expect(stdout).toContain('not shown in 60 columns');
  });
});

it.skipIf(!sharedData.present)(
  'explains sessions of a provider that tells no writes by what was sent again',
  async () => {
    const codex = sharedData.files('transcripts/codex').filter((file) => file.includes('.jsonl'));
    const { stdout } = await cli(['why', ...codex, '--json'], { cwd: tempFolder() });
    const { byCause, recordedUsd } = JSON.parse(stdout);
    expect(byCause.reduce((sum: number, { usd }: { usd: number }) => sum + usd, 0)).toBeCloseTo(
      recordedUsd,
      6,
    );
    expect(byCause.map(({ cause }: { cause: string }) => cause)).toContain('growth');
  },
);

describe('what was found while recordings were read', () => {
  it('D1 is said by why and ttl alike, once, and stands on the page and in the JSON', async () => {
    const model = { model: 'claude-sonnet-4-5' };
    const whole = new TextDecoder().decode(
      jsonl([
        user('u0', 0, 'a question', { version: '2.1.100' }),
        assistant('a0', 1, 'm0', say('an answer'), { ...usage(10, 0, 20_000, 100), ...model }),
        user('u1', 20, 'another', {}),
        assistant('a1', 21, 'm1', say('one more'), { ...usage(10, 20_000, 1_000, 100), ...model }),
      ]),
    );
    const cwd = tempFolder({ 's.jsonl': `${whole.trimEnd()}\n{"type": broken\n` });
    const sentence = 's: not JSON and skipped: line 5';
    const told = (stderr: string) => stderr.split('\n').filter((line) => line.includes('line 5'));
    const { stderr } = await cli(['why', 's.jsonl'], { cwd });
    expect(told(stderr)).toEqual([sentence]);
    expect(readFileSync(join(cwd, 'reports/why/why.html'), 'utf8')).toContain(sentence);
    expect(told((await cli(['ttl', 's.jsonl'], { cwd })).stderr)).toEqual([sentence]);
    const { stdout } = await cli(['why', 's.jsonl', '--no-files', '--json'], { cwd });
    expect(JSON.parse(stdout).warnings).toMatchObject([
      { code: 'broken-lines', message: sentence, count: 1 },
    ]);
  });
});
