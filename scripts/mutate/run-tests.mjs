import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Runs test files of a work folder in a process of its own, which is ended when it takes too long. */
export class TestRunner {
  #host = null;
  #changed = new Set();
  #groups = new Set();

  constructor(work, cache, workers) {
    this.work = work;
    this.cache = cache;
    this.workers = workers;
  }

  /** A source is another one from here on. */
  touch(file) {
    this.#changed.add(file);
  }

  /** `passed`, `failed` or `timeout`, how each file went, and the time of the processor it took without processes that tests start; with `bail` the first failure ends it. */
  async run(tests, timeoutMs, bail = 1) {
    if (tests.length === 0) return { verdict: 'passed', modules: [] };
    const host = this.#host ?? (await this.#start());
    return new Promise((done) => {
      const finish = (result) => {
        clearTimeout(timer);
        host.removeAllListeners('message');
        host.removeAllListeners('exit');
        done(result);
      };
      const timer = setTimeout(() => {
        this.stop();
        finish({ verdict: 'timeout', modules: [] });
      }, timeoutMs);
      host.once('message', ({ ok, cpuMs, modules }) =>
        finish({ verdict: ok ? 'passed' : 'failed', cpuMs, modules }),
      );
      host.once('exit', () => {
        this.#host = null;
        finish({ verdict: 'failed', modules: [] });
      });
      host.send({ changed: [...this.#changed], tests, bail });
      this.#changed.clear();
    });
  }

  /** Ends the process and those that its tests have started. */
  stop() {
    this.#host?.removeAllListeners();
    this.#groups.forEach(endGroup);
    this.#groups.clear();
    this.#host = null;
  }

  #start() {
    const script = join(import.meta.dirname, 'test-host.mjs');
    const host = fork(script, [this.work, String(this.workers)], {
      cwd: this.work,
      detached: true, // a group of its own, with all that tests start
      env: {
        ...process.env,
        CCBENCH_CACHE: this.cache,
        CCBENCH_RUNS: '40',
        CCBENCH_SEED: '1',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#host = host;
    this.#groups.add(host.pid);
    return new Promise((ready, failed) => {
      host.once('message', () => ready(host));
      host.once('exit', () => failed(new Error('the test runner did not start')));
    });
  }
}

function endGroup(leader) {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // all of it has ended
  }
}
