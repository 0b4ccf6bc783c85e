// Writes the policies that are shipped as files (src/policies/{baselines,peers}/*.yaml) as one module of plain data, so that no YAML
// is read at start-up.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Folders of policy files; the name of a policy begins with its folder's. */
const FOLDERS = ['baselines', 'peers'];
const target = join(root, 'src/policies/shipped.generated.ts');

/** Writes the module when it differs from what is there. */
export function buildPolicies() {
  const entries = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, 'src/policies', folder))
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => file.slice(0, -'.yaml'.length))
      .sort()
      .map((agent) => {
        const file = `${agent}.yaml`;
        const name = `${folder}/${agent}`;
        const written = parse(readFileSync(join(root, 'src/policies', folder, file), 'utf8'));
        if (written.name !== name) throw new Error(`${folder}/${file}: the policy is called ${written.name}`);
        // As a text: it is parsed when the policy is asked for.
        return `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(written))}],`;
      }),
  );
  const text = `/** Policies that are shipped as files by name, each as the JSON of its file; made by scripts/build-policies.mjs. */
export const SHIPPED: readonly (readonly [string, string])[] = [
${entries.join('\n')}
];
`;
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, target);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildPolicies();
