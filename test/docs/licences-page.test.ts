import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildCode, licenceNotices, NOTICES } from '../../scripts/build-code.mjs';
import { bundledPackages, isAllowed, licencesPage, productionPackages } from '../../scripts/licences.mjs';
import { ROOT } from '../helpers/architecture/tree.js';
import { expectGenerated } from '../helpers/pages/generated.js';
import { needFreshBuild } from '../helpers/setup/built.js';

const LOCK = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');

/** Folders of the packages that the build puts into its own files. */
const bundled = buildCode({ write: false }).then(({ folders }) => folders);

/** A lock file with the given packages by path. */
const lock = (packages: Readonly<Record<string, object>>): string =>
  JSON.stringify({ packages: { '': { name: 'own', license: 'none' }, ...packages } });

describe('licences of what is installed with ccbench', () => {
  it('docs/licences.md lists every package', async () => {
    expectGenerated('docs/licences.md', licencesPage(LOCK, await bundled));
  });

  it('are all on the list', async () => {
    const all = [...productionPackages(LOCK), ...bundledPackages(LOCK, await bundled)];
    expect(all.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
  });

  it('hold every dependency that package.json names, with the licence that the package itself states', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const packages = productionPackages(LOCK);
    for (const name of Object.keys(dependencies)) {
      const own = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
      expect(packages).toContainEqual({ name, version: own.version, licence: own.license });
    }
  });

  it('the build carries the licence of every package whose code it holds', async () => {
    needFreshBuild();
    const text = readFileSync(join(ROOT, NOTICES), 'utf8');
    expect(text).toBe(licenceNotices(await bundled));
    const packages = bundledPackages(LOCK, await bundled);
    expect(packages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['@anthropic-ai/sdk', 'commander', 'js-tiktoken', 'vega-lite']),
    );
    for (const { name, version } of packages) expect(text).toContain(`${name} ${version} (`);
  });

  it('a package without the text of its licence is refused', () => {
    expect(() => licenceNotices(['node_modules'])).toThrow();
  });

  it('the list fires on a package that is not free to use, or that states nothing', () => {
    const packages = productionPackages(
      lock({
        'node_modules/a': { version: '1.0.0', license: 'GPL-3.0' },
        'node_modules/b/node_modules/@c/d': { version: '2.0.0' },
        'node_modules/e': { version: '3.0.0', license: '(MIT OR GPL-3.0)' },
        'node_modules/f': { version: '4.0.0', license: 'SSPL-1.0', dev: true },
      }),
    );
    expect(packages.map(({ name, licence }) => [name, isAllowed(licence)])).toEqual([
      ['@c/d', false],
      ['a', false],
      ['e', true],
    ]);
  });

  it('counts a package once for each version', () => {
    const packages = productionPackages(
      lock({
        'node_modules/a': { version: '1.0.0', license: 'MIT' },
        'node_modules/b/node_modules/a': { version: '1.0.0', license: 'MIT' },
        'node_modules/c/node_modules/a': { version: '2.0.0', license: 'ISC' },
      }),
    );
    expect(packages).toEqual([
      { name: 'a', version: '1.0.0', licence: 'MIT' },
      { name: 'a', version: '2.0.0', licence: 'ISC' },
    ]);
  });
});
