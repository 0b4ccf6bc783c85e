import ts from 'typescript-6';
import type { SourceFile } from './layers.js';

/** The outside world enters here; everything else in src is a function of its inputs. */
const EDGE = [
  /^src\/cli\//,
  /^src\/(transcripts|config)\/files\//,
  /^src\/study\/results\//,
  /^src\/study\/worker-[a-z-]+\.ts$/,
  /^src\/config\/plugins\/load-plugin\.ts$/,
];

const BANNED_GLOBALS: ReadonlyMap<string, string> = new Map([
  ['process', 'the process'],
  ['globalThis', 'the global object'],
  ['performance', 'the wall clock'],
  ['setTimeout', 'the wall clock'],
  ['setInterval', 'the wall clock'],
  ['setImmediate', 'the wall clock'],
  ['fetch', 'the network'],
  ['WebSocket', 'the network'],
  ['crypto', 'randomness'],
  ['navigator', 'the machine'],
  ['Intl', 'the locale'],
]);

const OUTSIDE = 'fs|net|http|https|http2|dns|tls|dgram|child_process|os|process|timers|perf_hooks';
const BANNED_MODULES = new RegExp(`^(node:)?(${OUTSIDE})(/.*)?$`);
const RANDOM_OF_CRYPTO = /^(random|getRandomValues|generateKey|webcrypto|subtle)/;

/** One of these stands in every file that reaches out: a file without any is not parsed. */
const WORDS = [...BANNED_GLOBALS.keys(), 'Date', 'random', 'toLocale\\w*', 'localeCompare'];
const SUSPECT = new RegExp(`\\b(${WORDS.join('|')})\\b|['"](node:|(${OUTSIDE})['"/])|\\\\u`);

/** True where the wall clock, the process, files and the network may be touched. */
function isAtEdge(path: string): boolean {
  return EDGE.some((pattern) => pattern.test(path));
}

/** The sentences that say where a file below the edge reaches for the outside world. */
export function edgeViolations(file: SourceFile): readonly string[] {
  if (isAtEdge(file.path) || !SUSPECT.test(file.text)) return [];
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const own = declaredNames(source);
  const problems: string[] = [];
  const report = (node: ts.Node, what: string): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    problems.push(`${file.path}:${line} uses ${what}: ${node.getText().split('\n')[0]}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node)) {
      const what = BANNED_GLOBALS.get(node.text);
      if (what !== undefined && !own.has(node.text) && !isOnlyAName(node)) report(node, what);
    } else if (ts.isPropertyAccessExpression(node)) {
      const owner = nameOf(node.expression);
      const name = node.name.text;
      if (owner === 'Date' && name === 'now') report(node, 'the wall clock');
      else if (owner === 'Math' && name === 'random') report(node, 'randomness');
      else if (name.startsWith('toLocale') || name === 'localeCompare') report(node, 'the locale');
    } else if (ts.isNewExpression(node)) {
      if (nameOf(node.expression) === 'Date' && !node.arguments?.length) report(node, 'the wall clock');
    } else if (ts.isCallExpression(node)) {
      if (nameOf(node.expression) === 'Date') report(node, 'the wall clock');
    } else if (ts.isImportSpecifier(node)) {
      const name = (node.propertyName ?? node.name).text;
      const from = node.parent.parent.parent.moduleSpecifier;
      if (ts.isStringLiteral(from) && from.text === 'node:crypto' && RANDOM_OF_CRYPTO.test(name)) {
        report(node, 'randomness');
      }
    } else if (ts.isStringLiteral(node) && isModuleName(node) && BANNED_MODULES.test(node.text)) {
      report(node, 'a module of the outside world');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

/** The name that an expression is; null where it is anything longer. */
function nameOf(expression: ts.Expression): string | null {
  return ts.isIdentifier(expression) ? expression.text : null;
}

/** Names the file itself declares as variables, parameters or functions: not the globals of the same name. */
function declaredNames(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isBindingElement(node);
    if (declares && node.name !== undefined && ts.isIdentifier(node.name)) names.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** True when an identifier names a member or a key instead of reading a variable. */
function isOnlyAName(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) return parent.name === node;
  if (ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent)) return parent.name === node;
  if (ts.isMethodSignature(parent) || ts.isGetAccessor(parent)) return parent.name === node;
  return ts.isBindingElement(parent) && parent.propertyName === node;
}

function isModuleName(node: ts.StringLiteral): boolean {
  const parent = node.parent;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  return ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
}
