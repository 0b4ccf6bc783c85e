import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript-6';

/** How a package may enter a layer: `lazy` means by dynamic import or for its types only. */
type PackageUse = 'any' | 'lazy';

/** What one folder of src may import besides itself. */
interface Layer {
  readonly folders: readonly string[];
  readonly packages: Readonly<Record<string, PackageUse>>;
  /** Node's own modules without the `node:` prefix; `all` at the outermost layer. */
  readonly builtins: readonly string[] | 'all';
}

/** A source file: its path from the repository root, with slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One import of a file. `type` is erased at build time, `dynamic` is loaded when reached. */
interface ImportUse {
  readonly specifier: string;
  readonly form: 'static' | 'type' | 'dynamic';
  readonly line: number;
}

const HASH_AND_ZIP = ['crypto', 'zlib'];

/** The rooms of src and the direction of imports between them, innermost first. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  core: {
    folders: [],
    packages: { 'gpt-tokenizer': 'lazy', 'js-tiktoken': 'lazy', zod: 'any' },
    builtins: HASH_AND_ZIP,
  },
  provider: { folders: ['core'], packages: { '@anthropic-ai/sdk': 'lazy', zod: 'any' }, builtins: [] },
  agent: { folders: ['core', 'provider'], packages: { zod: 'any' }, builtins: [] },
  transcripts: { folders: ['core', 'provider'], packages: {}, builtins: 'all' },
  engine: { folders: ['core', 'provider', 'agent'], packages: {}, builtins: [] },
  metrics: { folders: ['core'], packages: {}, builtins: [] },
  config: {
    folders: ['core', 'provider', 'agent', 'transcripts', 'metrics'],
    packages: { yaml: 'any', zod: 'any' },
    builtins: 'all',
  },
  analysis: {
    folders: ['core', 'provider', 'agent', 'transcripts', 'engine', 'metrics', 'config'],
    packages: {},
    builtins: [],
  },
  study: {
    folders: ['core', 'provider', 'agent', 'transcripts', 'engine', 'metrics', 'config'],
    packages: { hyparquet: 'lazy', 'hyparquet-writer': 'lazy' },
    builtins: 'all',
  },
  report: {
    folders: ['core', 'metrics'],
    packages: {
      'csv-stringify': 'any',
      vega: 'lazy',
      'vega-lite': 'lazy',
      picocolors: 'any',
      '@resvg/resvg-js': 'lazy',
    },
    builtins: [],
  },
  library: {
    folders: ['core', 'provider', 'agent', 'transcripts', 'engine', 'metrics', 'config', 'study', 'report'],
    packages: {},
    builtins: ['path', 'url'],
  },
  'index.ts': { folders: ['core', 'agent', 'config', 'metrics', 'library'], packages: {}, builtins: [] },
  cli: {
    folders: [
      'core',
      'provider',
      'agent',
      'transcripts',
      'engine',
      'metrics',
      'config',
      'analysis',
      'study',
      'report',
    ],
    packages: {
      '@duckdb/node-api': 'lazy',
      bullmq: 'lazy',
      commander: 'any',
      ioredis: 'lazy',
      picocolors: 'any',
      tinybench: 'any',
    },
    builtins: 'all',
  },
};

/** The one file that loads what only the running program can name: the plug-ins of users. */
const LOADS_ANY = 'src/config/plugins/import-file.ts';

/** The files that import large packages outright: they enter by dynamic import. */
const HOLDS_PACKAGES = ['src/report/charts/draw-chart.ts', 'src/core/tokens/count-o200k.ts'];

/** The imports of the files that were read, by path and text: several rules ask for those of every source. */
const read = new Map<string, readonly ImportUse[]>();

/** Every import, re-export, dynamic import and import type of a file. */
export function importsOf(file: SourceFile): readonly ImportUse[] {
  const key = `${file.path}\n${file.text}`;
  const known = read.get(key) ?? readImports(file);
  read.set(key, known);
  return known;
}

/** Where an import may stand inside of an expression or a type. Elsewhere the statements alone are looked at. */
const NESTED = /(?<!^)\bimport\b|\bimport\s*[(/]|\brequire\b/m;

function readImports(file: SourceFile): readonly ImportUse[] {
  const found: ImportUse[] = [];
  const isNested = NESTED.test(file.text);
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS);
  const add = (node: ts.Node | undefined, form: ImportUse['form']): void => {
    if (node === undefined) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    const specifier = ts.isStringLiteralLike(node) ? node.text : `computed: ${node.getText(source)}`;
    found.push({ specifier, form, line });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      add(node.moduleSpecifier, typeOnly ? 'type' : 'static');
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'static');
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, 'static');
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, 'type');
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], 'dynamic');
    } else if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'require'
    ) {
      add(node.arguments[0], 'static');
    }
    if (isNested || node === source) ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The sentences that say which imports break the direction; empty when all is well. */
export function layerViolations(files: readonly SourceFile[]): readonly string[] {
  const problems: string[] = [];
  for (const file of files) {
    const folder = folderOf(file.path);
    const layer = LAYERS[folder];
    if (layer === undefined) {
      problems.push(`${file.path}: "${folder}" is not a folder of the layer table`);
      continue;
    }
    for (const use of importsOf(file)) {
      if (file.path === LOADS_ANY && use.specifier.startsWith('computed: ')) continue;
      const reason = use.specifier.startsWith('.')
        ? checkRelative(file.path, folder, layer, use)
        : checkExternal(file.path, folder, layer, use);
      if (reason !== null) problems.push(`${file.path}:${use.line} imports ${use.specifier}: ${reason}`);
    }
  }
  return problems;
}

/** The folder of src a path lies in; the file's own name when it lies in none. */
function folderOf(path: string): string {
  return path.split('/')[1] ?? path;
}

function checkRelative(path: string, folder: string, layer: Layer, use: ImportUse): string | null {
  const target = posix.join(posix.dirname(path), use.specifier);
  if (!target.startsWith('src/')) return 'it lies outside src';
  const wanted = folderOf(target);
  if (use.form === 'static' && HOLDS_PACKAGES.includes(target.replace(/\.js$/, '.ts')))
    return 'it holds packages and is loaded by dynamic import only';
  if (wanted === folder || layer.folders.includes(wanted)) return null;
  return `${folder} may import ${layer.folders.join(', ') || 'no other folder'}`;
}

function checkExternal(path: string, folder: string, layer: Layer, use: ImportUse): string | null {
  if (use.specifier.startsWith('node:')) {
    if (layer.builtins === 'all' || layer.builtins.includes(use.specifier.slice('node:'.length))) return null;
    return `${folder} may use ${layer.builtins.map((name) => `node:${name}`).join(', ') || "none of Node's modules"}`;
  }
  if (builtinModules.includes(use.specifier)) return "Node's modules are written with the prefix node:";
  const name = packageOf(use.specifier);
  const allowed = layer.packages[name];
  if (allowed === undefined) {
    return `${folder} may use ${Object.keys(layer.packages).join(', ') || 'no package'}`;
  }
  const mayLoad = allowed === 'any' || use.form !== 'static' || HOLDS_PACKAGES.includes(path);
  return !mayLoad ? `${name} is loaded by dynamic import only` : null;
}

/** The package a specifier belongs to: `@scope/name/sub` and `name/sub` are parts of a package. */
function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}
