import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SESSION_TABLES } from '../../../../src/cli/commands/columns/session-tables.js';
import { ROOT } from '../../../helpers/architecture/tree.js';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, tempFolder } from '../../cli.js';

/** A request that writes for an hour; sizes in tokens. */
interface Call {
  readonly id: string;
  readonly seconds: number;
  readonly read: number;
  readonly written: number;
}

/** A session of Claude Sonnet 4.5 with these calls, each of which the user asked for. */
function session(project: string, calls: readonly Call[]): Uint8Array {
  const fields = { version: '2.1.100', cwd: project };
  return jsonl(
    calls.flatMap(({ id, seconds, read, written }, i) => {
      const before = i === 0 ? {} : { parentUuid: `a-${calls[i - 1]!.id}` };
      return [
        user(`u-${id}`, seconds, 'a question', { ...fields, ...before }),
        assistant(
          `a-${id}`,
          seconds + 1,
          id,
          say('an answer'),
          { model: 'claude-sonnet-4-5', usage: usage(10, read, written, 50) },
          { ...fields, parentUuid: `u-${id}` },
        ),
      ];
    }),
  );
}

// List prices, dollars per million tokens: 3 input, 0.3 read, 6 written for an hour, 15 output.
const nanoOf = ({ read, written }: Call): number => 10 * 3_000 + read * 300 + written * 6_000 + 50 * 15_000;

const FIRST: Call = { id: 'first', seconds: 0, read: 0, written: 20_000 };
/** After two hours: the lifetime of an hour ran out. */
const LATE: Call = { id: 'late', seconds: 7_200, read: 0, written: 25_000 };
const SOON: Call = { id: 'soon', seconds: 60, read: 20_000, written: 1_000 };
const OTHER: Call = { id: 'other', seconds: 0, read: 0, written: 15_000 };

/** A session, a copy of its first call, a fork of it that goes on in another way, and one of its own. */
function corpus(): string {
  return tempFolder({
    'a.jsonl': session('/projects/shop', [FIRST, LATE]),
    'b-copy.jsonl': session('/projects/shop', [FIRST]),
    'c-fork.jsonl': session('/projects/shop', [FIRST, SOON]),
    'd.jsonl': session('/projects/blog', [OTHER]),
  });
}

async function why(cwd: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await cli(['why', '.', '--json', ...args], { cwd });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

async function ask(cwd: string, sql: string, folder = 'out') {
  const { code, stdout, stderr } = await cli(['results', folder, '--sql', sql, '--json'], { cwd });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout).rows;
}

describe('ccbench why --results', () => {
  it('has a row for each counted session and request, and the cost of the report to the nano-dollar', async () => {
    const cwd = corpus();
    const report = await why(cwd, '--results', 'out');
    expect(report).toMatchObject({ sessions: 3, requests: 4, results: 'out', page: null });
    expect(readdirSync(join(cwd, 'out'))).toEqual(['requests.parquet', 'sessions.parquet']);
    expect(
      await ask(cwd, 'select session, project, requests, costNano from sessions order by session'),
    ).toEqual([
      { session: 'a.jsonl', project: '/projects/shop', requests: 2, costNano: nanoOf(FIRST) + nanoOf(LATE) },
      { session: 'c-fork.jsonl', project: '/projects/shop', requests: 1, costNano: nanoOf(SOON) },
      { session: 'd.jsonl', project: '/projects/blog', requests: 1, costNano: nanoOf(OTHER) },
    ]);
    const all = [FIRST, LATE, SOON, OTHER];
    const nano = all.reduce((sum, call) => sum + nanoOf(call), 0);
    expect(await ask(cwd, 'select sum(costNano) as nano from requests')).toEqual([{ nano }]);
    expect(Math.round(report.recordedUsd * 1e9)).toBe(nano);
  });

  it('tells tokens, times and the cause of a miss of each request', async () => {
    const cwd = corpus();
    await why(cwd, '--results', 'out');
    const columns =
      'number, kind, startedAt, day, gapMs, promptTokens, readTokens, writtenTokens, plainTokens, outputTokens, cause, missTokens';
    expect(
      await ask(cwd, `select ${columns} from requests where session = 'a.jsonl' order by number`),
    ).toEqual([
      {
        number: 1,
        kind: 'main',
        startedAt: '2026-01-02 00:00:00.000',
        day: '2026-01-02',
        gapMs: null,
        promptTokens: 20_010,
        readTokens: 0,
        writtenTokens: 20_000,
        plainTokens: 10,
        outputTokens: 50,
        cause: null,
        missTokens: 0,
      },
      {
        number: 2,
        kind: 'main',
        startedAt: '2026-01-02 02:00:00.000',
        day: '2026-01-02',
        gapMs: 7_200_000,
        promptTokens: 25_010,
        readTokens: 0,
        writtenTokens: 25_000,
        plainTokens: 10,
        outputTokens: 50,
        cause: 'lifetime-1h',
        missTokens: 20_000,
      },
    ]);
    const [row] = await ask(
      cwd,
      "select misses, lifetime1hNano, growthNano from sessions where session = 'a.jsonl'",
    );
    expect(row).toEqual({ misses: 1, lifetime1hNano: 20_000 * 6_000, growthNano: 5_000 * 6_000 });
  });

  it('leaves empty what a recording does not tell of its writes', async () => {
    const header = 'time,session,model,input,cached,output,provider';
    const cwd = tempFolder({
      'none.csv': `${header}\n2026-01-01T00:00:00Z,s1,gpt-5.5,10000,0,100,openai\n`,
      'some.csv': `${header},written\n2026-01-01T00:00:00Z,s2,claude-sonnet-4-5,10000,0,100,anthropic,9000\n`,
    });
    await why(cwd, '--results', 'out');
    expect(await ask(cwd, 'select writtenTokens, plainTokens from sessions order by session')).toEqual([
      { writtenTokens: null, plainTokens: 10_000 },
      { writtenTokens: 9_000, plainTokens: 1_000 },
    ]);
    expect(await ask(cwd, 'select writtenTokens, written1hTokens from requests order by session')).toEqual([
      { writtenTokens: null, written1hTokens: null },
      { writtenTokens: 9_000, written1hTokens: null },
    ]);
  });

  it('refuses what has no effect or would count sessions twice', async () => {
    const cwd = corpus();
    await why(cwd, '--results', 'out');
    for (const [args, said] of [
      [['--results', 'out', '--shard', '1/2'], 'would count twice'],
      [['--results', 'out', '--share'], 'cannot be shown together'],
      [['--results', 'out', '--out', 'pages'], '--out has no effect with --results'],
      [['--shard', '1/2'], 'add --results <folder>'],
      [['--shard', '1/2', '--json', '--trend'], 'cannot be shown together'],
      [['--results', 'out', '--watch'], 'cannot be combined with --results'],
      [['--results', 'a.jsonl'], 'a.jsonl'],
    ] as const) {
      const { code, stderr, stdout } = await cli(['why', '.', ...args], { cwd });
      expect([args, code === 0, `${stderr}${stdout}`]).toEqual([args, false, expect.stringContaining(said)]);
    }
    // Before anything is read: what cannot be read would be said first.
    for (const command of ['why', 'validate']) {
      const early = await cli([command, 'nowhere.jsonl', '--results', 'a.jsonl'], { cwd });
      expect(early.stderr).toContain('a.jsonl cannot be written');
    }
    const unasked = await cli(['results', 'out'], { cwd });
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--sql')]);
  });

  it('says which shares a question does not see, and refuses two divisions', async () => {
    const cwd = corpus();
    await why(cwd, '--results', 'out', '--shard', '2/3');
    const asked = await cli(['results', 'out', '--sql', 'select count(*) as n from sessions'], { cwd });
    expect(asked.stderr).toContain('sessions: 1 of 3 shares are there');
    const listed = await cli(['results', 'out', '--columns'], { cwd });
    await why(cwd, '--results', 'whole');
    copyFileSync(join(cwd, 'whole/sessions.parquet'), join(cwd, 'out/sessions.parquet'));
    const mixed = await cli(['results', 'out', '--sql', 'select 1'], { cwd });
    expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringContaining('two divisions of its sessions')]);
    const described = listed.stdout.trimEnd().split('\n');
    for (const line of described) expect(line).toMatch(/^\w+\.\w+ \((?:text|number)\): \S/);
    expect(described).toHaveLength(SESSION_TABLES.sessions.length + SESSION_TABLES.requests.length);
    expect(listed.stdout).toContain('requests.cause (text)');
  });

  it('the cost of a session is the sum of its causes', async () => {
    const cwd = corpus();
    await why(cwd, '--results', 'out');
    const names = SESSION_TABLES.sessions.map(({ name }) => name);
    const causes = names.slice(names.indexOf('readNano'), names.indexOf('unexplainedNano') + 1);
    const rest = `costNano - ${causes.join(' - ')} as rest`;
    expect(await ask(cwd, `select ${rest} from sessions`)).toEqual(Array(3).fill({ rest: 0 }));
  });
});

describe('ccbench why --shard', () => {
  const COLUMNS = 'session, number, key, costNano, cause, gapMs';

  /** All rows of a folder, without order. */
  async function rows(cwd: string, folder: string) {
    return [
      await ask(cwd, 'select * from sessions order by session', folder),
      await ask(cwd, `select ${COLUMNS} from requests order by session, thread, number`, folder),
    ];
  }

  it('gives the rows of one run, with calls that sessions have in common counted once', async () => {
    const line = fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 2, max: 4 }),
        async (sessions, of) => {
          const call = (id: number): Call => ({
            id: `call-${id}`,
            seconds: id * 60,
            read: 0,
            written: 5_000 + id,
          });
          const cwd = tempFolder(
            Object.fromEntries(
              sessions.map((ids, i) => [
                `s${i}.jsonl`,
                session('/p', ids.toSorted((a, b) => a - b).map(call)),
              ]),
            ),
          );
          await why(cwd, '--results', 'one');
          const parts = [];
          for (let index = 1; index <= of; index++)
            parts.push(await why(cwd, '--results', 'shares', '--shard', `${index}/${of}`));
          expect(await rows(cwd, 'shares')).toEqual(await rows(cwd, 'one'));
          const distinct = new Set(sessions.flat()).size;
          expect(parts.reduce((sum, { requests }) => sum + requests, 0)).toBe(distinct);
        },
      ),
      { numRuns: 6 },
    );
  });

  it('a share without a session writes empty tables and prints no answer', async () => {
    const cwd = tempFolder({ 'd.jsonl': session('/projects/blog', [OTHER]) });
    const printed = [];
    for (const shard of ['1/3', '2/3', '3/3']) {
      const { code, stdout } = await cli(['why', 'd.jsonl', '--results', 'out', '--shard', shard], { cwd });
      expect(code).toBe(0);
      printed.push(stdout);
    }
    expect(printed.filter((text) => text === 'results out\n')).toHaveLength(2);
    expect(await ask(cwd, 'select count(*) as n from sessions')).toEqual([{ n: 1 }]);
  });
});

describe('the queries of docs/why.md', () => {
  const page = readFileSync(join(ROOT, 'docs/why.md'), 'utf8');
  const [byWeek, worst, byGap, ...rest] = [...page.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(
    ([, sql]) => sql!,
  );

  it('are three, and DuckDB answers them', async () => {
    expect(rest).toEqual([]);
    const cwd = corpus();
    await why(cwd, '--results', 'out');
    const shop = (nanoOf(FIRST) + nanoOf(LATE) + nanoOf(SOON)) / 1e9;
    // The second of January 2026 is a Friday.
    const week = '2025-12-29';
    expect(await ask(cwd, byWeek!)).toEqual([
      { project: '/projects/shop', week, usd: Math.round(shop * 100) / 100 },
      { project: '/projects/blog', week, usd: Math.round(nanoOf(OTHER) / 1e7) / 100 },
    ]);
    expect(await ask(cwd, worst!)).toMatchObject([
      { session: 'a.jsonl', number: 2, cause: 'lifetime-1h', usd: 0.12 },
    ]);
    expect(await ask(cwd, byGap!)).toEqual([
      { gap: 'up to 5 min', requests: 1, hitRate: Math.round((20_000 / 21_010) * 1_000) / 1_000 },
      { gap: 'over 1 h', requests: 1, hitRate: 0 },
    ]);
  });
});

describe('ccbench validate --results', () => {
  it('has a row for each recording that the report compares', async () => {
    const cwd = corpus();
    const { code, stdout } = await cli(['validate', '.', '--json', '--results', 'out'], { cwd });
    expect(code).toBe(0);
    const { files, contained } = JSON.parse(stdout);
    expect(contained).toMatchObject([{ file: 'b-copy.jsonl' }]);
    const columns =
      'session, requests, blindAgreement, blindCostError, recordedCompactions, forwardRecordedNano';
    // Validate counts calls in each session that holds them; a session of one request has none to compare.
    const inputOf = (...calls: readonly Call[]) =>
      calls.reduce((sum, call) => sum + nanoOf(call) - 750_000, 0);
    const expected = [
      ['a.jsonl', inputOf(FIRST, LATE)],
      ['c-fork.jsonl', inputOf(FIRST, SOON)],
      ['d.jsonl', null],
    ] as const;
    const found = await ask(cwd, `select ${columns} from fidelity order by session`);
    expect(found).toEqual(
      expected.map(([session, forwardRecordedNano]) => {
        const { requests, blind } = files.find(({ file }: { file: string }) => file === session);
        return {
          session,
          requests,
          blindAgreement: blind.classAgreement,
          blindCostError: blind.netError,
          recordedCompactions: forwardRecordedNano === null ? null : 0,
          forwardRecordedNano,
        };
      }),
    );
    // Shares have the rows of the whole; the copy falls into the share of its original.
    for (const shard of ['1/2', '2/2']) {
      const { code } = await cli(['validate', '.', '--results', 'shares', '--shard', shard], { cwd });
      expect(code).toBe(0);
    }
    const all = `select * from fidelity order by session`;
    expect(await ask(cwd, all, 'shares')).toEqual(await ask(cwd, all));
    const refused = await cli(['validate', '.', '--results', 'shares'], { cwd });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('would count twice')]);
    await why(cwd, '--results', 'out', '--shard', '1/1');
    expect(await ask(cwd, 'select count(*) as n from fidelity join sessions using (session)')).toEqual([
      { n: 3 },
    ]);
  });
});

describe.skipIf(!sharedData.present)('ccbench why --results on recordings', () => {
  it('adds up to the report in cost, requests and what was avoidable', async () => {
    const cwd = tempFolder();
    const files = ['more/claude-code', 'more/codex'].flatMap((folder) =>
      sharedData.files(folder).slice(0, 3),
    );
    const { stdout } = await cli(['why', ...files, '--json', '--results', 'out'], { cwd });
    const report = JSON.parse(stdout);
    const sums =
      'count(*) as rows, sum(costNano) as nano, sum(promptTokens - readTokens - writtenTokens - plainTokens) as rest';
    const nano = Math.round(report.recordedUsd * 1e9);
    expect(await ask(cwd, `select ${sums} from sessions`)).toEqual([
      { rows: report.sessions, nano, rest: 0 },
    ]);
    expect(await ask(cwd, `select ${sums} from requests`)).toEqual([
      { rows: report.requests, nano, rest: 0 },
    ]);
    const avoidable = report.byCause.reduce(
      (sum: number, row: { avoidableUsd: number | null }) => sum + (row.avoidableUsd ?? 0),
      0,
    );
    expect(await ask(cwd, 'select round(sum(avoidableNano) / 1e9, 6) as usd from sessions')).toEqual([
      { usd: Math.round(avoidable * 1e6) / 1e6 },
    ]);
  });
});
