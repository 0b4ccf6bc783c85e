import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isOfPage } from './reach.mjs';

/** What the copy does without; packages are linked. */
const LEFT_OUT = ['.git', '.ccbench', 'coverage', 'node_modules', 'site'];
const PAGE_BUNDLE = 'src/report/html/page-bundle.generated.ts';

/** A copy of the checkout, with its build and the recordings beside it, in which one source at a time is another. */
export class WorkTree {
  #folder = mkdtempSync(join(tmpdir(), 'ccbench-mutate-'));
  path = join(this.#folder, 'main');

  constructor(root) {
    chmodSync(this.#folder, 0o755); // tests that give up the rights of root read it too
    mkdirSync(this.path);
    for (const name of readdirSync(root).filter((one) => !LEFT_OUT.includes(one)))
      cpSync(join(root, name), join(this.path, name), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'));
    const recordings = join(dirname(root), 'shared');
    if (existsSync(recordings)) symlinkSync(recordings, join(this.#folder, 'shared'));
  }

  /** Puts another text in the place of a source and, where tests of the built program are to see it, into the build; the way back. */
  change(file, text, { alsoBuilt }) {
    const touched = [file, ...(isOfPage(file) ? [PAGE_BUNDLE] : [])];
    const before = touched.map((name) => this.#remember(name));
    writeFileSync(join(this.path, file), text);
    if (isOfPage(file)) this.#run('build-page.mjs');
    else if (alsoBuilt) before.push(this.#build());
    this.#forgetReadTranscripts();
    return {
      touched,
      putBack: () => {
        for (const one of before) one.putBack();
        this.#forgetReadTranscripts();
      },
    };
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What tests get there: few cases of each property, and a folder in which programs keep transcripts that they have read. */
  get env() {
    return { CCBENCH_CACHE: this.#cache, CCBENCH_RUNS: '40', CCBENCH_SEED: '1' };
  }

  get #cache() {
    return join(this.path, '.cache');
  }

  /** What one program has read, the next must not take over. */
  #forgetReadTranscripts() {
    rmSync(this.#cache, { recursive: true, force: true });
  }

  /** A file as it is, to the time of its last change: a build stays one of the sources it was made of. */
  #remember(name) {
    const path = join(this.path, name);
    const bytes = readFileSync(path);
    const { atime, mtime } = statSync(path);
    return {
      putBack: () => {
        writeFileSync(path, bytes);
        utimesSync(path, atime, mtime);
      },
    };
  }

  /** Bundles the changed program; the build as it was is put aside. */
  #build() {
    const dist = join(this.path, 'dist');
    const aside = join(this.#folder, 'dist');
    cpSync(dist, aside, { recursive: true, preserveTimestamps: true });
    this.#run('finish-build.mjs');
    return {
      putBack: () => {
        rmSync(dist, { recursive: true });
        renameSync(aside, dist);
      },
    };
  }

  #run(script) {
    spawnSync(process.execPath, [join(this.path, 'scripts', script)], { cwd: this.path });
  }
}
