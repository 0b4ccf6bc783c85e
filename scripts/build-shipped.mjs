// Writes what is shipped as YAML (policies, providers, parameters of layers) as modules of
// plain data, so that no YAML is read at start-up.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { paramsModule } from './shipped/params.mjs';
import { profileOf } from './shipped/profiles.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const params = parse(readFileSync(join(root, 'src/agent/layers/params.yaml'), 'utf8'));

/** The files below a folder as entries of a module, by name; what is in them must be called `prefix` and the name of the file. */
function entriesOf(folder, prefix) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => {
      const name = `${prefix}${basename(file, '.yaml')}`;
      const written = parse(readFileSync(join(root, folder, file), 'utf8'));
      return { file, name, written, place: placeOf(written.kind, name) };
    })
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ file, name, written }) => {
      if (written.name !== name) throw new Error(`${folder}/${file} is called ${written.name}`);
      // As a text: it is parsed when it is asked for.
      return `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(profileOf(written, params)))}],`;
    });
}

/** Where an entry stands among the others: by kind, then by name, numbers in their order (2.1.7 before 2.1.112). */
function placeOf(kind, name) {
  return `${kind ?? ''} ${name.replace(/\d+/g, (digits) => digits.padStart(6, '0'))}`;
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
    Object.entries({
      bounds: '',
      'claude-code': 'claude-code/',
      baselines: 'baselines/',
      peers: 'peers/',
    }).flatMap(([folder, prefix]) => entriesOf(`src/agent/policies/${folder}`, prefix)),
  );
  writeModule(
    'src/provider/providers/providers.generated.ts',
    'Providers',
    entriesOf('src/provider/providers', ''),
  );
  writeTable('src/agent/layers/params', paramsModule);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildShipped();
