// Writes the policies and providers that are shipped as files (src/agent/policies/**/*.yaml, src/provider/providers/*.yaml)
// and the parameters of layers (src/agent/layers/params.yaml) as
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

const TYPES = ['choice', 'switch', 'integer', 'number', 'names', 'table', 'model'];

/** A parameter of params.yaml as the program holds it. */
function paramSpec(path, written) {
  const [type] = Object.keys(written);
  if (!TYPES.includes(type) || typeof written.help !== 'string')
    throw new Error(`${path} in params.yaml needs a type (${TYPES.join(', ')}) first, and help`);
  const { [type]: value, default: other, unit = null, help, min = 0, max = 1e9, above } = written;
  const { nullable = value === null } = written;
  const kinds = {
    choice: { type, values: value },
    model: { type, own: value },
    integer: { type, min, max, nullable },
    number: { type, min: above ?? min, ...(above === undefined ? {} : { minIs: 'excluded' }), max, nullable },
  };
  const first = type === 'choice' ? (other ?? value[0]) : value;
  return { path, kind: kinds[type] ?? { type }, default: first, unit, help };
}

/** Writes the module of the parameters, by group. */
function writeParams() {
  const groups = parse(readFileSync(join(root, 'src/agent/layers/params.yaml'), 'utf8'));
  const specs = Object.entries(groups).map(([name, group]) => [
    name,
    Object.entries(group).map(([path, written]) => paramSpec(path, written)),
  ]);
  writeIfNew(
    'src/agent/layers/params.generated.ts',
    `/** Parameters of layers by group, as JSON; made of params.yaml by scripts/build-shipped.mjs. */
export const PARAMS = ${JSON.stringify(JSON.stringify(Object.fromEntries(specs)))};
`,
  );
}

/** Writes a module of files as entries by name. */
function writeModule(path, what, entries) {
  writeIfNew(
    path,
    `/** ${what} that are shipped as files by name, each as the JSON of its file; made by scripts/build-shipped.mjs. */
export const SHIPPED: readonly (readonly [string, string])[] = [
${entries.join('\n')}
];
`,
  );
}

/** Writes a file when it differs from what is there. */
function writeIfNew(path, text) {
  const target = join(root, path);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, target);
}

/** Writes the modules of what is shipped as files. */
export function buildShipped() {
  writeParams();
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
