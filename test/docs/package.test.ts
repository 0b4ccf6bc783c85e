import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packedFiles } from '../../scripts/packed-files.mjs';
import { ROOT } from '../helpers/architecture/tree.js';

const OWN = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Text of a page without what is shown as code. */
function prose(text: string): string {
  return text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
}

/** Links and pictures of a page that lead to a file, from the root of the package. */
function targets(page: string, text: string): readonly string[] {
  return [...prose(text).matchAll(/\]\(\s*<?([^)\s>#]+)|<(?:img|a)[^>]*\s(?:src|href)="([^"#]+)/g)]
    .map(([, markdown, html]) => (markdown ?? html)!)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => posix.join(posix.dirname(page), decodeURI(target)));
}

/** Links of a page that lead nowhere in the package. */
function deadLinks(page: string, text: string, files: readonly string[]): readonly string[] {
  return targets(page, text).filter(
    (target) => !files.some((file) => file === target || file.startsWith(`${target.replace(/\/$/, '')}/`)),
  );
}

describe('the package', () => {
  const files = packedFiles();
  const pages = files.filter((file) => file.endsWith('.md'));

  it('has no page with a link that leads out of it', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/cli.md']));
    const dead = pages.flatMap((page) =>
      deadLinks(page, readFileSync(join(ROOT, page), 'utf8'), files).map((link) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it('the check fires on a dead link, in text and in a picture, and not on code or another site', () => {
    const text = 'See [a](docs/a.md) and `[b](b.md)`, [c](https://c.org), [d](docs), <img src="e.svg">.';
    expect(deadLinks('README.md', text, ['docs/cli.md'])).toEqual(['docs/a.md', 'e.svg']);
  });

  it('holds no source map, no test and no source', () => {
    expect(files.filter((file) => /\.map$|^(?:src|test|scripts)\/|\.generated\.ts$/.test(file))).toEqual([]);
  });

  it('holds code in ASCII alone, but for a table of tokens', () => {
    const others = files.filter(
      (file) => file.endsWith('.js') && /[^\0-\x7f]/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(others).toEqual([expect.stringMatching(/count-o200k/)]);
  });

  it('holds everything its manifest points to', () => {
    const pointed = [OWN.types, ...Object.values(OWN.bin), ...Object.values(OWN.exports['.'])] as string[];
    for (const path of pointed) expect(files).toContain(posix.normalize(path));
    const folders = Object.entries(OWN.exports).flatMap(([name, target]) =>
      name.endsWith('/*') ? [posix.normalize(String(target).slice(0, -1))] : [],
    );
    expect(folders).toEqual(['schema/', 'scenarios/', 'fixtures/']);
    for (const folder of folders) expect(files.some((file) => file.startsWith(folder))).toBe(true);
  });

  it('declares types that are all in it or in a package that comes with it', () => {
    const declarations = files.filter((file) => file.endsWith('.d.ts'));
    expect(declarations).toContain('dist/index.d.ts');
    const missing = declarations.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)]
        .map(([, name]) => name!)
        .filter((name) => {
          const target = posix.join(posix.dirname(file), name.replace(/\.js$/, '.d.ts'));
          if (name.startsWith('.')) return !declarations.includes(target);
          return !name.startsWith('node:') && OWN.dependencies[name] === undefined;
        })
        .map((name) => `${file}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('loads no package that it does not ask for', () => {
    const asked = Object.keys(OWN.dependencies);
    const used = new Set<string>();
    for (const file of files.filter((name) => /\.(?:js|d\.ts)$/.test(name) && existsSync(join(ROOT, name))))
      for (const [, name] of readFileSync(join(ROOT, file), 'utf8').matchAll(
        /(?:^import\b[^'"\n]*?|\bfrom\s*|\bimport\()["'`]((?:@[\w.-]+\/)?[\w.-]+)(?:\/[\w./-]+)?["'`]/gm,
      ))
        used.add(name!);
    // `ccbench` stands in a starter file; `canvas` is one that Vega would take if it were there.
    // What a fleet needs is installed by those who have one: optional peers.
    const others = ['.', '..', 'ccbench', 'canvas', ...Object.keys(OWN.peerDependencies)];
    const packages = [...used].filter((name) => !isBuiltin(name) && !others.includes(name));
    expect(packages.sort()).toEqual(asked.sort());
  });
});
