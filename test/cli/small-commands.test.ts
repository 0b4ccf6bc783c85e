import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, tempFolder } from './cli.js';

describe('ccbench init', () => {
  it('writes a scenario that runs as it is', async () => {
    const cwd = tempFolder();
    expect((await cli(['init', 'lunch'], { cwd })).code).toBe(0);
    const { code, stderr } = await cli(['run', 'lunch.yaml', '--no-files'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('never overwrites without --force', async () => {
    const cwd = tempFolder({ 'lunch.yaml': 'mine' });
    const { code, stderr } = await cli(['init', 'lunch'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('--force');
    expect(readFileSync(join(cwd, 'lunch.yaml'), 'utf8')).toBe('mine');
    expect(JSON.parse((await cli(['init', 'lunch', '--force', '--json'], { cwd })).stdout)).toEqual({
      file: 'lunch.yaml',
    });
    expect(readFileSync(join(cwd, 'lunch.yaml'), 'utf8')).toContain('name: lunch');
  });

  it('refuses a name that is a path', async () => {
    const cwd = tempFolder();
    expect((await cli(['init', '../lunch'], { cwd })).code).toBe(2);
  });
});

describe('lists', () => {
  it('schema prints a JSON Schema that knows the policies', async () => {
    const { code, stdout } = await cli(['schema'], { cwd: tempFolder() });
    expect(code).toBe(0);
    const schema = JSON.parse(stdout);
    expect(schema.properties).toHaveProperty('transcript');
    expect(schema.$defs.PolicyName.anyOf[0].enum).toContain('none');
  });

  it('models and metrics print every row, as text and as one JSON object', async () => {
    const cwd = tempFolder();
    const { models, checkedOn } = JSON.parse((await cli(['models', '--json'], { cwd })).stdout);
    const asText = (await cli(['models'], { cwd })).stdout;
    expect(checkedOn).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(asText).toContain(`checked on ${checkedOn}`);
    for (const { id, source } of models) {
      expect(source).not.toBe('');
      expect(asText).toContain(id);
    }
    for (const { provider, cache } of models) expect(cache).toBe(provider);
    const { metrics } = JSON.parse((await cli(['metrics', '--json'], { cwd })).stdout);
    const listed = (await cli(['metrics'], { cwd })).stdout;
    for (const { name } of metrics) expect(listed).toContain(name);
  });

  it('models have their prices in the order of the heads, and their names above the source of them', async () => {
    const cwd = tempFolder();
    const { models } = JSON.parse((await cli(['models', '--json'], { cwd })).stdout);
    const lines = (await cli(['models'], { cwd, columns: 100_000 })).stdout.split('\n');
    for (const { id, provider, pricesPerMTok: price, source } of models) {
      const row = lines.find((line) => line.startsWith(`${id} `))!.split(/ {2,}/);
      const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = price;
      expect(row.slice(1, 7)).toEqual([
        provider,
        ...[input, output, cacheRead, cacheWrite5m, cacheWrite1h].map((usd: number) =>
          usd.toFixed(3).replace(/\.?0+$/, ''),
        ),
      ]);
      expect(lines[lines.indexOf(`    ${source}`) - 1]!.trim().split(', ')).toContain(id);
    }
  });

  it('models have no minimum where nobody says one, never 0', async () => {
    const cwd = tempFolder();
    const { models } = JSON.parse((await cli(['models', '--json'], { cwd })).stdout);
    const lines = (await cli(['models'], { cwd, columns: 100_000 })).stdout.split('\n');
    for (const { id, provider, minCacheableTokens } of models) {
      expect(minCacheableTokens, id).not.toBe(0);
      // Not found for Kimi, GLM, Grok and MiniMax (provider-caches.md).
      if (!['kimi', 'glm', 'grok'].includes(provider) && !id.startsWith('minimax')) continue;
      expect(minCacheableTokens, id).toBeNull();
      expect(lines.find((line) => line.startsWith(`${id} `))!.trimEnd(), id).toMatch(/ – +\d+$/);
    }
  });

  it('models show each price by its days and its age, of models by name or of all', async () => {
    const cwd = tempFolder();
    const linesOf = async (...argv: readonly string[]) =>
      (await cli(['models', ...argv], { cwd, columns: 200, today: '2026-11-27' })).stdout.split('\n');
    const history = (lines: readonly string[], id: string) =>
      lines
        .slice(lines.findIndex((line) => line.startsWith('Prices by day')))
        .filter((line) => line.startsWith(`${id} `))
        .map((line) => line.split(/ {2,}/).filter((cell) => cell !== ''));
    const named = await linesOf('sonnet-5');
    // Read at $0.20, and at $0.10 from 7 October 2026 on; checked on 15 and on 17 November.
    expect(history(named, 'claude-sonnet-5-5')).toEqual([
      ['claude-sonnet-5-5', '2026-10-07', '2', '10', '0.1', '2.5', '4', '10'],
      ['claude-sonnet-5-5', '–', '2026-10-07', '2', '10', '0.2', '2.5', '4', '12'],
    ]);
    expect(history(named, 'claude-sonnet-5')).toEqual([]);
    expect((await linesOf()).some((line) => line.startsWith('Prices by day'))).toBe(false);
    const all = await linesOf('--history');
    expect(history(all, 'claude-sonnet-5')).toHaveLength(1);
    expect(history(all, 'claude-fable-5-2')).toHaveLength(2);
  });

  it('models and policies say in JSON how many days ago they were checked', async () => {
    const cwd = tempFolder();
    const json = async (command: string) =>
      JSON.parse((await cli([command, '--json'], { cwd, today: '2027-02-15' })).stdout);
    const sonnet = (await json('models')).models.find(({ id }: { id: string }) => id === 'claude-sonnet-5-5');
    // From 17 November to 15 February: 13 + 31 + 31 + 15 days.
    expect([sonnet.checked, sonnet.daysSinceChecked]).toEqual(['2026-11-17', 90]);
    expect(sonnet.earlier.map((one: { daysSinceChecked: number }) => one.daysSinceChecked)).toEqual([92]);
    const { policies } = await json('policies');
    const ages = Object.fromEntries(
      policies.map(({ name, daysSinceChecked }: { name: string; daysSinceChecked: number | null }) => [
        name,
        daysSinceChecked,
      ]),
    );
    expect(ages).toMatchObject({
      none: null,
      'baselines/mask': null,
      'peers/aider': 92,
      'claude-code/2026': 92,
    });
    for (const { name, kind, checked } of policies)
      expect(checked !== null, name).toBe(['analysed', 'measured', 'peer'].includes(kind));
  });

  it('models are filtered by words and by provider, and fit 60 columns', async () => {
    const cwd = tempFolder();
    const idsOf = async (...argv: readonly string[]): Promise<readonly string[]> =>
      JSON.parse((await cli(['models', ...argv, '--json'], { cwd })).stdout).models.map(
        ({ id }: { id: string }) => id,
      );
    const found = await idsOf('gpt-5.6', 'GEMINI-3');
    expect(found).toContain('gpt-5.6-luna');
    expect(found).toContain('gemini-3-pro');
    expect(found.every((id) => id.includes('gpt-5.6') || id.includes('gemini-3'))).toBe(true);
    expect(await idsOf('--provider', 'deepseek')).toContain('deepseek-v4-pro');
    expect(await idsOf('mini', '--provider', 'openai')).toContain('gpt-5-mini');
    const shown = await cli(['models', 'kimi'], { cwd, columns: 60 });
    expect(shown.stdout).not.toContain('claude');
    expect(Math.max(...shown.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    expect((await cli(['models', '--provider', 'opnai'], { cwd })).stderr).toContain(
      'did you mean "openai"?',
    );
    expect((await cli(['models', 'nothing-like-it'], { cwd })).code).toBe(2);
  });

  it('K1 policies clients prints every client, what it does and how that is known', async () => {
    const cwd = tempFolder();
    const { clients } = JSON.parse((await cli(['policies', 'clients', '--json'], { cwd })).stdout);
    const { code, stdout } = await cli(['policies', 'clients'], { cwd });
    expect(code).toBe(0);
    expect(clients[0]).toMatchObject({ name: 'none', from: null, behaviours: [] });
    expect(clients.length).toBeGreaterThan(5);
    const asOneLine = stdout.replace(/\s+/g, ' ');
    for (const { name, from, summary, behaviours } of clients) {
      const begins = from === '0' ? 'from the first version on' : `from ${from} on`;
      expect(asOneLine).toContain(from === null ? `${name} ` : `${name} ${begins} `);
      expect(asOneLine).toContain(summary);
      for (const { behaviour, value, bare, source } of behaviours) {
        expect(asOneLine).toContain(`${behaviour} ${value} ${bare}`);
        expect(asOneLine).toContain(`${behaviour}: ${source}`);
      }
    }
    const named = clients.find(({ name }: { readonly name: string }) => name === 'claude-code/2.1.91');
    expect(named).toMatchObject({ from: '2.1.91' });
    expect(named.behaviours).toContainEqual(
      expect.objectContaining({ behaviour: 'toolLoading', value: 'first-search', bare: 'stable' }),
    );
  });

  it('an unknown client is an error that lists the known ones', async () => {
    const { code, stderr } = await cli(
      ['policies', 'show', 'none', '--set', 'client.use=claude-code/2.1.93'],
      {
        cwd: tempFolder(),
      },
    );
    expect(code).toBe(2);
    expect(stderr).toContain('unknown client "claude-code/2.1.93"');
    for (const name of ['none', 'recorded', 'claude-code/2.1.91', 'claude-code/2.1.325'])
      expect(stderr).toContain(name);
  });

  it('cannot be led to print escape sequences from a file', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'a.yaml'), 'name: "\\e[31mred"\n');
    expect((await cli(['run', 'a.yaml'], { cwd })).stderr).not.toContain('\u001b');
  });
});
