// @ts-check
// Where sources look up a text in a plain object: `table[name]` finds `constructor` in every object, and `table[name] = x` with
// `__proto__` changes what it inherits. Types decide: a name that is one of a few known words is no text, a cast to them is.
import { join, relative } from 'node:path';
import ts from 'typescript-6';

/**
 * Files that index objects by text all the same, and why the text cannot be foreign.
 * @type {ReadonlyMap<string, string>}
 */
export const MAY_INDEX = new Map([
  ['src/core/base/own-value.ts', 'asks first whether the object has the name'],
  ['src/core/base/checkpoint.ts', 'copies the fields of our own classes'],
  ['src/core/base/digest.ts', 'goes through the keys of the object itself, on the hot path'],
  ['src/engine/columnar/shared-runs.ts', 'compares two objects by the keys of the first, on the hot path'],
]);

const INDEXED = 'looks up a text in a plain object';
const ASKED = 'asks with `in` for a text';

/**
 * The look-ups in the files of a configuration that are below `src`.
 * @param {string} root
 * @param {string} name Of the configuration.
 * @param {ReadonlyMap<string, string>} planted Texts by the paths of the files that are looked at in place of its own.
 * @returns {readonly string[]}
 */
export function foreignNames(root, name, planted = new Map()) {
  const { config } = ts.readConfigFile(join(root, name), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (file, version) => {
    const text = planted.get(file);
    return text === undefined ? readSource(file, version) : ts.createSourceFile(file, text, version, true);
  };
  /** @type {(file: string) => string} */
  const shown = (file) => relative(root, file).replaceAll('\\', '/');
  const isOwn = (/** @type {string} */ path) =>
    path.startsWith('src/') && !path.endsWith('.generated.ts') && !MAY_INDEX.has(path);
  const own = (planted.size > 0 ? [...planted.keys()] : fileNames).filter((file) => isOwn(shown(file)));
  const program = ts.createProgram(own, options, host);
  const checker = program.getTypeChecker();
  return own.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source === undefined ? [] : violationsIn(source, shown(file), checker);
  });
}

/**
 * @param {import('typescript-6').SourceFile} source
 * @param {string} path
 * @param {import('typescript-6').TypeChecker} checker
 * @returns {readonly string[]}
 */
function violationsIn(source, path, checker) {
  /** @type {string[]} */
  const problems = [];
  /** @type {(node: import('typescript-6').Node, what: string) => void} */
  const report = (node, what) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    problems.push(`${path}:${line + 1} ${what}: ${node.getText(source)}`);
  };
  /** @type {(node: import('typescript-6').Node) => void} */
  const visit = (node) => {
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

/**
 * Whether an expression can be any text, looked at behind a cast.
 * @param {import('typescript-6').Expression} expression
 * @param {import('typescript-6').TypeChecker} checker
 */
function isText(expression, checker) {
  const bare = ts.isAsExpression(expression) ? expression.expression : expression;
  return isTextType(checker.getTypeAtLocation(bare));
}

/**
 * @param {import('typescript-6').Type} type
 * @returns {boolean}
 */
function isTextType(type) {
  if (type.isUnion()) return type.types.some(isTextType);
  const constraint = type.isTypeParameter() ? type.getConstraint() : undefined;
  if (constraint !== undefined) return isTextType(constraint);
  return (type.flags & (ts.TypeFlags.String | ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
}

/**
 * Lists, texts, and tables without a prototype have nothing that a text could find by accident.
 * @param {import('typescript-6').Type} type
 * @param {import('typescript-6').TypeChecker} checker
 */
function isSafeTable(type, checker) {
  if (checker.isArrayLikeType(type) || (type.flags & ts.TypeFlags.StringLike) !== 0) return true;
  return type.aliasSymbol?.name === 'NameTable';
}
