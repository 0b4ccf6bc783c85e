import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelsModule } from '../../scripts/shipped/models.mjs';
import { profilePolicy } from '../../scripts/shipped/profiles.mjs';
import { ROOT } from '../helpers/architecture/tree.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/current.md');

/** The blocks of a language on the page. */
const blocks = (language: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text!);

const [MODEL, CHANGE, PROFILE] = blocks('yaml') as [string, string, string];

/** The table that the build makes with a row in the group of OpenAI’s newest models. */
function tableWith(row: string) {
  const table = parse(read('src/provider/prices/models.yaml'), { merge: true });
  const group = table.groups.find(({ provider }: { provider: string }) => provider === 'openai-5.6');
  group.models.unshift(...parse(row));
  const [, json] = /MODEL_TABLE_JSON =\s+(".*");/.exec(modelsModule(table))!;
  const { rows } = JSON.parse(JSON.parse(json!));
  return rows.find(({ id }: { id: string }) => id === 'gpt-7-sol');
}

it('docs/current.md: its model and its price change are what the build takes', () => {
  expect(tableWith(MODEL)).toMatchObject({ from: '2026-12-01', earlier: [], checked: '2026-12-02' });
  // Writes cost 1.25 × input in this group.
  expect(tableWith(CHANGE)).toMatchObject({
    pricesPerMTok: { input: 1.5, output: 8, cacheRead: 0.08, cacheWrite5m: 1.875 },
    earlier: [{ from: '2026-12-01', until: '2027-02-01', pricesPerMTok: { cacheWrite5m: 2.5 } }],
  });
});

it('docs/current.md: a price change without its day is refused', () => {
  const without = CHANGE.replace("  from: '2027-02-01'\n", '');
  expect(() => tableWith(without)).toThrow('gpt-7-sol: prices with others before them need `from`');
  const same = CHANGE.replace('2027-02-01', '2026-12-01');
  expect(() => tableWith(same)).toThrow('a later day than theirs');
});

it('docs/current.md: its generation is what the build takes', () => {
  const newest = parse(read('src/agent/policies/claude-code/2.1.325.yaml'));
  const params = parse(read('src/agent/layers/params.yaml'));
  const { name, versions, checked } = profilePolicy({ ...newest, ...parse(PROFILE) }, params);
  expect({ name, checked, from: versions[0].from }).toEqual({
    name: 'claude-code/2.1.400',
    checked: '2026-12-02',
    from: '2.1.400',
  });
});
