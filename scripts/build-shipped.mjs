// Writes what is shipped as YAML (policies, providers, and the tables of models, clients, generated sessions and memory heuristics) as modules of
// plain data, so that no YAML is read at start-up.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { clientsModule } from './shipped/clients.mjs';
import { memoryModule } from './shipped/memory.mjs';
import { modelsModule } from './shipped/models.mjs';
import { syntheticModule } from './shipped/synthetic.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The files below a folder as entries of a module, by name; what is in them must be called `prefix` and the name of the file. */
function entriesOf(folder, prefix) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [basename(file, '.yaml'), file])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([stem, file]) => {
      const name = `${prefix}${stem}`;
      const written = parse(readFileSync(join(root, folder, file), 'utf8'));
      if (written.name !== name) throw new Error(`${folder}/${file} is called ${written.name}`);
      // As a text: it is parsed when it is asked for.
      return `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(written))}],`;
    });
}

/** Writes a module when it differs from what is there. */
function writeText(path, text) {
  const target = join(root, path);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, target);
}

/** Writes a module of files by name. */
function writeModule(path, what, entries) {
  const text = `/** ${what} that are shipped as files by name, each as the JSON of its file; made by scripts/build-shipped.mjs. */
export const SHIPPED: readonly (readonly [string, string])[] = [
${entries.join('\n')}
];
`;
  writeText(path, text);
}

/** Writes the module of a table beside its YAML. */
function writeTable(path, moduleOf) {
  try {
    const written = parse(readFileSync(join(root, `${path}.yaml`), 'utf8'), { merge: true });
    writeText(
      `${path}.generated.ts`,
      `// Made by scripts/build-shipped.mjs of ${basename(path)}.yaml.\n${moduleOf(written)}`,
    );
  } catch (error) {
    throw new Error(`${path}.yaml: ${error.message}`, { cause: error });
  }
}

/** Writes the modules of what is shipped as files. */
export function buildShipped() {
  writeModule(
    'src/agent/policies/shipped.generated.ts',
    'Policies',
    ['baselines', 'peers'].flatMap((folder) => entriesOf(`src/agent/policies/${folder}`, `${folder}/`)),
  );
  writeModule(
    'src/provider/providers/providers.generated.ts',
    'Providers',
    entriesOf('src/provider/providers', ''),
  );
  writeTable('src/provider/prices/models', modelsModule);
  writeTable('src/core/memory/heuristics', memoryModule);
  writeTable('src/agent/client/clients', clientsModule);
  writeTable('src/transcripts/synthetic/synthetic', syntheticModule);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildShipped();
