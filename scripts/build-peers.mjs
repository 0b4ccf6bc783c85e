// Writes the policies of other agents (src/policies/peers/*.yaml) as one module of plain data, so that no YAML is read at start-up.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'src/policies/peers');
const target = join(root, 'src/policies/peers.generated.ts');

/** Writes the module when it differs from what is there. */
export function buildPeers() {
  const agents = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
  const entries = agents.map((agent) => {
    const name = `peers/${agent}`;
    const written = parse(readFileSync(join(folder, `${agent}.yaml`), 'utf8'));
    if (written.name !== name) throw new Error(`${agent}.yaml: the policy is called ${written.name}`);
    // As a text: it is parsed when the policy is asked for.
    return `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(written))}],`;
  });
  const text = `/** Policies of other agents by name, each as the JSON of its file; made by scripts/build-peers.mjs. */
export const PEERS: readonly (readonly [string, string])[] = [
${entries.join('\n')}
];
`;
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, target);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildPeers();
