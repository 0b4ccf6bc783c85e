import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providerRegistry } from '../../../../src/provider/providers/providers.js';
import { cli, tempFolder } from '../../cli.js';

/** A generated session of 20 turns under a provider that finds its entries by chance, and under one of which little is promised. */
function scenarioIn(folder: string, ...more: readonly string[]): string {
  const file = join(folder, 'two.yaml');
  const lines = [
    'name: two',
    'transcript: { synthetic: { workload: bugfix, turns: 20, text: none } }',
    'policy: none',
    ...more,
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** What `run` says of a provider, each as a sentence. */
async function saidByRun(folder: string, file: string): Promise<readonly string[]> {
  const { stdout } = await cli(['run', file, '--json', '--no-files'], { cwd: folder });
  const { runs } = JSON.parse(stdout) as { runs: { warnings: { message: string }[] }[] };
  return runs.flatMap(({ warnings }) => warnings.map(({ message }) => message));
}

describe('tokens of a recording on another model', () => {
  it('are said to be those of its own by run and by studies, in text and JSON', async () => {
    const session = resolve(import.meta.dirname, '../../../../fixtures/bugfix-20-turns.jsonl');
    const folder = tempFolder({ 's.jsonl': readFileSync(session, 'utf8') });
    // The fixture is of claude-sonnet-4-5; the table has models from 4.7 on count 1.3 times as many tokens.
    const sentence =
      'prompts have as many tokens as claude-sonnet-4-5 counted when they were recorded: claude-opus-5 counts about 30 % more for the same text';
    const options = { cwd: folder, columns: 1_000 };
    for (const command of [['run'], ['compare'], ['sweep', '--vary', 'window=100000,200000']]) {
      const argv = [command[0]!, 's.jsonl', ...command.slice(1), '--no-files'];
      const on = (model: string) => [...argv, '--set', `model=${model}`];
      expect((await cli(on('claude-opus-5'), options)).stdout).toContain(sentence);
      expect((await cli([...on('claude-opus-5'), '--json'], options)).stdout).toContain(sentence);
      expect((await cli(on('claude-opus-4-5'), options)).stdout).not.toContain('prompts have as many tokens');
    }
    const generated = scenarioIn(folder);
    const { stdout } = await cli(['run', generated, '--model', 'claude-opus-5', '--no-files'], options);
    expect(stdout).not.toContain('prompts have as many tokens');
  });
});

describe('what is not known of a provider', () => {
  it.each([
    ['compare', ['compare']],
    ['sweep', ['sweep', '--vary', 'window=100000,200000']],
    ['tune', ['tune', '--vary', 'window=100000..200000', '--budget', '2', '--minimise', 'costUsd']],
  ])('is said by %s as by run, in text, page and JSON', async (name, [command, ...options]) => {
    const folder = tempFolder();
    const file = scenarioIn(folder, 'provider: openai');
    const kimi = join(folder, 'kimi.yaml');
    writeFileSync(kimi, readFileSync(file, 'utf8').replace('openai', 'kimi'));
    for (const own of [file, kimi]) {
      const argv = [command!, own, ...options, '--out', 'out'];
      const { code, stdout } = await cli(argv, { cwd: folder, columns: 1_000 });
      // No size of the window makes a session cheaper that never fills it.
      expect(code).toBe(command === 'tune' ? 99 : 0);
      const page = readFileSync(join(folder, 'out', `two-${name}`, 'report.html'), 'utf8');
      const told = JSON.parse((await cli([...argv, '--json'], { cwd: folder })).stdout);
      const said = await saidByRun(folder, own);
      expect(said.length).toBeGreaterThanOrEqual(4);
      for (const sentence of said) {
        const shown = sentence.replace('this run is', 'each run is');
        expect(stdout).toContain(shown);
        expect(page).toContain(shown);
        expect(told.assumptions.join('\n')).toContain(shown);
      }
    }
  });

  it('comes with the interval of the cost where hits are chance', async () => {
    const folder = tempFolder();
    const file = scenarioIn(folder, 'provider: openai');
    const facts = JSON.parse((await cli(['run', file, '--json', '--no-files'], { cwd: folder })).stdout);
    const { costLowUsd, costHighUsd } = facts.runs[0].metrics;
    const dollars = (value: number) => `$${value.toFixed(2)}`;
    const stated = `the 90 % interval of the cost is ${dollars(costLowUsd)} … ${dollars(costHighUsd)}`;
    const compared = await cli(['compare', file, '--no-files'], { cwd: folder, columns: 1_000 });
    expect(compared.stdout).toContain(`base: ${stated}`);
    const argv = ['sweep', file, '--no-files', '--vary', 'window=100000,200000', '--metrics', 'costUsd'];
    const swept = await cli([...argv], { cwd: folder, columns: 1_000 });
    expect(swept.stdout).toContain(`the best point: ${stated}`);
  });

  it('is said of each provider that a session has models of', async () => {
    const folder = tempFolder();
    const file = join(folder, 'mixed.yaml');
    const subagents = 'subagents: { everyTurns: 10, turns: 3, model: gpt-5.4 }';
    writeFileSync(
      file,
      `name: mixed\ntranscript: { synthetic: { workload: bugfix, turns: 30, text: none, ${subagents} } }\npolicy: none\n`,
    );
    const { stdout } = await cli(['compare', file, '--no-files'], { cwd: folder, columns: 1_000 });
    const several =
      'the models of the session are of Anthropic and OpenAI up to GPT-5.5: each request goes to the cache of its model';
    expect(stdout).toContain(several);
    expect(await saidByRun(folder, file)).toContain(several);
    const { label, doubts } = providerRegistry.get('openai');
    for (const doubt of doubts.slice(1)) expect(stdout).toContain(`${label}: ${doubt}`);
    // The models are the session's own: nothing stands for them.
    expect(stdout).not.toContain('stands for them');
    expect(stdout).not.toContain('whatever the tokenizer');
  });
});
