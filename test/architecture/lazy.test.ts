import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../../src');
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)[^'";]*?from\s+'([^']+)'|^import\s+'([^']+)'/gms;

/** Packages and files that are loaded with a file, before anything of it runs. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const match of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
    const name = match[1] ?? match[2]!;
    if (!name.startsWith('.')) seen.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    else {
      const next = resolve(dirname(file), name.replace(/\.js$/, '.ts'));
      const key = relative(SOURCE, next);
      if (seen.has(key)) continue;
      seen.add(key);
      loadedWith(next, seen);
    }
  }
  return seen;
}

const HEAVY = [
  '@anthropic-ai/sdk',
  '@resvg/resvg-js',
  'gpt-tokenizer',
  'js-tiktoken',
  'tinybench',
  'vega',
  'vega-lite',
];

describe('start-up', () => {
  it('loads the command line and nothing else for help', () => {
    const loaded = loadedWith(resolve(SOURCE, 'cli/start.ts'));
    const packages = [...loaded].filter((name) => !name.endsWith('.ts') && !name.startsWith('node:'));
    expect(packages).toEqual(['commander']);
    expect(
      [...loaded].filter(
        (name) =>
          name.endsWith('.ts') &&
          !/^(?:cli|core\/base)\/|^transcripts\/files\/(?:home|make-folder)\.ts$/.test(name),
      ),
    ).toEqual([]);
  });

  it.each(['run/run', 'inspect/inspect', 'ttl/ttl', 'validate/validate'])(
    'loads no chart, tokenizer or client code for %s',
    (command) => {
      const loaded = loadedWith(resolve(SOURCE, `cli/commands/${command}.ts`));
      expect(loaded.size).toBeGreaterThan(20);
      expect(HEAVY.filter((name) => loaded.has(name))).toEqual([]);
    },
  );

  it('loads no suite and no chart for bench before one is asked for', () => {
    const loaded = loadedWith(resolve(SOURCE, 'cli/commands/bench/bench.ts'));
    expect(loaded).toContain('cli/commands/bench/result.ts');
    expect(HEAVY.filter((name) => loaded.has(name))).toEqual([]);
    expect(
      [...loaded].filter((name) =>
        /^(?:cli\/commands\/bench\/(?:hot-path|replay)|report\/charts\/|engine\/)/.test(name),
      ),
    ).toEqual([]);
  });

  it('loads no package at all in a worker', () => {
    const loaded = loadedWith(resolve(SOURCE, 'study/worker-run.ts'));
    expect(loaded.size).toBeGreaterThan(100);
    expect([...loaded].filter((name) => !name.endsWith('.ts') && !name.startsWith('node:'))).toEqual([]);
  });

  it('would notice: a benchmark does load its tool', () => {
    expect(loadedWith(resolve(SOURCE, 'cli/commands/bench/hot-path-suite.ts'))).toContain('tinybench');
  });
});
