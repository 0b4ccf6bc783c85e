import { describe, expect, it } from 'vitest';
import { cli, printed, refused, tempFolder } from '../../cli.js';

const AGENT = `name: agent
description: Compacts at nine tenths.
base: { from: window, times: 0.9 }
rules:
  - name: compact
    when: { tokens: ">= 1·B" }
    select: { what: history, keep: { last: 1 round } }
    ask: { shape: extend }
`;
const WINDOW = ['--window', '128000', '--max-output', '32000'];

/** What `policies show` prints, its lines split at wide gaps, and the same as JSON. */
async function shown(name: string, ...argv: readonly string[]) {
  const cwd = tempFolder({ 'agent.yaml': AGENT });
  const stdout = await printed(['policies', 'show', name, ...argv], { cwd, columns: 1_000 });
  const json = JSON.parse((await cli(['policies', 'show', name, ...argv, '--json'], { cwd })).stdout);
  return { stdout, rows: stdout.split('\n').map((line) => line.trim().split(/ {2,}/)), json };
}

interface Parameter {
  readonly path: string;
  readonly value: unknown;
  readonly unit: string | null;
  readonly source: string;
  readonly help: string;
}

describe('ccbench policies show', () => {
  it('begins with name and description, then sentences, the limits that a file has, and when it compacts', async () => {
    const { stdout, rows, json } = await shown('./agent.yaml', ...WINDOW);
    expect(rows[0]).toEqual(['agent', 'Compacts at nine tenths.']);
    const lines = stdout.split('\n');
    expect(lines.slice(2, 3 + json.sentences.length)).toEqual([
      'What it does',
      ...json.sentences.map((sentence: string) => `  ${sentence}`),
    ]);
    expect(stdout).not.toContain('Layers');
    expect(lines).toContain('Thresholds for a window of 128,000, in tokens');
    // 0.9 × 128,000; what the file has no rule for is not in the list
    expect(stdout).toMatch(/^ {2}autoCompact +115,200$/m);
    expect(stdout).not.toMatch(/^ {2}blocking/m);
    expect(stdout).toContain('agent compacts at 115,200 tokens, for a window of 128,000.');
  });

  it.each([
    ['none', 'none', 'none does not compact at a fixed prompt length, for claude-sonnet-4-5.'],
    [
      'claude-code/2.1.112',
      'storage → microcompact-time → auto-compact → blocking',
      // 200,000 without 20,000 for the answer and 13,000 in reserve
      'claude-code/2.1.112 compacts at 167,000 tokens, for claude-sonnet-4-5.',
    ],
  ])(
    '%s: has its layers in order, and a dash for a limit that it does not have',
    async (name, layers, result) => {
      const { stdout, rows, json } = await shown(name);
      expect(stdout).toContain(`\nLayers, in order: ${layers}\n`);
      expect(stdout).not.toContain('What it does');
      expect(stdout).toContain('Thresholds for claude-sonnet-4-5, in tokens');
      for (const [key, value] of Object.entries(json.thresholds as Record<string, number | null>))
        expect(rows).toContainEqual([key, value === null ? '–' : value.toLocaleString('en-US')]);
      expect(stdout).toContain(result);
    },
  );

  it.each(['./agent.yaml', 'claude-code/2.1.112', 'peers/codex-local'])(
    '%s: has every parameter with value, unit, source and meaning',
    async (name) => {
      const { rows, json } = await shown(name);
      const text = (value: unknown): string => {
        if (value === null) return '–';
        if (value === '') return '""';
        if (typeof value === 'boolean') return value ? 'on' : 'off';
        if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
        return typeof value === 'string' ? value : JSON.stringify(value);
      };
      expect(json.parameters.length).toBeGreaterThan(3);
      for (const { path, value, unit, source, help } of json.parameters as readonly Parameter[])
        expect(rows, path).toContainEqual(
          [path, text(value), unit ?? '', source, help].filter((cell) => cell !== ''),
        );
    },
  );

  it.each([
    // 0.9·(W − O), W − O − min(max(O, 0.2·(W − O)), 15,000) and 0.8·(W − O), with the 64,000 of claude-sonnet-4-5 and with 32,000
    ['peers/zed', '122,400', '151,200'],
    ['peers/continue', '121,000', '153,000'],
    ['peers/ms-agent-framework', '108,800', '134,400'],
  ])('%s: sentences and limits go by the same longest answer, and name it', async (name, usual, short) => {
    const window = ['--window', '200000'];
    for (const [argv, at, output, whose] of [
      [window, usual, '64,000', 'that of claude-sonnet-4-5'],
      [[...window, '--max-output', '32000'], short, '32,000', 'as given'],
    ] as const) {
      const { stdout, json } = await shown(name, ...argv);
      const of = `a window of 200,000 and answers of up to ${output}`;
      expect(json.sentences[0]).toContain(`${at} of 200K`);
      expect(json.sentences.at(-1)).toContain(`a longest answer of ${output} tokens, ${whose}`);
      expect(stdout).toContain(`Thresholds for ${of}, in tokens`);
      expect(stdout).toContain(`${name} compacts at ${at} tokens, for ${of}.`);
    }
  });

  it('takes changes of the command line: values, limits, and where they come from', async () => {
    const { json } = await shown('./agent.yaml', ...WINDOW, '--set', 'base.times=0.5');
    expect(json.thresholds.autoCompact).toBe(64_000);
    const sources = (json.parameters as readonly Parameter[]).map(({ path, value, source }) => [
      path,
      value,
      source,
    ]);
    expect(sources).toContainEqual(['base.times', 0.5, 'set on the command line']);
    expect(sources).toContainEqual(['rules.compact.when.tokens', '>= 1·B', 'the policy file']);
    const shipped = await shown('claude-code/2.1.112', '--set', 'window.percent=50');
    expect(shipped.json.thresholds.autoCompact).toBeLessThan(167_000);
    expect(shipped.rows.find(([path]) => path === 'window.percent')!.slice(1)).toContain(
      'set on the command line',
    );
  });

  it.each([
    ['base.times', '--set takes path=value; found "base.times"'],
    ['=0.5', '--set takes path=value; found "=0.5"'],
    ['bass.times=0.5', '--set bass.times=0.5: '],
  ])('--set %s is refused at its place', async (change, said) => {
    const cwd = tempFolder({ 'agent.yaml': AGENT });
    const stderr = await refused(['policies', 'show', './agent.yaml', '--set', change], { cwd });
    expect(stderr).toContain(said);
  });

  it('says where a policy stops that does not compact by itself', async () => {
    const { stdout, json } = await shown('claude-code/2.1.112', '--set', 'autoCompact.enabled=false');
    // 200,000 without 20,000 for the answer and 3,000 in reserve
    expect(json.thresholds).toMatchObject({ autoCompact: null, blocking: 177_000 });
    expect(stdout).toContain('claude-code/2.1.112 stops at 177,000 tokens, for claude-sonnet-4-5.');
  });

  it('takes the window of a model, or one that is given, with its longest answer', async () => {
    const windowOf = async (...argv: readonly string[]) =>
      (await shown('none', ...argv)).json.thresholds.window;
    expect(await windowOf()).toBe(200_000);
    expect(await windowOf('--window', '50000')).toBe(50_000);
    const wide = await shown('claude-code/2.1.112', '--window', '200000', '--max-output', '8000');
    // the answer takes 8,000 of the window where the model's takes 20,000 at most
    expect(wide.json.thresholds.effective).toBe(192_000);
  });
});
