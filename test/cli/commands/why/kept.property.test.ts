import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, snapshot, tempFolder } from '../../cli.js';

const HOUR_S = 3_600;

/** Some turns of a session, with a pause that outlasts the cache before each third one. */
function turns(name: string, from: number, count: number): Buffer {
  const lines = Array.from({ length: count }, (_, n) => {
    const i = from + n;
    const at = i * 60 + Math.floor(i / 3) * 2 * HOUR_S;
    return [
      user(`${name}u${i}`, at, `question ${i} of ${name}`, {
        parentUuid: i === 0 ? null : `${name}a${i - 1}`,
        cwd: '/projects/shop',
      }),
      assistant(
        `${name}a${i}`,
        at + 5,
        `${name}-${i}`,
        say(`answer ${i}`),
        { model: 'claude-sonnet-4-5', usage: usage(10, i % 3 === 0 ? 0 : 5_000 + 900 * i, 900, 50 + i) },
        { parentUuid: `${name}u${i}` },
      ),
    ];
  });
  return jsonl(lines.flat());
}

/** What may happen to the files of a folder between two answers; `a` and `b` choose among them. */
const STEPS: Readonly<Record<string, (folder: string, a: number, b: number) => void>> = {
  append: (folder, a, b) => {
    const file = pick(folder, a);
    if (file !== null) appendFileSync(file, turns(`more${a}${b}`, 3, 1 + (b % 3)));
  },
  halfLine: (folder, a) => {
    const file = pick(folder, a);
    if (file !== null) appendFileSync(file, '{"type":"user","uuid":"half');
  },
  rename: (folder, a, b) => {
    const file = pick(folder, a);
    if (file !== null) renameSync(file, join(folder, `renamed${b}.jsonl`));
  },
  touch: (folder, a, b) => {
    const file = pick(folder, a);
    if (file !== null) utimesSync(file, 1_000_000 + b, 1_000_000 + b);
  },
  truncate: (folder, a, b) => {
    const file = pick(folder, a);
    if (file !== null) truncateSync(file, Math.floor((statSync(file).size * (b % 10)) / 10));
  },
  replaceInPlace: (folder, a, b) => {
    const file = pick(folder, a);
    if (file === null) return;
    // The same size and time of change: only the content tells.
    const { atime, mtime } = statSync(file);
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll('"output_tokens":5', `"output_tokens":${1 + (b % 4)}`),
    );
    utimesSync(file, atime, mtime);
  },
  replace: (folder, a, b) => {
    const file = pick(folder, a);
    if (file === null) return;
    rmSync(file);
    writeFileSync(file, turns(`other${b}`, 0, 2 + (b % 4)));
  },
  remove: (folder, a) => {
    const file = pick(folder, a);
    if (file !== null && readdirSync(folder).length > 1) rmSync(file);
  },
  copy: (folder, a, b) => {
    const file = pick(folder, a);
    if (file !== null) copyFileSync(file, join(folder, `copy${b}.jsonl`));
  },
  fork: (folder, a, b) => {
    const file = pick(folder, a);
    if (file !== null)
      writeFileSync(
        join(folder, `fork${b}.jsonl`),
        Buffer.concat([readFileSync(file), turns(`fork${b}`, 4, 2)]),
      );
  },
  subagent: (folder, a, b) => {
    const file = pick(folder, a);
    if (file === null) return;
    const own = join(file.replace(/\.jsonl$/, ''), 'subagents');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, `agent-${b}.jsonl`), turns(`agent${b}`, 0, 2));
  },
  new: (folder, a, b) => writeFileSync(join(folder, `new${b}.jsonl`), turns(`new${a}`, 0, 1 + (a % 5))),
};

function pick(folder: string, choice: number): string | null {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  return files.length === 0 ? null : join(folder, files[choice % files.length]!);
}

/** All that `why` says with what is kept in a folder, the page included. The files have settled by the time it is. */
async function answer(cwd: string, kept: string, more: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await cli(['why', 'logs', '--out', 'out', ...more], {
    cwd,
    env: { CCBENCH_CACHE: join(cwd, kept), HOME: cwd },
    today: '2040-01-01',
  });
  const page = existsSync(join(cwd, 'out')) ? snapshot(join(cwd, 'out')) : {};
  rmSync(join(cwd, 'out'), { recursive: true, force: true });
  return { code, stdout, stderr, page };
}

describe('what why keeps', () => {
  it('gives the same answer as explaining everything again, whatever happens to the files', {
    timeout: 300_000,
  }, async () => {
    const step = fc.record({
      name: fc.constantFrom(...Object.keys(STEPS)),
      a: fc.nat(20),
      b: fc.nat(20),
      asks: fc.constantFrom<readonly string[]>(
        ['--json'],
        [],
        ['--json', '--by', 'file'],
        ['--trend', '--json'],
        ['--limits', '--no-observed', '--json'],
        ['--json', '--prices-of', '2026-01-01'],
        ['--json', '--price', 'claude-sonnet-4-5=1,2'],
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const cwd = tempFolder();
        const logs = join(cwd, 'logs');
        mkdirSync(logs);
        for (const [i, name] of ['one', 'two', 'three'].entries())
          writeFileSync(join(logs, `${name}.jsonl`), turns(name, 0, 3 + 2 * i));
        await answer(cwd, 'kept', ['--json']);
        for (const [i, { name, a, b, asks }] of steps.entries()) {
          STEPS[name]!(logs, a, b);
          const fresh = await answer(cwd, `fresh${i}`, asks);
          expect(await answer(cwd, 'kept', asks)).toEqual(fresh);
          expect(await answer(cwd, 'kept', asks)).toEqual(fresh);
          expect(await answer(cwd, 'kept', [...asks, '--no-cache'])).toEqual(fresh);
        }
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});

describe('a damaged result', () => {
  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))],
    ['without most of its content', (bytes: Buffer) => Buffer.from(bytes).fill(0, 1_200)],
  ])('is made again where it is %s, and kept whole', async (_how, damage) => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, 'logs'));
    writeFileSync(join(cwd, 'logs', 'one.jsonl'), turns('one', 0, 6));
    for (const asks of [['--json'], ['--json', '--by', 'file'], ['--trend', '--json']]) {
      const fresh = await answer(cwd, 'kept', asks);
      const folder = join(cwd, 'kept', 'why');
      const kept = readdirSync(folder).map((name) => join(folder, name));
      expect(kept).toHaveLength(1);
      const whole = readFileSync(kept[0]!);
      writeFileSync(kept[0]!, damage(whole));
      expect(await answer(cwd, 'kept', asks)).toEqual(fresh);
      expect(await answer(cwd, 'kept', asks)).toEqual(fresh);
    }
  });
});

describe('calls that several sessions hold', () => {
  it('count once, at first and from what is kept, however the context is grouped', async () => {
    const cwd = tempFolder();
    const logs = join(cwd, 'logs');
    mkdirSync(logs);
    writeFileSync(join(logs, 'a.jsonl'), turns('a', 0, 6));
    writeFileSync(join(logs, 'b.jsonl'), Buffer.concat([turns('a', 0, 6), turns('b', 6, 2)]));
    writeFileSync(join(logs, 'c.jsonl'), Buffer.concat([turns('a', 0, 3), turns('c', 6, 4)]));
    for (const by of ['source', 'kind', 'source', 'file']) {
      const { stdout } = await cli(['why', 'logs', '--json', '--no-files', '--by', by], {
        cwd,
        env: { CCBENCH_CACHE: join(cwd, 'kept'), HOME: cwd },
        today: '2040-01-01',
      });
      // a is all in b; c has four calls of its own.
      expect(JSON.parse(stdout)).toMatchObject({ sessions: 2, requests: 6 + 2 + 4 });
    }
  });
});
