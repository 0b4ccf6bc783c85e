import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { clientsModule } from '../../scripts/shipped/clients.mjs';
import { commandsModule } from '../../scripts/shipped/commands.mjs';
import { memoryModule } from '../../scripts/shipped/memory.mjs';
import { modelsModule } from '../../scripts/shipped/models.mjs';
import { syntheticModule } from '../../scripts/shipped/synthetic.mjs';
import { ROOT } from '../helpers/architecture/tree.js';

const MODELS = 'src/provider/prices/models';
const CLIENTS = 'src/agent/client/clients';
const SYNTHETIC = 'src/transcripts/synthetic/synthetic';
const MEMORY = 'src/core/memory/heuristics';
const COMMANDS = 'src/cli/commands';

const MODULES = {
  [MODELS]: modelsModule,
  [CLIENTS]: clientsModule,
  [SYNTHETIC]: syntheticModule,
  [MEMORY]: memoryModule,
  [COMMANDS]: commandsModule,
};

/** The module of a table in which one text was replaced by another. */
function moduleOf(table: keyof typeof MODULES, from = '', to = ''): string {
  const text = readFileSync(join(ROOT, `${table}.yaml`), 'utf8');
  expect(text).toContain(from);
  return MODULES[table](parse(text.replace(from, to), { merge: true }));
}

describe('the tables that are shipped as YAML', () => {
  it.each(Object.keys(MODULES) as (keyof typeof MODULES)[])('%s is what its module was made of', (table) => {
    expect(readFileSync(join(ROOT, `${table}.generated.ts`), 'utf8')).toContain(moduleOf(table));
  });

  it.each([
    ['a group of options that there is not', COMMANDS, '- priced', '- prised', /prised/],
    ['a text that there is not', COMMANDS, '{sessions}; {onThis', '{session}; {onThis', /\{session\}/],
    ['two readers of one value', COMMANDS, 'read: count', 'oneOf: a b\n        read: count', /two ways/],
    ['a field that no model has', MODELS, 'prices: [5, 25, 0.5]', 'price: [5, 25, 0.5]', /price/],
    ['a price below zero', MODELS, 'prices: [5, 25, 0.5]', 'prices: [-5, 25, 0.5]', /prices/],
    ['a note that a comma cut', MODELS, 'notes: [Retired in May 2026.]', 'notes: [Retired, 2026.]', /notes/],
    [
      'a value that no behaviour has',
      CLIENTS,
      'suggestions: end-of-turn',
      'suggestions: always',
      /no suggestions/,
    ],
    [
      'a behaviour without its evidence',
      CLIENTS,
      'behaviours: { suggestions:',
      'behaviours: { hazard: drawn, suggestions:',
      /source/,
    ],
    [
      'a client that is like none before it',
      CLIENTS,
      'like: claude-code/1.0',
      'like: claude-code/0.9',
      /0\.9/,
    ],
    [
      'a distribution that falls',
      SYNTHETIC,
      'v: [1, 2, 6, 30, 100, 200]',
      'v: [1, 2, 1, 30, 100, 200]',
      /callsPerPrompt/,
    ],
    ['a workload with an unknown field', SYNTHETIC, 'resultScale: 8', 'resultScales: 8', /resultScales/],
    [
      'an expression that is none',
      MEMORY,
      '^(?:who|what',
      '^(?:who|(what',
      /Invalid regular expression|[Uu]nterminated/,
    ],
    ['a type that no memory has', MEMORY, 'verdict: reference', 'verdict: hearsay', /verdict/],
  ] as const)('refuse %s', (_what, table, from, to, message) => {
    expect(() => moduleOf(table, from, to)).toThrow(message);
  });
});
