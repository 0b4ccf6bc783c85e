import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cli, scenario, snapshot, TRACE, tempFolder } from '../cli.js';

const BINARY = Uint8Array.from({ length: 400 }, (_, i) => i % 7);

async function refused(argv: readonly string[], cwd: string): Promise<string> {
  const before = snapshot(cwd);
  const { code, stdout, stderr } = await cli(argv, { cwd });
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^error\[[a-z-]+\]/);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(snapshot(cwd)).toEqual(before);
  return stderr;
}

function replayOf(file: string): string {
  return `name: replay\ntranscript: { file: ${file} }\npolicy: none\n`;
}

describe('options that would do nothing', () => {
  it.each([
    ['run a.yaml --tolerance 1', '--tolerance has no effect without --baseline'],
    ['run a.yaml --no-files --png', '--png has no effect with --no-files'],
    ['run a.yaml --no-charts --svg', '--svg has no effect with --no-charts'],
    ['run a.yaml --no-charts --png', '--png has no effect with --no-charts'],
    ['run a.yaml --no-files --out x', '--out has no effect with --no-files'],
    ['compare a.yaml --no-files --out x', '--out has no effect with --no-files'],
    ['why --share --out x', '--out has no effect with --share'],
    ['why --share --by file', '--by has no effect with --share'],
    ['ttl t.json --png', '--png has no effect without --out'],
    ['validate t.json --png', '--png has no effect without --out'],
    ['bench hot-paths --noise 2', '--noise has no effect without --baseline'],
    ['run a.yaml --policy none --set policy=unbounded', '--policy has no effect with --set policy=unbounded'],
    [
      'compare a.yaml --policy none --set policy.use=unbounded',
      '--policy has no effect with --set policy.use=unbounded',
    ],
    ['run a.yaml --seed 1 --set seed=2', '--seed has no effect with --set seed=2'],
    ['compare a.yaml --model m --set model=n,o', '--model has no effect with --set model=n,o'],
    [
      'run a.yaml --prices-of 2026-10-01 --set priceDay=2026-11-01',
      '--prices-of has no effect with --set priceDay=2026-11-01',
    ],
  ])('ccbench %s is refused', async (line, sentence) => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 't.json': TRACE });
    expect(await refused(line.split(' '), cwd)).toContain(`error[bad-usage]: ${sentence}\n`);
  });

  it('--tolerance of diff needs no baseline', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    expect((await cli(['diff', 'a.yaml', 'a.yaml', '--tolerance', '1'], { cwd })).code).toBe(0);
  });
});

describe('a file that other commands take', () => {
  it.each(['why', 'inspect', 'ttl', 'validate'])('%s says which', async (command) => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 'run.jsonl': '{"type":"run","version":2}\n' });
    expect(await refused([command, 'a.yaml'], cwd)).toContain(
      'hint: ccbench run, compare, sweep and tune take scenarios; here a recording is needed',
    );
    expect(await refused([command, 'run.jsonl'], cwd)).toContain(
      'hint: ccbench report and diff take logs of runs; here a recording is needed',
    );
  });
});

describe('a file that is missing', () => {
  it('is looked for from the current folder where its path is relative', async () => {
    const cwd = tempFolder({});
    expect(await refused(['why', 'a.jsonl'], cwd)).toContain(
      'hint: paths are relative to the current folder',
    );
    expect(await refused(['why', join(cwd, 'a.jsonl')], cwd)).not.toContain('hint');
    writeFileSync(join(cwd, 'a.json'), '');
    expect(await refused(['why', join(cwd, 'a.jsonl')], cwd)).toContain(
      `hint: did you mean ${join(cwd, 'a.json')}?\n`,
    );
  });
});

describe('bad scenarios', () => {
  it.each([
    ['missing', null, 'there is no file a.yaml'],
    ['empty', '', 'a.yaml: the file is empty'],
    ['binary', BINARY, 'a.yaml: the file is binary, not text'],
    ['cut short', 'name: tiny\ntranscript: { synthetic: { turns: 5', 'a.yaml:'],
    ['of an unknown key', scenario('tiny', 'cach: { ttl: 1h }\n'), 'cach'],
    [
      'of an unknown model',
      scenario('tiny', 'model: claude-sonet-4-5\n'),
      'did you mean "claude-sonnet-4-5"',
    ],
    ['of an unknown policy', scenario('tiny').replace('policy: none', 'policy: noen'), 'did you mean "none"'],
    ['of an unknown metric', scenario('tiny', 'expect: [cacheHitRat > 1]\n'), 'cacheHitRate'],
  ])('a file that is %s', async (_what, text, sentence) => {
    const cwd = tempFolder(text === null ? {} : { 'a.yaml': text });
    expect(await refused(['run', 'a.yaml'], cwd)).toContain(sentence);
  });

  it('a log in the place of a scenario, or a recording where none is run: says what to type instead', async () => {
    const session = readFileSync(join(import.meta.dirname, '../../../fixtures/bugfix-20-turns.jsonl'));
    const cwd = tempFolder({ 's.jsonl': session, 'run.jsonl': '{"type":"run","version":1}\n' });
    expect(await refused(['run', 'run.jsonl'], cwd)).toContain('ccbench report run.jsonl');
    const served = await refused(['serve', '--scenario', 's.jsonl'], cwd);
    expect(served).toContain('s.jsonl is a recording, not a scenario');
    expect(served).toContain('transcript: { file: s.jsonl }');
  });

  it.each([
    ['a text', 't.txt', 'hello world\n'],
    ['a table', 'x.csv', 'name,size\na,1\n'],
    ['a table named as lines', 'x.jsonl', 'a,b\n1,2\n'],
    ['lines of no known format', 'junk.jsonl', '{"name": 1}\n{"transcript": \nnot json\n'],
    ['another object', 'x.json', '{ "a": 1 }'],
  ])('%s in the place of a scenario: one sentence, and a way out', async (_what, name, text) => {
    const cwd = tempFolder({ [name]: text });
    const stderr = await refused(['run', name], cwd);
    const problems = stderr.split('\n').filter((line) => line.startsWith('error['));
    expect(problems).toEqual([
      `error[bad-input] ${name}: this is neither a scenario nor a recording in a known format`,
    ]);
    expect(stderr).toContain('ccbench init');
  });

  it('a scenario is one by any name, and its problems have places', async () => {
    const braces = '{ name: a, transcript: { synthetic: {} }, polcy: none }';
    const cwd = tempFolder({ 'a.txt': scenario('a', 'cach: 1\n'), 'a.json': braces });
    expect(await refused(['run', 'a.txt'], cwd)).toContain('unknown key `cach`');
    expect(await refused(['run', 'a.json'], cwd)).toContain('a.json:1:43: unknown key `polcy`');
  });

  it('a scenario that is one word: says what to write', async () => {
    const stderr = await refused(['run', 'a.yaml'], tempFolder({ 'a.yaml': 'hello\n' }));
    expect(stderr).toContain('got "hello"');
    expect(stderr).toContain('write at least `name:` and `transcript:`');
  });

  it('a missing file with one of another ending beside it: says which', async () => {
    const cwd = tempFolder({ 'mine.yaml': scenario('mine'), 'other.yaml': scenario('other') });
    for (const name of ['mine.yml', 'mine', 'Mine.yaml'])
      expect(await refused(['run', name], cwd)).toContain('did you mean mine.yaml?');
    expect(await refused(['run', 'nothing.yml'], cwd)).not.toContain('did you mean');
  });

  it('a file where results need a folder: says so, as for reports', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), afile: 'x' });
    const sweep = ['sweep', 'a.yaml', '--vary', 'seed=1,2'];
    const { stderr: told } = await cli([...sweep, '--out', 'afile'], { cwd });
    for (const stderr of [await refused([...sweep, '--results', 'afile'], cwd), told]) {
      expect(stderr).toContain('cannot be written: there is a file where a folder is needed');
      expect(stderr).not.toContain('make room');
    }
  });

  it('a folder that begins with a dash: says how to name it to the same command', async () => {
    const cwd = tempFolder();
    expect(await refused(['why', '-home-me'], cwd)).toContain('ccbench why -- -home-me');
  });

  it('reports the problems of all files at once, each with its place', async () => {
    const cwd = tempFolder({
      'a.yaml': scenario('a', 'cach: 1\n'),
      'b.yaml': scenario('b', 'seedd: 1\nmodell: x\n'),
    });
    const stderr = await refused(['run', 'a.yaml', 'b.yaml', 'c.yaml'], cwd);
    expect(stderr.match(/^error\[/gm)).toHaveLength(4);
    expect(stderr).toMatch(/a\.yaml:5:1/);
    expect(stderr).toMatch(/b\.yaml:5:1/);
    expect(stderr).toMatch(/b\.yaml:6:1/);
  });

  it('names the option when the command line is wrong', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    expect(await refused(['run', 'a.yaml', '--model', 'gpt-9'], cwd)).toContain(
      '--model gpt-9: unknown model',
    );
    expect(await refused(['run', 'a.yaml', '--set', 'cache.tll=1h'], cwd)).toContain(
      'did you mean "cache.ttl"',
    );
    expect(await refused(['run', 'a.yaml', '--set', 'cache.ttl'], cwd)).toContain('not path=value');
  });

  it('refuses two scenarios of one name', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 'b.yaml': scenario('tiny') });
    expect(await refused(['run', 'a.yaml', 'b.yaml'], cwd)).toContain('as the one in a.yaml');
  });

  it('refuses one --log for several runs', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 'b.yaml': scenario('other') });
    expect(await refused(['run', 'a.yaml', 'b.yaml', '--log', 'x.jsonl'], cwd)).toContain(
      '--log takes the log of one run',
    );
  });
});

describe('bad transcripts', () => {
  it.each([
    ['missing', null, 'there is no file t.json'],
    ['empty', '', 'empty'],
    ['binary', BINARY, 'binary'],
    ['of an unknown format', '{"a":1}\n', 'not a transcript in a known format'],
    ['a truncated trace', TRACE.slice(0, -40), 'truncated'],
    ['truncated gzip', gzipSync(TRACE).subarray(0, 60), 't.json'],
  ])('a file that is %s', async (_what, content, sentence) => {
    const cwd = tempFolder({
      'a.yaml': replayOf('t.json'),
      ...(content === null ? {} : { 't.json': content }),
    });
    const fromRun = await refused(['run', 'a.yaml'], cwd);
    expect(fromRun).toContain(sentence);
    expect(fromRun).toContain('a.yaml:2:');
    expect(await refused(['inspect', 't.json'], cwd)).toContain(sentence);
    expect(await refused(['ttl', 't.json'], cwd)).toContain(sentence);
  });

  it('a recording of a model nobody knows', async () => {
    const cwd = tempFolder({
      'a.yaml': replayOf('t.json'),
      't.json': TRACE.replaceAll('claude-sonnet-4-5', 'mystery-1'),
    });
    const { code, stdout } = await cli(['run', 'a.yaml', '--no-files', '--json'], { cwd });
    expect(code).toBe(0);
    const { runs } = JSON.parse(stdout);
    const said = runs[0].warnings.filter((warning: { code: string }) => warning.code === 'no-price');
    expect(said).toMatchObject([
      {
        message: 'no price is known for mystery-1: its requests count as 0 dollars',
        count: expect.any(Number),
      },
    ]);
    expect(await refused(['run', 'a.yaml', '--model', 'mystery-1'], cwd)).toContain(
      'unknown model "mystery-1"',
    );
  });

  it('a folder without a recording where a scenario needs one', async () => {
    const cwd = tempFolder({ 'a.yaml': replayOf('sessions') });
    mkdirSync(join(cwd, 'sessions'));
    expect(await refused(['run', 'a.yaml'], cwd)).toContain('holds no recording');
  });

  it('a folder without a recording', async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, 'sessions'));
    expect(await refused(['inspect', 'sessions'], cwd)).toContain('holds no recording');
  });
});

describe('bad outputs', () => {
  const COMMANDS = [
    ['run', 'a.yaml'],
    ['compare', 'a.yaml', '--set', 'cache.ttl=5m,1h'],
    ['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h'],
    ['tune', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--minimise', 'costUsd'],
  ];

  it.each(COMMANDS)(
    'ccbench %s has its answer where no report can be written: a warning',
    async (...argv) => {
      const cwd = tempFolder({ 'a.yaml': scenario('tiny'), reports: 'a file' });
      const wanted = await cli([...argv, '--no-files'], { cwd });
      const plain = await cli(argv, { cwd });
      expect(plain).toMatchObject({ code: wanted.code, stdout: wanted.stdout });
      expect(plain.stderr).toMatch(
        /^warning: .*reports.* cannot be written|^warning: .* cannot be written to reports/,
      );
      // Whoever asked for that folder is told by the exit code too.
      const asked = await cli([...argv, '--out', 'reports', '--json'], { cwd });
      expect(asked.code).toBe(wanted.code === 0 ? 2 : wanted.code);
      expect(asked.stderr).toContain('warning: ');
      expect(JSON.parse(asked.stdout)).not.toHaveProperty('error');
    },
  );

  it('loses neither the answer nor the other files where one that was asked for cannot be written', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), file: 'x' });
    for (const option of ['--log', '--junit']) {
      const { code, stdout, stderr } = await cli(['run', 'a.yaml', option, 'file/x'], { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain('warning: file/x cannot be written: there is a file where a folder is needed');
      expect(stderr).not.toContain('--no-files');
      expect(stdout).toContain('page reports/tiny/report.html');
    }
    for (const argv of [
      ['report', 'reports/tiny/run.jsonl'],
      ['diff', 'a.yaml', 'a.yaml'],
    ]) {
      const { stdout } = await cli(argv, { cwd });
      expect(await cli([...argv, '--out', 'file/x'], { cwd })).toMatchObject({ code: 2, stdout });
    }
  });

  it.each(COMMANDS)('ccbench %s prints its answer before any file is in its place', async (...argv) => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const holds = (): boolean =>
      readdirSync(cwd, { recursive: true }).some(
        (name) => /reports.*[^.]\.html$/.test(String(name)) && !/\.new/.test(String(name)),
      );
    const before: boolean[] = [];
    const { code } = await cli([...argv, '--json'], {
      cwd,
      onPrinted: (text) => text.startsWith('{') && before.push(holds()),
    });
    // The scenario has five minutes already: tune finds nothing better.
    expect(code).toBe(argv[0] === 'tune' ? 99 : 0);
    if (argv[0] !== 'run') expect(before).toEqual([false]);
    expect(holds()).toBe(true);
  });

  it('never replaces a folder that holds anything but a report', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('src') });
    mkdirSync(join(cwd, 'src', 'lib'), { recursive: true });
    writeFileSync(join(cwd, 'src', 'lib', 'index.ts'), 'precious');
    const { code, stderr } = await cli(['run', 'a.yaml', '--out', '.'], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is no part of a report') });
    expect(readFileSync(join(cwd, 'src', 'lib', 'index.ts'), 'utf8')).toBe('precious');
  });

  it('replaces a report whole: what the new one lacks is gone', async () => {
    const cwd = tempFolder({
      'a.yaml': scenario('tiny', 'variants: [{ name: hour, cache: { ttl: 1h } }]\n'),
    });
    await cli(['run', 'a.yaml'], { cwd });
    writeFileSync(join(cwd, 'a.yaml'), scenario('tiny'));
    await cli(['run', 'a.yaml'], { cwd });
    expect(readdirSync(join(cwd, 'reports'))).toEqual(['tiny']);
    expect(readdirSync(join(cwd, 'reports/tiny'))).not.toContain('hour');
  });

  it('keeps a variant that is called like a file of the report apart from it', async () => {
    const cwd = tempFolder({
      'a.yaml': scenario('tiny', 'variants: [{ name: charts, cache: { ttl: 1h } }]\n'),
    });
    expect((await cli(['run', 'a.yaml'], { cwd })).code).toBe(0);
    expect(readdirSync(join(cwd, 'reports/tiny/charts_'))).toContain('run.jsonl');
    expect((await cli(['run', 'a.yaml'], { cwd })).code).toBe(0);
  });
});

describe('bad logs', () => {
  it.each([
    ['missing', null, 'there is no file'],
    ['empty', '', 'the file is empty'],
    ['binary', BINARY, 'binary'],
    ['something else', '{"a":1}\n', 'does not begin with the header of a run'],
  ])('a log that is %s', async (_what, content, sentence) => {
    const cwd = tempFolder(content === null ? {} : { 'run.jsonl': content });
    expect(await refused(['report', 'run.jsonl'], cwd)).toContain(sentence);
  });

  it.each([
    ['a request', /"prompt":(\d+)/],
    ['the end', /"cost":(\d+)(?=[^\n]*\n$)/],
  ])('D8 refuses a log in which a number of %s was changed, and leaves no tables', async (_where, number) => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['run', 'a.yaml'], { cwd });
    const log = readFileSync(join(cwd, 'reports/tiny/run.jsonl'), 'utf8');
    const edited = log.replace(number, (member, value: string) => member.replace(value, `1${value}`));
    expect(edited).not.toBe(log);
    writeFileSync(join(cwd, 'edited.jsonl'), edited);
    expect(await refused(['report', 'edited.jsonl', '--out', 'out'], cwd)).toContain(
      'the log contradicts itself',
    );
    expect(existsSync(join(cwd, 'out/requests.csv'))).toBe(false);
  });

  it('reports a log that was cut short as partial', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['run', 'a.yaml'], { cwd });
    const log = readFileSync(join(cwd, 'reports/tiny/run.jsonl'), 'utf8');
    writeFileSync(join(cwd, 'cut.jsonl'), log.slice(0, log.length / 2));
    const { code, stdout } = await cli(['report', 'cut.jsonl', '--json'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false, warnings: [{ code: 'truncated-log' }] });
  });
});
