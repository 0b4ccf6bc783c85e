// Writes the policies and providers that are shipped as files (src/agent/policies/**/*.yaml, src/provider/providers/*.yaml) as
// modules of plain data, so that no YAML is read at start-up.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

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
      return `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(written))}],`;
    });
}

/** Where an entry stands among the others: by kind, then by name, numbers in their order (2.1.7 before 2.1.112). */
function placeOf(kind, name) {
  return `${kind ?? ''} ${name.replace(/\d+/g, (digits) => digits.padStart(6, '0'))}`;
}

/** Writes a module when it differs from what is there. */
function writeModule(path, what, entries) {
  const target = join(root, path);
  const text = `/** ${what} that are shipped as files by name, each as the JSON of its file; made by scripts/build-shipped.mjs. */
export const SHIPPED: readonly (readonly [string, string])[] = [
${entries.join('\n')}
];
`;
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, target);
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
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildShipped();
