import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { it } from 'vitest';
import { parse } from 'yaml';
import { compactsAt } from '../../../src/agent/policy-file/check-rules.js';
import { policyValues, type WrittenPolicy, withPolicyValue } from '../../../src/agent/policy-file/paths.js';
import { readPolicy } from '../../../src/agent/policy-file/read-policy.js';
import { policySentences } from '../../../src/agent/policy-file/sentences.js';
import { ROOT } from '../../helpers/architecture/tree.js';
import { expectKept } from '../../helpers/golden/outputs.js';

const PEERS = join(ROOT, 'src/agent/policies/peers');
const FILES = readdirSync(PEERS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .sort();
const written = (name: string): WrittenPolicy =>
  parse(readFileSync(join(PEERS, name), 'utf8')) as WrittenPolicy;

/** What stands in the place of each value. */
const ODD: readonly unknown[] = [null, true, -1, 0, 1e12, '', 'x', '((', '>= 5', '10 min', [], {}, [1, 'x']];

function problemsOf(value: unknown): readonly string[] {
  const lines: string[] = [];
  readPolicy(value, { name: 'p' }, ({ weight, message }) => lines.push(`${weight}: ${message}`));
  return lines;
}

/** What a policy will do, and at how many tokens it compacts. */
function said(value: unknown): readonly string[] {
  const policy = readPolicy(value, { name: 'p' }, () => undefined);
  if (policy === null) throw new Error('a shipped policy cannot be read');
  const sizes = [128_000, 200_000, 1_000_000].map((window) =>
    compactsAt(policy.rules, { window, maxOutput: 32_000 }),
  );
  const output = { maxOutput: 32_000, whose: 'that of a model' };
  return [`compacts at ${sizes.join(', ')}`, ...policySentences(policy.rules, output)];
}

it('what policies of other agents will do is said as kept', () => {
  const texts = FILES.map((name) => [`# ${basename(name)}`, ...said(written(name))].join('\n'));
  expectKept('policies/sentences', `${texts.join('\n\n')}\n`);
});

it('what is wrong with a value is said as kept', () => {
  const tried = new Set<string>();
  const said = new Set<string>();
  for (const name of FILES) {
    const policy = written(name);
    for (const { path } of policyValues(policy)) {
      const kind = path.replaceAll(/\.\d+|^rules\.[^.]+/g, '.*');
      if (tried.has(kind)) continue;
      tried.add(kind);
      for (const odd of ODD)
        for (const line of problemsOf(withPolicyValue(policy, path, odd)))
          said.add(`${kind}: ${line.replace(/, got .*/, '')}`);
    }
  }
  expectKept('policies/problems', `${[...said].join('\n')}\n`);
});
