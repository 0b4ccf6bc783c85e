import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { SESSION_TABLES } from '../../src/cli/commands/columns/session-tables.js';
import { ROOT } from '../helpers/architecture/tree.js';
import { expectGenerated } from '../helpers/pages/generated.js';

const BEGIN = '<!-- columns:begin -->\n';

it('docs/why.md lists exactly the columns of its results', () => {
  const tables = Object.entries(SESSION_TABLES).map(([name, columns]) =>
    [
      `| \`${name}\` | kind | what it holds |`,
      '|---|---|---|',
      ...columns.map((column) => `| \`${column.name}\` | ${column.kind} | ${column.about} |`),
    ].join('\n'),
  );
  const page = readFileSync(join(ROOT, 'docs/why.md'), 'utf8');
  const before = page.slice(0, page.indexOf(BEGIN) + BEGIN.length);
  const after = page.slice(page.indexOf('<!-- columns:end -->'));
  expectGenerated('docs/why.md', `${before}${tables.join('\n\n')}\n${after}`);
});
