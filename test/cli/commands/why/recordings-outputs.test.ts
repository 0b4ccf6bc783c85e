import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeClaudeCode } from '../../../../bench/sessions/write-claude-code.js';
import { AGENTS } from '../../../../scripts/damage/agents.mjs';
import { ROOT } from '../../../helpers/architecture/tree.js';
import { withSimulatedUsage } from '../../../helpers/generators/make-fixture.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { BUSY } from '../../../helpers/situations/transcripts.js';
import { cli, tempFolder } from '../../cli.js';

const fixture = (name: string): string => readFileSync(join(ROOT, 'fixtures', name), 'utf8');
const busy = (ttl: '5m' | '1h'): string =>
  writeClaudeCode(withSimulatedUsage(BUSY, { policy: 'claude-code/2.1.112', cache: { ttl } })).files[0]!.text;

const FILES = {
  ...Object.fromEntries(Object.entries(AGENTS).map(([name, text]) => [`agents/${name}.jsonl`, text])),
  'made/bugfix.jsonl': fixture('bugfix-20-turns.jsonl'),
  'made/memory.jsonl': fixture('memory-sentences.jsonl'),
  'made/rounds.jsonl': fixture('tracelab-3-sessions.jsonl'),
  'made/busy.jsonl': busy('5m'),
  'made/hour.jsonl': busy('1h'),
};

it('sessions of every agent and longer ones are explained as kept', async () => {
  await expectOutputs('recordings', FILES, [
    'inspect agents',
    'why agents --no-files --verbose',
    'validate agents --verbose',
    'ttl agents --verbose --per-session',
    'inspect made --uses --verbose',
    'why made --no-files --verbose --by tool',
    'why made --no-files --json | byCause byModel compactions changes',
    'why made --limits',
    'why made --fix',
    'validate made --verbose',
    'validate made --json | total',
    'validate made --forward --verbose',
    'ttl made --json | curve cost',
    'diff made/busy.jsonl --verbose --rows 8',
    'diff made/bugfix.jsonl made/busy.jsonl --verbose --rows 8',
  ]);
});

/** Every third recording: each is explained and inspected. */
const more = sharedData.files('more/claude-code').filter((_, i) => i % 3 === 0);

interface CauseRow {
  readonly cause: string;
  readonly tokens: number;
  readonly usd: number;
  readonly avoidableUsd: number;
  readonly events: number;
}

interface WhyJson {
  readonly sessions: number;
  readonly recordedUsd: number;
  readonly reproduced: {
    readonly sessions: number;
    readonly withinPercentMedian: number;
    readonly netPercent: number;
    readonly setAside: readonly { readonly file: string; readonly reason: string }[];
  };
  readonly byCause: readonly CauseRow[];
  readonly breaks: readonly { readonly usd: number; readonly cause: string; readonly tokens: number }[];
  readonly compactions: readonly {
    readonly file: string;
    readonly calls: number;
    readonly rereads: number;
    readonly rereadTokens: number;
    readonly rereadUsd: number;
    readonly carriedUsd: number;
    readonly before: {
      readonly calls: number;
      readonly rereadTokens: number;
      readonly rereadUsd: number;
    };
    readonly lost: readonly { readonly what: string; readonly line: string }[] | null;
  }[];
  readonly byProject: readonly { readonly usd: number }[];
  readonly byModel: readonly { readonly usd: number }[];
  readonly byDay: readonly { readonly usd: number }[];
  readonly worst: readonly {
    readonly file: string;
    readonly project: string;
    readonly usd: number;
    readonly topCause: string;
  }[];
  readonly changes: readonly {
    readonly name: string;
    readonly usd: number;
    readonly low: number;
    readonly high: number;
  }[];
}

function total<T>(items: readonly T[], pick: (item: T) => number): number {
  return items.reduce((sum, item) => sum + pick(item), 0);
}

describe.skipIf(!sharedData.present)('ccbench why on recordings', () => {
  it('attributes every written token and every dollar, and agrees with inspect', async () => {
    const cwd = tempFolder();
    const why = JSON.parse((await cli(['why', ...more, '--json'], { cwd })).stdout) as WhyJson;
    const inspected = JSON.parse((await cli(['inspect', ...more, '--json'], { cwd })).stdout) as {
      readonly total: { readonly costUsd: number; readonly writtenTokens: number; readonly sessions: number };
    };
    const { total: sums } = inspected;
    expect(why.recordedUsd).toBeCloseTo(sums.costUsd, 6);
    expect(why.sessions).toBe(sums.sessions);
    expect(total(why.byCause, ({ tokens }) => tokens)).toBe(sums.writtenTokens);
    for (const rows of [why.byCause, why.byProject, why.byModel, why.byDay, why.worst])
      expect(total<{ readonly usd: number }>(rows, ({ usd }) => usd)).toBeCloseTo(sums.costUsd, 6);
    for (const { usd, avoidableUsd } of why.byCause) expect(avoidableUsd).toBeLessThanOrEqual(usd);
    const events = why.byCause.filter((row) => row.events > 0);
    expect(total(events, (row) => row.events)).toBe(why.breaks.length);
    expect(total(events, (row) => row.usd)).toBeCloseTo(
      total(why.breaks, ({ usd }) => usd),
      6,
    );
    expect(why.changes.map(({ name }) => name)).toHaveLength(5);
    for (const { low, usd, high } of why.changes) {
      expect(low).toBeLessThanOrEqual(usd);
      expect(high).toBeGreaterThanOrEqual(usd);
    }
    expect(why.reproduced.sessions + why.reproduced.setAside.length).toBe(
      more.filter((file) => basename(file).includes('.jsonl')).length,
    );
    // A what-if starts from what happened.
    expect(why.reproduced.withinPercentMedian).toBeLessThan(0.3);
  });

  it('judges the compactions that inspect lists, alike in the JSON and on the page', async () => {
    const cwd = tempFolder();
    const files = ['transcripts/claude-code', 'transcripts/codex']
      .flatMap((folder) => sharedData.files(folder))
      .filter((file) => file.includes('.jsonl'));
    const { compactions } = JSON.parse((await cli(['why', ...files, '--json'], { cwd })).stdout) as WhyJson;
    const inspected = JSON.parse((await cli(['inspect', ...files, '--json'], { cwd })).stdout) as {
      readonly files: readonly {
        readonly file: string;
        readonly compactions: readonly { readonly kind: string }[];
      }[];
    };
    const listed = inspected.files.flatMap(({ file, compactions: own }) =>
      own.filter(({ kind }) => kind === 'compact').map(() => file),
    );
    expect(compactions.map(({ file }) => file).sort()).toEqual(listed.sort());
    expect(compactions.length).toBeGreaterThan(9);
    const page = readFileSync(join(cwd, 'reports/why/why.html'), 'utf8');
    const data = JSON.parse(
      /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)![1]!,
    ) as {
      readonly compactions: readonly { readonly rereadTokens: number; readonly rereadUsd: number }[];
    };
    expect(data.compactions.map(({ rereadTokens }) => rereadTokens)).toEqual(
      compactions.map(({ rereadTokens }) => rereadTokens),
    );
    expect(total(data.compactions, ({ rereadUsd }) => rereadUsd)).toBeCloseTo(
      total(compactions, ({ rereadUsd }) => rereadUsd),
      9,
    );
    for (const { lost, before, rereads, rereadTokens, rereadUsd, carriedUsd, calls } of compactions) {
      for (const figure of [rereadTokens, rereadUsd, carriedUsd, before.rereadTokens, before.rereadUsd])
        expect(figure).toBeGreaterThanOrEqual(0);
      expect(Math.max(calls, before.calls)).toBeLessThanOrEqual(24);
      expect(rereadTokens > 0).toBe(rereads > 0);
      for (const { what, line } of lost ?? []) expect(line.includes(what) || what.length === 80).toBe(true);
    }
    // More is read again behind compactions than in front (specification of quality, last section).
    expect(total(compactions, ({ rereadTokens }) => rereadTokens)).toBeGreaterThan(
      2 * total(compactions, ({ before }) => before.rereadTokens),
    );
  });
});
