import ts from 'typescript-6';

/** What takes the place of an operator, and the name of the change. */
const OPERATORS = new Map([
  [ts.SyntaxKind.LessThanToken, ['<=', 'boundary']],
  [ts.SyntaxKind.LessThanEqualsToken, ['<', 'boundary']],
  [ts.SyntaxKind.GreaterThanToken, ['>=', 'boundary']],
  [ts.SyntaxKind.GreaterThanEqualsToken, ['>', 'boundary']],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, ['!==', 'equality']],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, ['===', 'equality']],
  [ts.SyntaxKind.PlusToken, ['-', 'arithmetic']],
  [ts.SyntaxKind.MinusToken, ['+', 'arithmetic']],
  [ts.SyntaxKind.AsteriskToken, ['/', 'arithmetic']],
  [ts.SyntaxKind.SlashToken, ['*', 'arithmetic']],
  [ts.SyntaxKind.AmpersandAmpersandToken, ['||', 'logic']],
  [ts.SyntaxKind.BarBarToken, ['&&', 'logic']],
  [ts.SyntaxKind.PlusEqualsToken, ['-=', 'arithmetic']],
  [ts.SyntaxKind.MinusEqualsToken, ['+=', 'arithmetic']],
]);

const OTHER_CALLS = new Map([
  ['Math.max', 'Math.min'],
  ['Math.min', 'Math.max'],
  ['Math.floor', 'Math.ceil'],
  ['Math.ceil', 'Math.floor'],
]);

/** Small changes to a source, each of which a test should notice: place, replacement, kind and whether it is in a function, in the order of the text. */
export function findMutations(text, fileName = 'source.ts') {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const found = [];
  let depth = 0;
  const add = (start, end, replacement, kind) => {
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ start, end, replacement, kind, line, inFunction: depth > 0 });
  };
  const replace = (node, replacement, kind) => add(node.getStart(source), node.getEnd(), replacement, kind);

  const visit = (node) => {
    if (isOutOfScope(node)) return;
    if (ts.isBinaryExpression(node)) {
      const [replacement, kind] = OPERATORS.get(node.operatorToken.kind) ?? [];
      if (replacement !== undefined && !(isPlus(node) && saysText(node)))
        replace(node.operatorToken, replacement, kind);
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false', 'truth');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true', 'truth');
    else if (ts.isNumericLiteral(node)) {
      const value = Number(node.text.replaceAll('_', ''));
      replace(node, String(value + 1), 'number');
      if (value > 0) replace(node, `(${value - 1})`, 'number');
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText(source), 'negation');
    else if (ts.isExpressionStatement(node) && isEffect(node.expression)) replace(node, ';', 'statement');
    else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      replace(condition, 'true', 'condition');
      replace(condition, 'false', 'condition');
    } else if (ts.isCallExpression(node)) {
      const other = OTHER_CALLS.get(node.expression.getText(source));
      if (other !== undefined) replace(node.expression, other, 'call');
    } else if (returnsNothing(node)) {
      const start = node.body.getStart(source) + 1;
      add(start, start, ' return;', 'early return');
    }
    depth += ts.isFunctionLike(node) ? 1 : 0;
    ts.forEachChild(node, visit);
    depth -= ts.isFunctionLike(node) ? 1 : 0;
  };
  visit(source);
  return found.sort((a, b) => a.start - b.start || a.end - b.end || (a.replacement < b.replacement ? -1 : 1));
}

/** The text with one change made. */
export function mutate(text, { start, end, replacement }) {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Types are gone when the program runs; words are no behaviour; what is thrown for the user is checked by its own tests. */
function isOutOfScope(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isEnumDeclaration(node)
  );
}

function isPlus(node) {
  const { kind } = node.operatorToken;
  return kind === ts.SyntaxKind.PlusToken || kind === ts.SyntaxKind.PlusEqualsToken;
}

/** Whether a sum joins texts, as far as the literals in it tell. */
function saysText(node) {
  if (ts.isBinaryExpression(node)) return saysText(node.left) || saysText(node.right);
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** An expression that stands for what it does: a call, an assignment, a count. */
function isEffect(node) {
  if (ts.isCallExpression(node)) return node.expression.kind !== ts.SyntaxKind.SuperKeyword;
  if (ts.isBinaryExpression(node))
    return (
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
    );
  return ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node);
}

function returnsNothing(node) {
  return (
    (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isArrowFunction(node)) &&
    node.type?.kind === ts.SyntaxKind.VoidKeyword &&
    node.body !== undefined &&
    ts.isBlock(node.body) &&
    node.body.statements.length > 0
  );
}
