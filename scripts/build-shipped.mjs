// Writes the policies and providers that are shipped as files (src/policies/{baselines,peers}/*.yaml, src/cache/providers/*.yaml) as
// modules of plain data, so that no YAML is read at start-up.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The files of a folder as entries of a module, by name; what is in them must be called `prefix` and the name of the file. */
function entriesOf(folder, prefix) {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort()
    .map((file) => {
      const name = `${prefix}${file}`;
      const written = parse(readFileSync(join(root, folder, `${file}.yaml`), 'utf8'));
      if (written.name !== name) throw new Error(`${folder}/${file}.yaml is called ${written.name}`);
      // As a text: it is parsed when it is asked for.
      return `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(written))}],`;
    });
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
    'src/policies/shipped.generated.ts',
    'Policies',
    ['baselines', 'peers'].flatMap((folder) => entriesOf(`src/policies/${folder}`, `${folder}/`)),
  );
  writeModule('src/cache/providers.generated.ts', 'Providers', entriesOf('src/cache/providers', ''));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildShipped();
