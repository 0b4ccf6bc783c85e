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
    expect(schema.$defs.PolicyName.enum).toContain('none');
  });

  it('models and metrics print every row, as text and as one JSON object', async () => {
    const cwd = tempFolder();
    const { models } = JSON.parse((await cli(['models', '--json'], { cwd })).stdout);
    const asText = (await cli(['models'], { cwd })).stdout;
    for (const { id, source } of models) {
      expect(source).not.toBe('');
      expect(asText).toContain(id);
    }
    const { metrics } = JSON.parse((await cli(['metrics', '--json'], { cwd })).stdout);
    const listed = (await cli(['metrics'], { cwd })).stdout;
    for (const { name } of metrics) expect(listed).toContain(name);
  });

  it('cannot be led to print escape sequences from a file', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'a.yaml'), 'name: "\\e[31mred"\n');
    expect((await cli(['run', 'a.yaml'], { cwd })).stderr).not.toContain('\u001b');
  });
});
