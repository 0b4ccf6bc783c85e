import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Runs test files of a work folder in a process of its own, which is ended when it takes too long. */
export class TestRunner {
  #host = null;
  #changed = new Set();
  #groups = new Set();

  constructor(work, env) {
    this.work = work;
    this.env = env;
  }

  /** A source is another one from here on. */
  touch(file) {
    this.#changed.add(file);
  }

  /** `passed`, `killed` or `timeout`, and the first file that failed, after which no other is run. */
  async run(tests, timeoutMs) {
    if (tests.length === 0) return { verdict: 'passed', by: null };
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
        finish({ verdict: 'timeout', by: null });
      }, timeoutMs);
      host.once('message', ({ ok, by }) => finish({ verdict: ok ? 'passed' : 'killed', by }));
      host.once('exit', () => {
        this.#host = null;
        finish({ verdict: 'killed', by: null });
      });
      host.send({ changed: [...this.#changed], tests });
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
    const host = fork(script, [this.work], {
      cwd: this.work,
      detached: true, // a group of its own, with all that tests start
      env: { ...process.env, ...this.env },
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
