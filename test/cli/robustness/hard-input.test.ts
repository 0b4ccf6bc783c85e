import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assistant, say, user } from '../../helpers/session.js';
import { cli, refused, scenario, TRACE, tempFolder } from '../cli.js';

const FIXTURE = resolve(import.meta.dirname, '../../../fixtures/bugfix-20-turns.jsonl');

const synthetic = (rest: string): string =>
  `name: big\ntranscript: { synthetic: { workload: bugfix, turns: 4, ${rest} } }\npolicy: none\n`;

describe('input that would hurt is refused in a sentence', () => {
  it.each([
    ['a list that holds itself', '&a [*a]'],
    ['a group that holds itself', 'name: x\npolicy: none\ntranscript: &a { synthetic: *a }\n'],
    [
      'a setting that holds itself',
      'name: x\npolicy: { use: none, set: &a { x: *a } }\ntranscript: { synthetic: {} }\n',
    ],
    [
      'a description that holds itself',
      'name: x\ndescription: &a [*a]\npolicy: none\ntranscript: { synthetic: {} }\n',
    ],
    ['tokens without characters', synthetic('overrides: { charsPerToken: 0 }')],
  ])('D8 %s is bad input', async (_what, text) => {
    const stderr = await refused(['run', 'a.yaml'], { cwd: tempFolder({ 'a.yaml': text }) });
    expect(stderr).toMatch(/^error\[/);
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    ['toolCallsPerResponse', 1e9],
    ['callsPerPrompt', 1e12],
    ['humanPromptChars', 1e10],
    ['outputTokens', 1e15],
    ['firstPromptTokens', 1e15],
    ['skillChars', 1e10],
    ['planChars', 1e10],
    ['charsPerToken', 1e-9],
    ['humanIdleSeconds', 1e300],
  ])('D13 %s of %d is out of bounds, alone and among quantiles', async (name, value) => {
    for (const written of [
      `${value}`,
      `{ p: [0, 1], v: [${[1, value].sort((a, b) => a - b).join(', ')}] }`,
    ]) {
      const cwd = tempFolder({ 'a.yaml': synthetic(`overrides: { ${name}: ${written} }`) });
      const { code, stderr } = await cli(['run', 'a.yaml'], { cwd });
      expect({ code, said: stderr.includes(name) }).toEqual({ code: 2, said: true });
    }
  });

  it('D13 the calls of all threads of a session have a bound together', async () => {
    const cwd = tempFolder({
      'a.yaml': synthetic('forks: [{ afterTurn: 2, children: 100, turns: 100000 }]'),
      'b.yaml': synthetic('subagents: { everyTurns: 1, turns: 100000 }').replace('turns: 4,', 'turns: 1000,'),
    });
    for (const [file, calls] of [
      ['a.yaml', '10,000,004'],
      ['b.yaml', '100,001,000'],
    ] as const) {
      const stderr = await refused(['run', file], { cwd });
      expect(stderr).toContain(`would make ${calls} calls; at most 2,000,000 are possible`);
    }
  });

  it('D13 workers and drawn settings have a bound', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('many') });
    const many = ['--vary', 'seed=1,2', '--no-files', '--workers'];
    expect((await cli(['sweep', 'a.yaml', ...many, '100000000'], { cwd })).code).toBe(2);
    expect((await cli(['sweep', 'a.yaml', ...many, '257'], { cwd })).stderr).toContain('from 0 to 256');
    const tune = await cli(['tune', 'a.yaml', '--vary', 'seed=1..9', '--budget', '999999'], { cwd });
    expect({ code: tune.code, said: tune.stderr.includes('1 to 100000') }).toEqual({ code: 2, said: true });
  });

  it('D12 responses that do not say their output are counted, and their output estimated', async () => {
    const counts = { input_tokens: 2, cache_read_input_tokens: 9_000, cache_creation_input_tokens: 900 };
    const model = 'claude-sonnet-4-5';
    const lines = [
      user('u1', 0, 'go'),
      assistant('a1', 1, 'm1', say('word '.repeat(400)), {
        model,
        usage: { ...counts },
        stop_reason: 'end_turn',
      }),
      user('u2', 2, 'go on'),
      assistant('a2', 3, 'm2', say('done'), {
        model,
        usage: { ...counts, cache_read_input_tokens: 9_900, output_tokens: 3 },
        stop_reason: 'end_turn',
      }),
    ];
    const cwd = tempFolder({
      'a.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      'a.yaml': 'name: a\ntranscript: { file: a.jsonl }\npolicy: none\n',
    });
    const { stdout } = await cli(['inspect', 'a.jsonl', '--json'], { cwd });
    expect(JSON.parse(stdout).files[0].warnings).toEqual([
      expect.objectContaining({ code: 'no-output-count', count: 1 }),
    ]);
    const run = JSON.parse((await cli(['run', 'a.yaml', '--no-files', '--json'], { cwd })).stdout);
    // 2,000 characters are some hundred tokens, never none
    expect(run.metrics.outputTokens).toBeGreaterThan(200);
  });
});

describe('results of a sweep', () => {
  it('D10 a result that was changed is left out and run again', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('kept') });
    const argv = ['sweep', 'a.yaml', '--vary', 'seed=1,2', '--workers', '0', '--json'];
    const first = JSON.parse((await cli(argv, { cwd })).stdout);
    const file = join(cwd, 'reports/kept-sweep/sweep.jsonl');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"costUsd":[\d.]+/, '"costUsd":0.5'));
    const { stdout, stderr } = await cli(argv, { cwd });
    expect(stderr).toContain(
      '1 broken line of reports/kept-sweep/sweep.jsonl left out; the 1 good ones are used',
    );
    expect(stderr).toContain('1 of 2 runs is finished already');
    expect(JSON.parse(stdout).points).toEqual(first.points);
    expect(readFileSync(file, 'utf8').split('\n').sort()).toEqual(text.split('\n').sort());
  });
});

describe('text from outside does not speak to the terminal', () => {
  /** Control characters but line ends. */
  const CONTROL = /[^\P{Cc}\n\t]/u;
  /** Colours, and the wiping of the line of progress. */
  const OURS = new RegExp(`${'\u001b'}\\[(?:\\d+m|2K)|\r`, 'g');
  const EVIL = '\u001b]0;title\u0007\u001b[2J\u009b31m';

  it.each(['inspect', 'ttl', 'validate'])('D11 %s of a file with escapes in its name', async (command) => {
    const name = `a${EVIL}.jsonl`;
    const cwd = tempFolder({ [name]: readFileSync(FIXTURE) });
    for (const terminal of ['stdout', 'stderr'] as const) {
      const { code, stdout, stderr } = await cli([command, name], { cwd, terminal });
      expect(code).toBe(0);
      expect(`${stdout}${stderr}`.replace(OURS, '')).not.toMatch(CONTROL);
    }
  });

  it('D11 colours of names and headers are not shown where ours are', async () => {
    const red = '\u001b[31m';
    const wipe = '\r\u001b[2K';
    const cwd = tempFolder({
      [`${red}a.jsonl`]: readFileSync(FIXTURE),
      [`${wipe}t.json`]: TRACE.replace('"hand"', JSON.stringify(`${wipe}${red}hand`)),
      'a.yaml': scenario('plain'),
    });
    const results = join(cwd, 'reports/plain-sweep');
    mkdirSync(results, { recursive: true });
    writeFileSync(
      join(results, 'sweep.jsonl'),
      `${JSON.stringify({ type: 'sweep', version: 2, program: `${wipe}${red}other` })}\n`,
    );
    for (const argv of [
      ['inspect', `${red}a.jsonl`],
      ['inspect', `${red}a.jsonl`, `${wipe}t.json`],
      ['ttl', `${wipe}t.json`],
      ['validate', `${red}a.jsonl`],
      ['why', `${red}a.jsonl`, '--no-files'],
      ['sweep', 'a.yaml', '--vary', 'seed=1', '--workers', '0', '--metrics', 'turns'],
      ['run', `${red}missing.yaml`],
      [`${red}inspekt`],
    ]) {
      const { stdout, stderr } = await cli(argv, { cwd, env: { FORCE_COLOR: '1' } });
      expect(`${stdout}${stderr}`, argv.join(' ')).not.toContain(red);
      expect(`${stdout}${stderr}`, argv.join(' ')).not.toContain('\r');
    }
    const { stdout } = await cli(['inspect', `${red}a.jsonl`], { cwd, env: { FORCE_COLOR: '1' } });
    expect(stdout).toContain('\u001b[1m');
  });

  it('D11 the header of a log, of results and of a trace', async () => {
    const cwd = tempFolder({
      'a.yaml': scenario('plain'),
      't.json': TRACE.replace('"hand"', JSON.stringify(EVIL)),
    });
    await cli(['run', 'a.yaml', '--no-charts'], { cwd });
    const log = join(cwd, 'reports/plain/run.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace('"name":"plain"', `"name":${JSON.stringify(EVIL)}`));
    const results = join(cwd, 'reports/plain-sweep');
    mkdirSync(results);
    writeFileSync(
      join(results, 'sweep.jsonl'),
      `${JSON.stringify({ type: 'sweep', version: 2, program: EVIL })}\n`,
    );
    for (const argv of [
      ['report', log],
      ['sweep', 'a.yaml', '--vary', 'seed=1', '--workers', '0'],
      ['inspect', 't.json'],
      ['ttl', 't.json'],
    ]) {
      const { stdout, stderr } = await cli(argv, { cwd });
      expect(`${stdout}${stderr}`).not.toMatch(CONTROL);
    }
  });
});
