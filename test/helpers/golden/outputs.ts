import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { packageVersion } from '../../../src/cli/host.js';
import { cli, tempFolder } from '../../cli/cli.js';
import { expectGenerated } from '../pages/generated.js';
import { dataOf } from '../pages/page-data.js';

/** Files of a folder, by path. */
type SceneFiles = Readonly<Record<string, string | Uint8Array>>;

const WIDTH = 150;
/** A JSON number with more digits than all machines agree on. */
const LONG_NUMBER = /-?\d+\.\d{9,}(?:e[+-]\d+)?/g;

/** A list of metrics: many names with values, most of them nothing. */
const MANY = 40;

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

/** JSON that is short and still tells where it changed: what fits stays in one line, and of many metrics those that are something are kept. */
export function compactJson(value: unknown, indent = ''): string {
  const plain = JSON.stringify(value);
  if (isPlain(value) || plain.length + indent.length <= WIDTH) return plain;
  const inner = `${indent} `;
  const isList = Array.isArray(value);
  const all = Object.entries(value as object);
  const entries = all.length < MANY || isList ? all : all.filter(([, each]) => each !== null && each !== 0);
  const parts = entries.map(
    ([key, each]) => `${isList ? '' : `${JSON.stringify(key)}: `}${compactJson(each, inner)}`,
  );
  const lines: string[] = [];
  for (const [i, part] of parts.entries()) {
    const last = lines.at(-1);
    const fits = last !== undefined && isPlain(entries[i]![1]) && last.length + part.length + 3 <= WIDTH;
    if (fits && isPlain(entries[i - 1]![1])) lines[lines.length - 1] = `${last}, ${part}`;
    else lines.push(`${inner}${part}`);
  }
  return `${isList ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

/** A text, or JSON in its short form; only these keys of it where some are named. */
function shown(text: string, keys: readonly string[] = []): string {
  if (!text.startsWith('{')) return text;
  try {
    const whole = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const some = Object.fromEntries(Object.entries(whole).filter(([key]) => keys.includes(key)));
    return `${compactJson(keys.length === 0 ? whole : some)}\n`;
  } catch {
    return text; // lines of JSON, or cut
  }
}

function contentOf(path: string): string {
  if (!existsSync(path)) return 'not there\n';
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.html') ? JSON.stringify(dataOf(text)) : text;
}

/** The rows of all Parquet files below a folder in order, below the names of their columns. */
async function rowsBelow(folder: string): Promise<string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const tables = new Map<string, string[]>();
  for (const name of names.filter((one) => one.endsWith('.parquet')).sort()) {
    const { buffer } = new Uint8Array(readFileSync(join(folder, name)));
    const rows = await parquetReadObjects({ file: buffer });
    const texts = rows.map((row) =>
      Object.values(row)
        .map((value) => String(value ?? ''))
        .join('|'),
    );
    const head = Object.keys(rows[0] ?? {}).join('|');
    tables.set(head, [...(tables.get(head) ?? []), ...texts]);
  }
  const lines = [...tables].sort().flatMap(([head, rows]) => [head, ...rows.sort(), '']);
  return lines.join('\n');
}

/** The words of a command line; quotes hold words together. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/**
 * Runs command lines one after the other in a folder with these files and compares all they print with a file of
 * `test/golden/commands`; UPDATE_GENERATED=1 writes it. `COLUMNS=60 why` prints to a terminal of this width,
 * `cat <file>` shows a file, of a page its data, `rows <folder>` its Parquet files; `… --json | a b` keeps two keys. Numbers are cut to nine digits: the last ones may differ between machines.
 */
export async function expectOutputs(
  name: string,
  files: SceneFiles,
  lines: readonly string[],
): Promise<void> {
  const cwd = tempFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
  }
  const env = { HOME: join(cwd, 'home'), CCBENCH_CACHE: join(cwd, '.cache') };
  const blocks: string[] = [];
  for (const line of lines) {
    const [, columns, command, keys = ''] = /^(?:COLUMNS=(\d+) )?(.*?)(?: \| (.*))?$/.exec(line)!;
    const [first, ...rest] = wordsOf(command!);
    const terminal = columns === undefined ? {} : { columns: Number(columns), terminal: 'stdout' as const };
    const argv = first === undefined ? [] : [first, ...rest];
    const shownFile =
      first === 'cat'
        ? contentOf(join(cwd, rest[0]!))
        : first === 'rows'
          ? await rowsBelow(join(cwd, rest[0]!))
          : null;
    const { code, stdout, stderr } =
      shownFile !== null
        ? { code: 0, stdout: shownFile, stderr: '' }
        : await cli(argv, { cwd, env, detail: 'as-given', ...terminal });
    const parts = [
      `$ ${line}\n`,
      shown(stdout, wordsOf(keys)),
      ...(stderr === '' ? [] : [`stderr:\n${stderr}`]),
    ];
    blocks.push(`${parts.join('')}${code === 0 ? '' : `exit code ${code}\n`}`);
  }
  expectKept(`commands/${name}`, blocks.join('\n').replaceAll(cwd, '<folder>'));
}

/** The size of kept explanations: how far they are compressed depends on Node. */
const COMPRESSED_SIZE = /(?<=explained sessions(?: in|,) )\d+ kB|(?<="bytes":)\d+(?=,"mostBytes")/g;

/** Compares a text with a file of `test/golden`. */
export function expectKept(name: string, text: string): void {
  const kept = text
    .replaceAll(LONG_NUMBER, (number) => String(Number(Number(number).toPrecision(9))))
    .replaceAll('\u001b', '␛')
    .replaceAll(COMPRESSED_SIZE, '<size>')
    .replaceAll(packageVersion(), '<version>');
  expectGenerated(`test/golden/${name}.txt`, kept);
}
