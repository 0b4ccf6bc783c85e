import { describe, expect, it } from 'vitest';
import type { SourceBy } from '../../../../src/analysis/why/name-sources.js';
import type { SourceSum } from '../../../../src/analysis/why/sources.js';
import type { Reproduced } from '../../../../src/analysis/why/sum-changes.js';
import type {
  CauseSum,
  RankedSession,
  WhyBreak,
  WhyCompaction,
  WhyReport,
} from '../../../../src/analysis/why/sum-up.js';
import { money } from '../../../../src/cli/commands/why/why-cells.js';
import {
  adviceSentence,
  reproducedSentence,
  whyBlocks,
  whyConclusion,
} from '../../../../src/cli/commands/why/why-document.js';
import { shareBlocks, sharedWhy } from '../../../../src/cli/commands/why/why-share.js';
import { documentText } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';
import { dropOrders } from '../../../helpers/pages/drop-orders.js';

const cause = (
  name: CauseSum['cause'],
  usd: number,
  avoidableUsd: number | null = 0,
  events = 0,
): CauseSum => ({
  cause: name,
  tokens: 0,
  otherTokens: 0,
  usd,
  avoidableUsd,
  events,
});

const broken = (usd: number, sessionRequest: number): WhyBreak => ({
  file: `logs/s${sessionRequest}.jsonl`,
  thread: 'main',
  isMain: true,
  request: 1,
  sessionRequest,
  at: '2026-03-01 12:00',
  gapMs: 7_200_000,
  cause: 'lifetime-1h',
  model: 'm',
  tokens: 40_000,
  usd,
  avoidableUsd: usd,
  isCompactable: true,
});

const ranked = (name: string, usd: number, topEvent: RankedSession['topEvent']): RankedSession => ({
  file: `logs/${name}.jsonl`,
  project: '/projects/shop',
  from: '2026-03-01',
  requests: 1_200,
  hitRate: 0.5,
  usd,
  topCause: 'read',
  lostUsd: usd / 4,
  topEvent,
});

const REPRODUCED: Reproduced = {
  sessions: 2,
  withinPercentMedian: 1.25,
  withinPercentNineOfTen: 3,
  netPercent: -0.5,
  setAside: [],
};

const source = (kind: SourceSum['kind'], name: string | null, usd: number): SourceSum => ({
  kind,
  name,
  tokens: 1_000,
  carriedTokens: 24_600,
  usd,
  share: usd / 10,
  requests: 20,
  againTokens: kind === 'tool' ? 300 : 0,
  againUsd: kind === 'tool' ? 0.25 : 0,
});

const slice = (name: string, usd: number) => ({ name, usd, sessions: 1, requests: 1 });

/** A change that makes nothing be fetched again and no request that the recording lacks. */
const FREE = { unrecordedUsd: 0, refetchUsd: 0, refetchMostUsd: 0 };

const REPORT: WhyReport = {
  sessions: 2,
  requests: 30,
  recordedUsd: 10,
  unpricedCalls: 0,
  hitRate: 0.75,
  from: '2026-03-01',
  to: '2026-03-04',
  reproduced: REPRODUCED,
  byCause: [
    cause('read', 1),
    cause('lifetime-1h', 5, 4, 3),
    cause('compaction', 4, 0, 2),
    cause('model', 0, 0, 0),
  ],
  sources: [source('tool', 'Read', 4), source('model', 'thinking', 3), source('summary', 'summaries', 3)],
  compactions: [],
  breaks: [broken(3, 12), broken(2, 7)],
  byProject: [slice('/projects/shop', 6), slice('/projects/garden', 4)],
  byModel: [slice('a', 4), slice('b', 3), slice('c', 2), slice('d', 0.75), slice('e', 0.25)],
  byDay: [slice('2026-03-01', 1), slice('2026-03-04', 9)],
  worst: [ranked('long', 8, 'lifetime-1h'), ranked('short', 2, null)],
  changes: [
    { ...FREE, name: 'an hour', usd: 3, low: 2, high: 4, sessions: 2, heldBack: [] },
    {
      ...FREE,
      name: 'nothing',
      usd: 0,
      low: 0,
      high: 0,
      sessions: 2,
      heldBack: [{ reason: 'no client does it', sessions: 2 }],
    },
  ] as unknown as WhyReport['changes'],
};

const compaction = (change: Partial<WhyCompaction> = {}): WhyCompaction => ({
  file: 'logs/long.jsonl',
  thread: 'main',
  isMain: true,
  request: 9,
  sessionRequest: 12,
  at: '2026-03-01 12:00',
  trigger: 'auto',
  tokensBefore: 167_000,
  tokensAfter: null,
  calls: 24,
  rereads: 3,
  rereadTokens: 9_000,
  rereadUsd: 0.05,
  carriedUsd: 0.25,
  before: { calls: 20, rereads: 1, rereadTokens: 400, rereadUsd: 0.01 },
  repeats: 0,
  lost: [],
  ...change,
});

const LOST = {
  kind: 'echo',
  what: 'sharedKey',
  line: 'const sharedKey\u001b[31m = open();',
  origin: 'result',
  tool: 'Grep',
  path: null,
  tokens: 4_488,
  request: 10,
} as const;

const textOf = (change: Partial<WhyReport> = {}, top = 5, width = 140, by: SourceBy = 'source'): string =>
  documentText(whyBlocks({ ...REPORT, ...change }, { top, by, home: '/projects', notes: ['a note'] }), {
    width,
    style: plainStyle,
  });

it('an amount that is not quite nothing never looks like it', () => {
  expect([0, 0.004, 0.005, -0.004, 1.234, null].map(money)).toEqual([
    '$0.00',
    '<$0.01',
    '$0.01',
    '>−$0.01',
    '$1.23',
    '–',
  ]);
});

describe('tables of why', () => {
  it('lose what matters least first where there is no room', () => {
    const blocks = whyBlocks(
      { ...REPORT, compactions: [compaction()] },
      { top: 5, by: 'source', home: '/projects', notes: [] },
    );
    expect(dropOrders(blocks)).toEqual([
      ['events', 'share', 'how'],
      ['kind', 'times paid', 'share'],
      ['tokens', 'when (UTC)', 'after', 'session'],
      ['by', 'when (UTC)', 'carried', 'before', 'session'],
      ['day', 'read', 'requests', 'most of it'],
      ['between'],
    ]);
  });
});

describe('what savings leave out', () => {
  it('is fetching again what compactions of a change forget, with its bound', () => {
    const [first, ...rest] = REPORT.changes;
    const changes = [{ ...first!, refetchUsd: 0.8, refetchMostUsd: 1.9 }, ...rest];
    expect(textOf({ changes })).toContain(
      'Not counted: fetching forgotten content again, about $0.8000 for an hour (at most $1.90).',
    );
    expect(adviceSentence({ ...REPORT, changes })).toMatch(
      /^First thing to try: an hour, .* \(\$2\.00 to \$4\.00\)\. Not counted: fetching forgotten content again, /,
    );
    expect(textOf()).not.toContain('Not counted');
  });
});

describe('what fills the context', () => {
  const rowsOf = (sources: readonly SourceSum[], by: SourceBy): readonly (readonly string[])[] => {
    const lines = textOf({ sources }, 5, 140, by).split('\n');
    const at = lines.indexOf('What fills the context');
    return lines.slice(at + 2, lines.indexOf('', at)).map((line) => line.trim().split(/ {2,}/));
  };

  it('comes first where it is asked for, so that the short form has its table', () => {
    const first = (by: SourceBy): boolean => {
      const text = textOf({ sources: REPORT.sources }, 5, 140, by);
      return text.indexOf('What fills the context') < text.indexOf('Where it went');
    };
    expect([first('source'), first('kind'), first('mcp')]).toEqual([false, true, true]);
  });

  it('lists sources with their kind, what they brought in, how often that was paid and what it cost', () => {
    expect(rowsOf(REPORT.sources, 'source')).toEqual([
      ['Read', 'tools', '1,000', '25', '$4.00', '40.0%'],
      ['thinking', 'model output', '1,000', '25', '$3.00', '30.0%'],
      ['summaries', '1,000', '25', '$3.00', '30.0%'],
      ['300 tokens were read again although nothing had changed: $0.2500 until they left the context.'],
    ]);
  });

  it('has ten rows at most, the last of them for the rest', () => {
    const many = Array.from({ length: 12 }, (_, i) => source('mcp', `server ${i}`, 1));
    const rows = rowsOf(many, 'source');
    expect(rows).toHaveLength(10);
    expect(rows[8]![0]).toBe('server 8');
    expect(rows[9]).toEqual(['3 more', '3,000', '25', '$3.00', '30.0%']);
  });

  it('names files below the home folder, and what is no file in one row', () => {
    const sources = [source('model', null, 6), source('file', '/projects/shop/a\u001b[31m.ts', 4)];
    expect(rowsOf(sources, 'file')).toEqual([
      [expect.stringMatching(/shop\/a.*\.ts$/), '1,000', '25', '$4.00', '40.0%'],
      ['everything else', '1,000', '25', '$6.00', '60.0%'],
    ]);
    expect(textOf({ sources }, 5, 140, 'file')).not.toContain('\u001b');
    expect(textOf({ sources: sources.slice(0, 1) }, 5, 140, 'file')).toContain(
      'No request of these sessions shows a file by name.',
    );
  });

  it('is shared by kind, without a name', () => {
    const shared = sharedWhy(
      { ...REPORT, sources: [source('tool', null, 4), source('mcp', 'my-shop', 6)] },
      [],
    );
    expect(JSON.stringify(shared)).not.toContain('my-shop');
    expect(documentText(shareBlocks(shared), { width: 140, style: plainStyle })).toContain(
      'What filled the context: tools $4.00 (40.0%).',
    );
  });
});

describe('the first sentence of why', () => {
  const aside = (reason: string) => ({ file: 'f', project: 'p', reason }) as Reproduced['setAside'][number];

  it('says how far the sessions are reproduced', () => {
    expect(reproducedSentence(REPRODUCED)).toBe(
      'All 2 sessions are reproduced within 1.3 % of the recorded input cost in the median, 3.0 % for 90 %, −0.5 % in all.',
    );
    expect(reproducedSentence({ ...REPRODUCED, sessions: 1 })).toBe(
      'The session is reproduced within 1.3 % of the recorded input cost.',
    );
    expect(reproducedSentence({ ...REPRODUCED, netPercent: 2 })).toContain(', +2.0 % in all.');
    expect(reproducedSentence({ ...REPRODUCED, netPercent: 0 })).toContain(', 0.0 % in all.');
    expect(reproducedSentence({ ...REPRODUCED, netPercent: null })).toContain(', – in all.');
  });

  it('counts what is set aside by its reason', () => {
    const setAside = [
      aside('too short'),
      aside('all of its 3 calls are in x'),
      aside('all of its 4 calls are in y'),
    ];
    expect(reproducedSentence({ ...REPRODUCED, sessions: 1, setAside })).toBe(
      '1 of 4 sessions is reproduced within 1.3 % of the recorded input cost; 3 set aside: too short; 2 × its calls are in another session too.',
    );
    expect(reproducedSentence({ ...REPRODUCED, sessions: 0, setAside: setAside.slice(0, 1) })).toBe(
      'None of 1 session could be reproduced; 1 set aside: too short.',
    );
  });
});

describe('the text of why', () => {
  it('begins with all the money, and where, with what and when it was spent', () => {
    const lines = textOf().split('\n');
    expect(lines.slice(1, 6)).toEqual([
      '',
      '$10.00 · 2 sessions · 30 requests · 75.0% of the prompts read from the cache · 2026-03-01 to 2026-03-04',
      expect.stringMatching(/^ {2}by project: \S*shop \$6\.00 · \S*garden \$4\.00$/),
      '  by model: a $4.00 · b $3.00 · c $2.00 · 2 more $1.00',
      '  by day: 2026-03-04 $9.00 · 2026-03-01 $1.00',
    ]);
    expect(textOf({ to: '2026-03-01' })).toContain('from the cache · 2026-03-01\n');
    expect(textOf({ from: null, to: null })).toContain('read from the cache\n');
  });

  it('lists causes by what they cost, with what of it was avoidable and how', () => {
    const lines = textOf().split('\n');
    const at = lines.indexOf('Where it went');
    expect(lines.slice(at + 2, at + 6).map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['the 1-hour lifetime ran out', '$5.00', '50.0%', '3', '$4.00', '/compact before the pause'],
      ['compaction', '$4.00', '40.0%', '2'],
      ['reading the cache', '$1.00', '10.0%'],
      [''],
    ]);
    expect(textOf({ recordedUsd: 0 })).toMatch(/the 1-hour lifetime ran out +\$5\.00 +– /);
  });

  it('lists as many breaks and sessions as asked for', () => {
    const text = textOf();
    expect(text).toContain('\nThe most expensive cache breaks\n');
    expect(text).toMatch(/the 1-hour lifetime ran out +\$3\.00 +40,000 +2 h +2026-03-01 12:00 +12 +s12\n/);
    expect(text).toContain('\nThe most expensive sessions\n');
    expect(text).toMatch(/long +2026-03-01 +1,200 +50\.0% +\$8\.00 +\$2\.00 +the 1-hour lifetime ran out\n/);
    expect(text).toMatch(/short +2026-03-01 +1,200 +50\.0% +\$2\.00 +\$0\.50 +no break\n/);
    const one = textOf({}, 1);
    expect(one).toContain('\nThe most expensive cache breaks (1 of 2)\n');
    expect(one).toContain('\nThe most expensive sessions (1 of 2)\n');
    expect(one).not.toMatch(/ s7\n| short /);
    expect(textOf({}, 2)).not.toContain('of 2)');
    expect(textOf({}, 0)).not.toContain('The most expensive');
    expect(textOf({ breaks: [] })).not.toContain('expensive cache breaks');
    expect(textOf({ worst: REPORT.worst.slice(0, 1) })).not.toContain('expensive sessions');
  });

  it('says what changes would have saved, and what that rests on', () => {
    const text = textOf();
    expect(text).toMatch(/an hour +\$3\.00 +\$2\.00 and \$4\.00\n/);
    expect(text).toMatch(/nothing +nothing +it would have had no effect\n/);
    expect(text).toContain('Savings are simulated, not recorded');
    expect(text).toContain('nothing did nothing in 2 sessions: no client does it.');
    expect(textOf({ changes: [] })).not.toMatch(/cheaper|simulated/);
  });

  it('names the columns that it has no room for', () => {
    expect(textOf()).toMatch(/\n {2}a note\n$/);
    const narrow = textOf({}, 5, 70);
    const [, named] = /not shown in 70 columns: (.*); --json has all/.exec(narrow.replaceAll(/\s+/g, ' '))!;
    expect(named!.split(', ')).toEqual(['share', 'events', 'how', 'tokens', 'when (UTC)', 'day', 'read']);
    for (const line of narrow.split('\n')) expect(line.length).toBeLessThanOrEqual(70);
    for (const header of ['share', 'events', 'tokens', 'day'])
      expect(textOf()).toMatch(new RegExp(` ${header} `));
    for (const line of textOf({}, 5, 40).split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  });
});

describe('what why comes to', () => {
  it('is what was avoidable, and the change that surely saves', () => {
    expect(whyConclusion(REPORT)).toEqual({
      result: '2 sessions cost $10.00, of which $4.00 went to avoidable cache breaks.',
      advice: 'First thing to try: an hour, which would have saved $3.00 of $10.00 ($2.00 to $4.00).',
    });
    expect(whyConclusion({ ...REPORT, byCause: [cause('read', 10)] }).result).toBe(
      '2 sessions cost $10.00, with no avoidable cache break.',
    );
  });

  it('says of which breaks it is not computed what was avoidable', () => {
    const letGo = cause('lifetime', 3, null, 2);
    expect(whyConclusion({ ...REPORT, byCause: [letGo] }).result).toBe(
      '2 sessions cost $10.00; the avoidable part of $3.00 for prompts that the cache dropped is not computed, and no other break is known to have been avoidable.',
    );
    expect(whyConclusion({ ...REPORT, byCause: [...REPORT.byCause, letGo] }).result).toBe(
      '2 sessions cost $10.00, of which $4.00 went to avoidable cache breaks; the avoidable part of $3.00 for prompts that the cache dropped is not computed.',
    );
    expect(textOf({ byCause: [letGo] })).toMatch(/the cache dropped the prompt .* – +not computed\n/);
  });

  it('advises nothing that may cost', () => {
    const [best, idle] = REPORT.changes;
    const unsure = { ...REPORT, changes: [{ ...best!, low: 0 }] };
    expect(adviceSentence(unsure)).toBe(
      'There is no difference worth acting on: none of the standard changes would clearly have saved more than 1 % on these sessions. Avoidable cost is computed break by break, but a change applies to a whole session.',
    );
    const tools = { ...REPORT.sources[0]!, kind: 'definitions' as const };
    const heavy = (usd: number) => whyConclusion({ ...unsure, sources: [{ ...tools, usd }] }).advice;
    expect(heavy(0.11)).toMatch(/a whole session\. ccbench why --fix names content worth shortening\.$/);
    expect(heavy(0.1)).toMatch(/a whole session\.$/);
    const kept = { ...unsure, byCause: [cause('compaction', 4, 0, 2)] };
    expect(adviceSentence(kept)).toBe(
      'There is no difference worth acting on: none of the standard changes would clearly have saved more than 1 % on these sessions.',
    );
    expect(adviceSentence({ ...kept, sessions: 1, changes: [{ ...best!, low: 0, sessions: 1 }] })).toMatch(
      / on this session\.$/,
    );
    expect(adviceSentence({ ...REPORT, byCause: [], changes: [idle!] })).toBe(
      'Nothing to change: no cache was lost.',
    );
    // No cache was lost, but something may have been cheaper.
    expect(adviceSentence({ ...unsure, byCause: [] })).toMatch(/^There is no difference worth acting on/);
  });

  it('advises what surely saves, also where more may be saved by what may cost', () => {
    const [best] = REPORT.changes;
    const wide = { ...best!, usd: 5, low: -1, high: 11 };
    expect(adviceSentence({ ...REPORT, changes: [wide, best!] })).toMatch(/^First thing to try: an hour, /);
    // What it makes the agent fetch again may cost all that it surely saves.
    const forgetful = { ...wide, low: 2, refetchUsd: 1, refetchMostUsd: 2 };
    expect(adviceSentence({ ...REPORT, changes: [forgetful, best!] })).toMatch(
      /^First thing to try: an hour, which would have saved \$3\.00 /,
    );
  });

  it('says that no change was tried, or on which sessions', () => {
    expect(adviceSentence({ ...REPORT, changes: [] })).toBe(
      'No change was tried: changes are tried only on sessions of Claude Code on models of Anthropic, and of Codex.',
    );
    const [best, idle] = REPORT.changes;
    const more = { ...REPORT, sessions: 3 };
    expect(adviceSentence(more)).toMatch(/ \(\$2\.00 to \$4\.00\), tried on 2 of 3 sessions\.$/);
    expect(adviceSentence({ ...more, byCause: [], changes: [idle!] })).toBe(
      'There is no difference worth acting on: none of the standard changes, tried on 2 of 3 sessions, would clearly have saved more than 1 % on these sessions.',
    );
    const notesIn = (changes: WhyReport['changes'], sessions: number) =>
      textOf({ changes, sessions }, 5, 400).match(/(Tried|On Codex only) .*\./g);
    expect(notesIn(REPORT.changes, 2)).toBeNull();
    expect(notesIn(REPORT.changes, 3)).toEqual([
      'Tried on sessions of Claude Code on models of Anthropic, and of Codex: 2 of 3.',
    ]);
    expect(notesIn([{ ...best!, sessions: 3 }, idle!], 3)).toEqual([
      'On Codex only earlier compaction is tried: on 1 of 3 sessions.',
    ]);
  });
});

describe('what compactions forgot', () => {
  it('is summed up first, beside what was read again in front, with the largest item that is missing', () => {
    const text = textOf({
      compactions: [
        compaction({ lost: [LOST] }),
        compaction({ rereadTokens: 1_000, rereadUsd: 0.01, carriedUsd: 0.05, repeats: 1, lost: null }),
      ],
    });
    // 9,000 + 1,000 tokens, 5 + 1 and 25 + 5 cents, 24 + 24 calls after; 400 + 400 tokens and 20 + 20 calls before.
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'What compactions forgot 2 compactions: in the 48 calls after, 10,000 tokens were read again: $0.0600 at once, $0.3000 carried by later requests; the user said 1 thing again. In the 40 calls before, it was 800 tokens ($0.0200). 1 item was needed and is in no message after the summary (1 summary is recorded). The largest: 4,488 tokens (Grep) in long: const sharedKey [31m = open();',
    );
    expect(text).toMatch(/ 9,000 +400 +\$0\.05 +\$0\.25 +auto +2026-03-01 12:00 +12 +long\n/);
  });

  it('has five rows at most, and none without compactions', () => {
    const text = textOf({ compactions: Array.from({ length: 7 }, () => compaction()) }, 20);
    expect(text).toContain('What compactions forgot (5 of 7)');
    expect(text.match(/ 9,000 /g)).toHaveLength(5);
    expect(text).toContain('Nothing that later calls needed is missing.');
    expect(textOf()).not.toContain('forgot');
  });

  it('is in what may be shown around as figures alone', () => {
    const shared = sharedWhy({ ...REPORT, compactions: [compaction({ lost: [LOST] })] }, []);
    expect(shared.compactions).toEqual({
      compactions: 1,
      calls: 24,
      rereadTokens: 9_000,
      rereadUsd: 0.05,
      carriedUsd: 0.25,
      repeats: 0,
      before: { calls: 20, rereadTokens: 400, rereadUsd: 0.01 },
      judged: 1,
      lost: 1,
    });
    const text = documentText(shareBlocks(shared), { width: 400, style: plainStyle });
    expect(text).toContain('1 compaction: in the 24 calls after, 9,000 tokens were read again');
    for (const secret of ['sharedKey', 'Grep', 'long'])
      expect(text + JSON.stringify(shared)).not.toContain(secret);
  });
});
