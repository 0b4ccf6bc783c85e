import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, tempFolder } from '../../cli.js';

const AGENT = `name: agent
description: Compacts at nine tenths.
base: { from: window, times: 0.9 }
rules:
  - name: compact
    when: { tokens: ">= 1·B" }
    select: { what: history, keep: { last: 1 round } }
    ask: { shape: extend }
`;

describe('ccbench policies check', () => {
  it('of a shipped policy and of a file that is not there says what to type', async () => {
    const cwd = tempFolder({});
    const shipped = await cli(['policies', 'check', 'peers/zed'], { cwd });
    expect(shipped).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ccbench policies show peers/zed'),
    });
    const missing = await cli(['policies', 'check', 'agnet.yaml'], { cwd });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('to the current folder') });
  });
});

describe('ccbench policies', () => {
  it('lists every policy with its kind, its sentence and its sources', async () => {
    const { policies } = JSON.parse((await cli(['policies', '--json'], { cwd: tempFolder({}) })).stdout);
    const codex = policies.find(({ name }: { name: string }) => name === 'peers/codex-local');
    expect(codex).toMatchObject({ kind: 'peer', summary: expect.stringMatching(/\.$/) });
    expect(Object.values(codex.sources).join(' ')).toContain('openai/codex');
    expect(policies.filter(({ kind }: { kind: string }) => kind === 'peer').length).toBeGreaterThanOrEqual(
      30,
    );
  });

  it('shows a file with its thresholds on a window: 0.9 × 128,000', async () => {
    const cwd = tempFolder({ 'agent.yaml': AGENT });
    const args = [
      'policies',
      'show',
      './agent.yaml',
      '--window',
      '128000',
      '--max-output',
      '32000',
      '--json',
    ];
    const { thresholds, parameters } = JSON.parse((await cli(args, { cwd })).stdout);
    expect(thresholds.autoCompact).toBe(115_200);
    const trigger = parameters.find(({ path }: { path: string }) => path === 'rules.compact.when.tokens');
    expect(trigger).toMatchObject({ value: '>= 1·B', unit: 'tokens', source: 'the policy file' });
    expect(trigger.help).toContain('Tokens as the client counts them');
  });

  it('new writes a policy that check accepts and run uses', async () => {
    const cwd = tempFolder({ 's.yaml': scenario('tiny') });
    expect((await cli(['policies', 'new', 'mine'], { cwd })).code).toBe(0);
    const checked = await cli(['policies', 'check', 'mine.yaml', '--json'], { cwd });
    expect(checked.code).toBe(0);
    expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true, problems: [] });
    expect(JSON.parse(checked.stdout).sentences.length).toBeGreaterThan(2);
    const run = await cli(['run', 's.yaml', '--policy', './mine.yaml', '--no-files', '--json'], { cwd });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('"mine"');
    const again = await cli(['policies', 'new', 'mine'], { cwd });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('mine.yaml already exists');
  });

  it('check says where a file is wrong, and exits with 2', async () => {
    const cwd = tempFolder({ 'agent.yaml': AGENT.replace('tokens:', 'token:') });
    const { code, stdout } = await cli(['policies', 'check', 'agent.yaml', '--json'], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [
        {
          line: 6,
          column: 13,
          message: 'unknown key `token` in `rules[0].when`',
          hint: expect.stringContaining('`tokens`'),
        },
      ],
      sentences: [],
    });
    const text = await cli(['policies', 'check', 'agent.yaml'], { cwd, columns: 400 });
    expect(text.stdout.split('\n')).toEqual([
      'agent.yaml:6:13: unknown key `token` in `rules[0].when`',
      expect.stringMatching(/^ {2}hint: did you mean `tokens`\?/),
      '',
      'agent.yaml cannot be used: 1 problem.',
      'Fix the first one first: it may cause others.',
      '',
    ]);
  });

  it('check says what a file will do, and what is doubtful in it', async () => {
    const cwd = tempFolder({ 'agent.yaml': AGENT });
    const { sentences, warnings } = JSON.parse(
      (await cli(['policies', 'check', 'agent.yaml', '--json'], { cwd })).stdout,
    );
    expect(warnings).toEqual([]);
    const { code, stdout } = await cli(['policies', 'check', 'agent.yaml'], { cwd, columns: 1_000 });
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'What it will do:',
      '',
      ...sentences.map((sentence: string) => `  ${sentence}`),
      '',
      'agent can be used.',
      'Next: ccbench run <scenario> --policy agent.yaml',
      '',
    ]);
  });

  it('a scenario names a policy file beside it, writes one in place, and varies its numbers', async () => {
    const cwd = tempFolder({
      's.yaml': scenario('tiny').replace('policy: none', 'policy: policies/agent.yaml'),
    });
    mkdirSync(join(cwd, 'policies'));
    writeFileSync(join(cwd, 'policies/agent.yaml'), AGENT);
    expect((await cli(['run', 's.yaml', '--no-files'], { cwd })).code).toBe(0);
    const swept = await cli(
      [
        'sweep',
        's.yaml',
        '--vary',
        'rules.compact.when.tokens=2000,100000',
        '--json',
        '--no-files',
        '--metrics',
        'compactions',
      ],
      { cwd },
    );
    expect(swept.code).toBe(0);
    const { points } = JSON.parse(swept.stdout);
    expect(points).toHaveLength(2);
    expect(points[0].metrics.compactions).toBeGreaterThan(points[1].metrics.compactions);
    const inline = scenario('tiny').replace('policy: none', `policy:\n${AGENT.replace(/^/gm, '  ')}`);
    writeFileSync(join(cwd, 'inline.yaml'), inline);
    expect((await cli(['run', 'inline.yaml', '--no-files'], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, 'inline.yaml'), inline.replace('shape: extend', 'shape: extent'));
    const refused = await cli(['run', 'inline.yaml', '--no-files'], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/inline\.yaml:\d+:\d+: expected extend, .*, got "extent"/);
  });

  it('problems of a file that a scenario names are shown in that file, a missing one at the scenario', async () => {
    const cwd = tempFolder({ 's.yaml': scenario('tiny').replace('policy: none', 'policy: ./agent.yaml') });
    const missing = await cli(['run', 's.yaml', '--no-files'], { cwd });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/s\.yaml:\d+:\d+: there is no file/);
    writeFileSync(join(cwd, 'agent.yaml'), AGENT.replace('0.9', 'nine'));
    const wrong = await cli(['run', 's.yaml', '--no-files'], { cwd });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('agent.yaml:3:30');
  });

  it('schema policy is a JSON Schema that knows the keys of a rule', async () => {
    const schema = JSON.parse((await cli(['schema', 'policy'], { cwd: tempFolder({}) })).stdout);
    expect(Object.keys(schema.properties.rules.items.properties)).toContain('ask');
  });
});
