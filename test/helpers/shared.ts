import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../../shared/data');

/** The recordings beside the checkout, if they are there. */
export const sharedData = {
  present: existsSync(ROOT),
  /** Absolute paths of the files in a folder of the shared data, sorted; empty when the data is absent. */
  files(folder: string): readonly string[] {
    const path = join(ROOT, folder);
    return existsSync(path)
      ? readdirSync(path)
          .sort()
          .map((name) => join(path, name))
      : [];
  },
  path: (relative: string): string => join(ROOT, relative),
  read: (relative: string): Buffer => readFileSync(join(ROOT, relative)),
};

if (!sharedData.present) {
  console.warn('shared recordings are not beside this checkout: the tests that read them are skipped');
}
