import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './tree.js';

/** Files that index objects by text all the same, and why the text cannot be foreign. */
export const MAY_INDEX: ReadonlyMap<string, string> = new Map([
  ['src/core/base/own-value.ts', 'asks first whether the object has the name'],
  ['src/core/base/checkpoint.ts', 'copies the fields of our own classes'],
  ['src/core/base/digest.ts', 'goes through the keys of the object itself, on the hot path'],
  ['src/engine/columnar/shared-runs.ts', 'compares two objects by the keys of the first, on the hot path'],
]);

const INDEXED = 'looks up a text in a plain object';
const ASKED = 'asks with `in` for a text';

/**
 * Where sources look up a text in a plain object: `table[name]` finds `constructor` in every object, and `table[name] = x` with
 * `__proto__` changes what it inherits. Types decide: a name that is one of a few known words is no text, a cast to them is.
 */
export function foreignNames(planted: ReadonlyMap<string, string> = new Map()): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const all = { ...options, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'] };
  const own = planted.size > 0 ? [] : ts.sys.readDirectory(join(ROOT, 'src'), ['.ts']);
  const host = ts.createCompilerHost(all);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const text = planted.get(name);
    return text === undefined ? readSource(name, version) : ts.createSourceFile(name, text, version, true);
  };
  const paths = [...own, ...planted.keys()];
  const program = ts.createProgram(paths, all, host);
  const checker = program.getTypeChecker();
  return paths
    .filter((path) => !path.endsWith('.generated.ts'))
    .flatMap((path) => violationsIn(program.getSourceFile(path)!, checker));
}

function violationsIn(source: ts.SourceFile, checker: ts.TypeChecker): readonly string[] {
  const path = source.fileName.startsWith(ROOT) ? source.fileName.slice(ROOT.length + 1) : source.fileName;
  if (MAY_INDEX.has(path)) return [];
  const problems: string[] = [];
  const report = (node: ts.Node, what: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    problems.push(`${path}:${line + 1} ${what}: ${node.getText(source)}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node)) {
      const table = checker.getNonNullableType(checker.getTypeAtLocation(node.expression));
      if (isText(node.argumentExpression, checker) && !isSafeTable(table, checker)) report(node, INDEXED);
    } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
      if (isText(node.left, checker)) report(node, ASKED);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

/** Whether an expression can be any text, looked at behind a cast. */
function isText(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  const bare = ts.isAsExpression(expression) ? expression.expression : expression;
  return isTextType(checker.getTypeAtLocation(bare));
}

function isTextType(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isTextType);
  const constraint = type.isTypeParameter() ? type.getConstraint() : undefined;
  if (constraint !== undefined) return isTextType(constraint);
  return (type.flags & (ts.TypeFlags.String | ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
}

/** Lists, texts, and tables without a prototype have nothing that a text could find by accident. */
function isSafeTable(type: ts.Type, checker: ts.TypeChecker): boolean {
  if (checker.isArrayLikeType(type) || (type.flags & ts.TypeFlags.StringLike) !== 0) return true;
  return type.aliasSymbol?.name === 'NameTable';
}
