import { describe, expect, it } from 'vitest';
import {
  fileName,
  percent,
  providerBlocks,
  signedPercent,
} from '../../../../src/cli/commands/validate/forward-document.js';
import { validateBlocks } from '../../../../src/cli/commands/validate/validate-document.js';
import { documentLines, documentText } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';
import { dropOrders } from '../../../helpers/pages/drop-orders.js';

const SCREEN = {
  width: 2_000,
  style: { ...plainStyle, bold: (text: string) => `<b>${text}</b>`, dim: (text: string) => `<d>${text}</d>` },
};
const cells = (line: string) =>
  line
    .replaceAll(/<\/?[bd]>/g, '')
    .trim()
    .split(/ {2,}/);

/** Figures that tell the ways apart: shares of this many hundredths, one more in each column. */
const figures = (hundredths: number) => {
  const share = (more: number) => (hundredths + more) / 100;
  return {
    classAgreement: share(0),
    classAgreementOver60s: share(1),
    recallNotFull: share(2),
    falseAlarms: 1_000 * hundredths,
    promptError: share(3),
    readError: share(4),
    creationError: share(5),
    costErrorMedian: share(6),
    costErrorP75: 0,
    costErrorP90: 0,
    costErrorMax: share(7),
    costErrorWorst: 0,
    netError: -share(8),
    netUsd: 0,
  };
};
const shown = (hundredths: number, worst: boolean) => [
  ...[0, 1, 2].map((more) => `${hundredths + more}.00%`),
  `${hundredths},000`,
  ...[3, 4, 5, 6, ...(worst ? [7] : [])].map((more) => `${hundredths + more}.00%`),
];
const WAYS = { blind: figures(10), given: figures(20), baseline: figures(30) };
const FORWARD = { sessions: 0, costErrorMedian: null, netUsd: 0 };
const TOTAL = {
  requests: 5_000,
  unexplainedBreaks: 1,
  ...WAYS,
  triggers: { matched: 1, recorded: 3, withinStep: 2, early: 4, late: 5, unrecorded: 6 },
  forward: FORWARD,
  whatIf: { sessions: 0 },
  byClient: {},
  byProvider: {},
};
const FILE = {
  file: 'logs/one.jsonl',
  requests: 1_200,
  figures: WAYS,
  breaks: [],
  triggers: { checks: [], unrecorded: [] },
  leftOut: [],
};
const REPORT = { total: TOTAL, worst: { blind: [], given: [] }, traces: null };

type Files = Parameters<typeof validateBlocks>[0];
type Report = Parameters<typeof validateBlocks>[1];
type Detail = Parameters<typeof validateBlocks>[2];

function linesOf(files: readonly object[], report: object = {}, detail: object = {}): readonly string[] {
  const blocks = validateBlocks(
    files as unknown as Files,
    { ...REPORT, ...report } as unknown as Report,
    { recorded: null, forward: 'summary', ...detail } as Detail,
  );
  return documentText(blocks, SCREEN).split('\n');
}

/** The lines below a title, up to the next empty one. */
function below(lines: readonly string[], title: string): readonly (readonly string[])[] {
  const at = lines.findIndex((line) => line.includes(title));
  expect(at, title).toBeGreaterThanOrEqual(0);
  const rest = lines.slice(at + 1);
  return rest.slice(0, rest.indexOf('')).map(cells);
}

it('tables lose what matters least first where there is no room', () => {
  const blocks = validateBlocks(
    [FILE] as unknown as Files,
    REPORT as unknown as Report,
    {
      recorded: null,
      forward: 'summary',
    } as Detail,
  );
  expect(dropOrders(blocks)).toContainEqual(['sessions', 'p75', 'worst', 'net dollars']);
  expect(dropOrders(blocks)).toContainEqual(['prompt', 'requests', 'writes', 'worst', 'false']);
});

describe('what validate prints', () => {
  it('has every file in three ways and all of them together, with the worst cost of all', () => {
    const lines = linesOf([FILE, { ...FILE, file: 'two.jsonl', requests: 7 }]);
    expect(below(lines, 'Replayed as it happened').slice(1)).toEqual([
      ['one', 'blind', '1,200', ...shown(10, false)],
      ['given', ...shown(20, false)],
      ['baseline', ...shown(30, false)],
      ['two', 'blind', '7', ...shown(10, false)],
      ['given', ...shown(20, false)],
      ['baseline', ...shown(30, false)],
      ['all', 'blind', '5,000', ...shown(10, true)],
      ['given', ...shown(20, true)],
      ['baseline', ...shown(30, true)],
    ]);
    expect(lines[0]).toBe('<b>How far a cost is off</b>');
    expect(lines.filter((line) => /^<d> +baseline/.test(line))).toHaveLength(2);
    expect(lines.join('\n')).not.toMatch(
      /Triggers|Breaks inside|Furthest|As recorded|Left out|Request traces/,
    );
  });

  it('lists breaks, triggers and what was left out, where there are any', () => {
    const check = {
      threadId: 'main',
      index: 4,
      kind: 'auto',
      profile: 'p',
      threshold: 167_000,
      seenTokens: 168_000,
    };
    const request = { threadId: 'main', index: 9, read: 10, gapMs: 60_000 };
    const lines = linesOf([
      {
        ...FILE,
        breaks: [
          { request, expectedRead: 5_000, reason: null },
          { request, expectedRead: 6_000, reason: 'tools' },
        ],
        triggers: {
          checks: [
            {
              ...check,
              verdict: 'matched',
              nextPrompt: { predicted: 1_000, recorded: 2_000 },
              nextRead: null,
            },
          ],
          unrecorded: [{ ...check, index: 5 }],
        },
        leftOut: [
          { what: 'calls', why: 'no usage', count: 1_000 },
          { what: 'calls', why: 'no usage', count: 24 },
        ],
      },
      { ...FILE, leftOut: [{ what: 'calls', why: 'other', count: 1 }] },
    ]);
    expect(below(lines, 'given as events (1)')).toEqual([
      ['one main#10: read 10 of 5,000 after 1 min; the API said nothing'],
      ['one main#10: read 10 of 6,000 after 1 min; the API said tools'],
    ]);
    const title =
      'Triggers: 1 of 3 matched (2 only within a mean step), 4 early, 5 late, 6 not recorded (predicted / recorded)';
    expect(below(lines, title).slice(1)).toEqual([
      ['one main#5 auto', 'p', '167,000', '168,000', 'matched', '1,000 / 2,000', '–'],
      ['one main#6 auto', 'p', '167,000', '168,000', 'not recorded'],
    ]);
    expect(below(lines, 'Left out')).toEqual([['1,024 × calls: no usage'], ['1 × calls: other']]);
  });

  it('lists the requests furthest off, and what was billed', () => {
    const point = {
      file: 'one.jsonl',
      thread: 'main',
      index: 3,
      gapMs: 1_000,
      predictedRead: 9_000,
      recordedRead: 0,
    };
    const worst = {
      blind: [{ ...point, cause: 'ttl', recordedReason: null }],
      given: [{ ...point, cause: 'none', recordedReason: 'tools' }],
    };
    const recorded = { costUsd: 3, each: [{ name: 'logs/one.jsonl', costUsd: 3 }], notes: ['a note'] };
    const lines = linesOf([FILE], { worst }, { recorded });
    expect(below(lines, 'Furthest off, blind').slice(1)).toEqual([
      ['one main#4', '1 s', '9,000', '0', 'ttl', '–'],
    ]);
    expect(below(lines, 'Furthest off, given').slice(1)).toEqual([
      ['one main#4', '1 s', '9,000', '0', 'none', 'tools'],
    ]);
    expect(below(lines, 'As recorded').slice(1)).toEqual([['one', '$3.00'], ['all', '$3.00'], ['a note']]);
  });

  it('has traces alone where there is no session', () => {
    const statistic = { name: 'mean', value: 0.5, low: 0.4, high: 0.6, published: 0.55, verdict: 'fits' };
    const traces = { conversations: 2, minimum: 0.25, statistics: [statistic] };
    const lines = linesOf([], { traces });
    expect(lines[0]).toBe('<b>Request traces</b>');
    expect(cells(lines[1]!)).toEqual(['2 conversations, an unlimited lifetime; smallest hit rate 25.0%']);
    expect(cells(lines[3]!)).toEqual(['mean', '50.00%', '40.00% … 60.00%', '55.00%', 'fits']);
    expect(linesOf([])).toEqual(['', '']);
  });
});

describe('how well the caches of providers are predicted', () => {
  const NONE = { sessions: 0, writesAssumed: 0, compactionCountRight: null, compactionPlaceRight: null };
  const provider = (change: object = {}) => ({
    requests: 1_500,
    ...WAYS,
    byModel: { a: figures(40) },
    forward: NONE,
    triggers: { recorded: 0, matched: 0 },
    bestEffort: null,
    ...change,
  });
  const linesFor = (byProvider: object) =>
    documentLines(providerBlocks({ byProvider } as unknown as Parameters<typeof providerBlocks>[0]), SCREEN);

  it('is nothing where all are of Anthropic', () => {
    expect(linesFor({ anthropic: provider() })).toEqual([]);
  });

  it('has each provider in three ways, and its models where there are two', () => {
    const row = (hundredths: number) => [
      `${hundredths}.00%`,
      `${hundredths + 4}.00%`,
      `${hundredths + 6}.00%`,
      `−${hundredths + 8}.00%`,
    ];
    const models = { a: figures(40), b: figures(50) };
    const lines = linesFor({ anthropic: provider(), openai: provider({ byModel: models }) }).map(cells);
    expect(lines.slice(1).map(([, ...rest]) => rest)).toEqual([
      ['1,500', ...row(10)],
      row(20),
      row(30),
      ['1,500', ...row(10)],
      row(40),
      row(50),
      row(20),
      row(30),
    ]);
    expect(lines.slice(5, 7).map(([name]) => name)).toEqual(['a', 'b']);
  });

  it('says how sessions run forward fare, as far as there is something to say', () => {
    const forward = { ...NONE, sessions: 2, netError: 0.05, costErrorMedian: 0.1 };
    const said = (change: object, triggers = { recorded: 0, matched: 0 }) =>
      linesFor({ openai: provider({ forward: { ...forward, ...change }, triggers }) })
        .at(-1)!
        .replace(/^.*Run forward/, 'Run forward');
    expect(said({})).toBe('Run forward, the cost of 2 sessions is +5.00% off in all, 10.00% in the median;.');
    expect(said({ compactionCountRight: 0.5, compactionPlaceRight: 0.25 }, { recorded: 4, matched: 3 })).toBe(
      'Run forward, the cost of 2 sessions is +5.00% off in all, 10.00% in the median; 3 of 4 recorded compactions fire where the client counts them; as many compactions as recorded in 50.00% of the sessions, 25.00% of them within a request of their place.',
    );
    expect(said({ writesAssumed: 1 })).toContain(' 1 recording reports no writes, which are billed');
    expect(said({ writesAssumed: 2 })).toContain(' 2 recordings report no writes');
    expect(linesFor({ openai: provider() }).join()).not.toContain('Run forward');
  });

  it('says what is chance where hits are', () => {
    const curve = [5, 30, 120].map((seconds) => ({ seconds, chance: 0.1, low: 0.05, high: seconds / 200 }));
    const bestEffort = {
      sessions: 6,
      netError: -0.02,
      coverage: 0.9,
      fit: { short: 30, requests: 1_500 },
      curve,
    };
    expect(linesFor({ openai: provider({ bestEffort }) }).at(-1)).toContain(
      '30 of 1,500 requests came up short: 10.00% (5.00% to 2.50%) after 5 s, 10.00% (5.00% to 15.00%) after 30 s, 10.00% (5.00% to 60.00%) after 120 s. Fitted to one half of the 6 sessions and shown on the other, the cost of all is −2.00% off, and 90.00% of the sessions lie in the stated 90',
    );
  });
});

describe('cells', () => {
  it('have two decimals and a sign where it is not nothing', () => {
    expect([percent(null), percent(0.123_456)]).toEqual(['–', '12.35%']);
    expect([null, 0, 0.000_04, -0.000_04, 0.000_05, -0.000_06, 0.5, -0.5].map(signedPercent)).toEqual([
      '–',
      '0.00%',
      '0.00%',
      '0.00%',
      '+0.01%',
      '−0.01%',
      '+50.00%',
      '−50.00%',
    ]);
  });

  it('cut names at 34 characters', () => {
    expect(fileName(`logs/${'x'.repeat(34)}.jsonl`)).toBe('x'.repeat(34));
    expect(fileName(`logs/${'x'.repeat(35)}.jsonl`)).toBe(`${'x'.repeat(33)}…`);
  });
});
