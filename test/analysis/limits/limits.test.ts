import { describe, expect, it } from 'vitest';
import { type LimitsReport, limitsOf, type WindowDetail } from '../../../src/analysis/limits/limits.js';
import { countOnce } from '../../../src/analysis/why/count-once.js';
import { explainSession, type SessionWhy } from '../../../src/analysis/why/session-why.js';
import { loadTranscript } from '../../../src/transcripts/files/transcripts.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { system, usage, user } from '../../helpers/session.js';
import { sessionOf, short, type Turn } from '../why/sessions.js';

const HOUR = 3_600;

function whyOf(turns: readonly Turn[], file = 'session.jsonl'): SessionWhy {
  const why = explainSession(sessionOf(turns), { file, project: 'project', changedUsage: 'kept' });
  if (!('bill' in why)) throw new Error(why.reason);
  return why;
}

function limits(sessions: readonly SessionWhy[]): LimitsReport {
  const report = limitsOf(countOnce(sessions), []);
  if (report.vendor === null) throw new Error(JSON.stringify(report.leftOut));
  return report;
}

const SPLITS = ['byCause', 'byModel', 'bySession', 'byThread', 'byCompaction'] as const;

function expectExact(window: WindowDetail): void {
  for (const split of SPLITS)
    expect(
      window[split].reduce((sum, { weighted }) => sum + weighted, 0),
      split,
    ).toBe(window.weighted);
}

/** A prompt that is written, read again at once, and written anew after a pause of twenty minutes, on Sonnet. */
const PAUSED: readonly Turn[] = [
  { at: 0, usage: short(10, 0, 60_000, 100) },
  { at: 60, usage: short(10, 60_000, 1_000, 100) },
  { at: 1_260, usage: short(10, 0, 62_000, 100) },
];

describe('limits', () => {
  it('weigh tokens by list price, and name what filled the window', () => {
    const { fiveHour } = limits([whyOf(PAUSED)]);
    const { fullest } = fiveHour;
    const weights = new Map(fullest.byCause.map(({ cause, weighted }) => [cause, weighted]));
    expect(weights.get('read')).toBe(6_000);
    expect(weights.get('output')).toBe(1_500);
    expect(weights.get('uncached')).toBe(30);
    // The first prompt holds far more than the lines: the session began before them.
    expect(weights.get('resume')).toBe(75_000);
    // New content of 1,000 and of 1,000 tokens; 61,000 were there before the pause.
    expect(weights.get('growth')).toBe(2_500);
    expect(weights.get('lifetime-5m')).toBe(76_250);
    expect(fullest.weighted).toBe(6_000 + 1_500 + 30 + 75_000 + 2_500 + 76_250);
    expect(fullest.tokens).toBe(3 * 110 + 60_000 + 60_000 + 1_000 + 62_000);
  });

  it('weigh writes of an hour twice the input, and reads nothing on the week of the published fit', () => {
    const { fiveHour, weekly } = limits([
      whyOf([
        { at: 0, usage: usage(0, 0, 60_000, 0) },
        { at: 60, usage: usage(0, 60_000, 0, 0) },
      ]),
    ]);
    expect(fiveHour.fullest.weighted).toBe(126_000);
    expect(weekly.fullest.weighted).toBe(120_000);
    expect(weekly.fullest.weightedBetween).toEqual({ low: 120_000, high: 126_000 });
    // 1 % is 1.5 to 2.1 million tokens.
    expect(fiveHour.fullest.publishedPercent!.low).toBeCloseTo(0.12 / 2.1);
    expect(fiveHour.fullest.publishedPercent!.high).toBeCloseTo(0.12 / 1.5);
  });

  it('find the fullest window and where the last request stands', () => {
    const far = PAUSED.map((turn) => ({ ...turn, at: turn.at + 8 * HOUR })).slice(0, 1);
    const { fiveHour } = limits([whyOf([...PAUSED, ...far])]);
    expect(fiveHour.fullest.requests).toBe(3);
    expect(fiveHour.latest.requests).toBe(1);
    expect(Date.parse(fiveHour.latest.to) - Date.parse(fiveHour.latest.from)).toBe(5 * HOUR * 1_000);
    expect(fiveHour.windows.map(({ requests }) => requests)).toEqual([3, 1]);
  });

  it('tell what a longer lifetime would have saved of the window', () => {
    const { fiveHour } = limits([whyOf(PAUSED)]);
    const hour = fiveHour.changes.find(({ name }) => name === '1-hour lifetime')!;
    // 61,000 read instead of written; what is still written costs 2 instead of 1.25.
    const saved = 61_000 * (1.25 - 0.1) - 62_000 * 0.75;
    expect(hour.weighted / saved).toBeGreaterThan(0.9);
    expect(hour.weighted / saved).toBeLessThan(1.1);
    expect(hour.share).toBeCloseTo(hour.weighted / fiveHour.fullest.weighted);
  });

  it('tell of /compact in a window what it saves of the whole session, however long its summary takes', () => {
    // The pause is long enough for a compaction by hand, and the prompt large enough; here it costs more than it saves.
    const why = whyOf([
      { at: 0, usage: short(10, 0, 120_000, 100) },
      { at: 1_260, usage: short(10, 0, 122_000, 100) },
      { at: 1_270, usage: short(10, 122_000, 1_000, 100) },
    ]);
    const name = '/compact before long pauses';
    const { savedNano, usage: runs } = why.changes.find((change) => change.name === name)!;
    expect(savedNano).not.toBe(0);
    // Both runs have the same requests at the same times, and one has a summary besides.
    const times = (of: 'before' | 'after') =>
      runs![of].filter(({ purpose }) => purpose === 'main').map(({ atMs }) => atMs);
    expect(times('after')).toEqual(times('before'));
    // Sonnet costs $3 per million tokens of input, which weigh 1 each.
    const { fiveHour } = limits([why]);
    const change = fiveHour.changes.find((each) => each.name === name)!;
    expect(change.weighted).toBeCloseTo(savedNano / 3_000, -1);
  });

  it('count savings on calls that two sessions hold once', () => {
    const ends = [10, 20].map((seconds, i) => ({
      at: 1_260 + seconds,
      usage: short(10, 62_000, 1_000, 100),
      extra: { id: `own_${i}` },
    }));
    const forks = ends.map((end, i) => whyOf([...PAUSED, end], `fork-${i}.jsonl`));
    const hourOf = (sessions: readonly SessionWhy[]) =>
      limits(sessions).fiveHour.changes.find(({ name }) => name === '1-hour lifetime')!.weighted;
    // The second adds its own call: 62,000 read, 1,000 written, 10 in and 100 out, of all that the session cost.
    const own = 6_200 + 1_250 + 10 + 500;
    const all = own + 6_000 + 77_500 + 75_000 + 1_250 + 30 + 1_500;
    const [one, both] = [hourOf([forks[0]!]), hourOf(forks)];
    expect(both / one).toBeCloseTo(1 + own / all, 3);
  });

  it('save no more of a window than the requests in it that were recorded', () => {
    const model = { model: 'claude-opus-4-6' };
    const boundary = system('c0', 1_800, 'compact_boundary', {
      parentUuid: 'a0',
      compactMetadata: { trigger: 'manual', preTokens: 151_060 },
    });
    const summary = user('s0', 1_801, 'It was about a file.', { parentUuid: 'c0', isCompactSummary: true });
    // An hour lets the summary, which no line holds, read the first prompt, and makes the recorded writes more expensive.
    const { fiveHour } = limits([
      whyOf([
        { at: 0, usage: short(10, 150_000, 1_000, 50), extra: model },
        { at: 1_810, usage: short(10, 0, 20_000, 50), before: [boundary, summary], extra: model },
      ]),
    ]);
    expect(fiveHour.changes.find(({ name }) => name === '1-hour lifetime')!.weighted).toBe(0);
  });

  it('leave out and name a session without times', () => {
    const timed = whyOf(PAUSED);
    const untimed = {
      ...whyOf(
        PAUSED.map((turn) => ({ ...turn, at: turn.at + 7 })),
        'b.jsonl',
      ),
      startedAtMs: null,
    };
    const others = { ...untimed, requests: untimed.requests.map((own) => ({ ...own, key: `b${own.key}` })) };
    const report = limits([timed, others]);
    expect(report.leftOut).toEqual([{ what: 'b.jsonl', why: 'it has no times' }]);
    expect(report.fiveHour.fullest.requests).toBe(3);
    expect(limitsOf(countOnce([others]), [])).toEqual({ vendor: null, leftOut: report.leftOut });
  });

  it('leave out other plans and models without a price', () => {
    const own = whyOf(PAUSED);
    const [first, ...rest] = own.requests;
    const requests = [
      ...rest,
      { ...first!, model: 'gpt-5.5' },
      { ...first!, key: 'x', inputUsd: null, model: 'new' },
    ];
    const { vendor, leftOut } = limits([{ ...own, requests }]);
    expect(vendor).toBe('anthropic');
    expect(leftOut).toEqual([
      { what: '1 request of new', why: 'no price is known; give one with --price' },
      { what: '1 request of openai', why: 'another plan (name only its sessions)' },
    ]);
  });
});

describe.skipIf(!sharedData.present)('limits of recorded sessions', () => {
  const files = [
    ...sharedData.sessions
      .map(([, path]) => path)
      .filter((path) => /2\.1\.39|subagent-small|2\.1\.42/.test(path)),
    ...sharedData.files('more/codex').slice(0, 3),
  ];

  it('each split of a window adds up to it exactly', () => {
    for (const file of files) {
      const { transcript } = loadTranscript(file, { cwd: '/', cache: 'off' });
      const why = explainSession(transcript, { file, project: 'project' });
      if (!('bill' in why)) continue;
      const { fiveHour, weekly } = limits([why]);
      for (const window of [fiveHour.fullest, fiveHour.latest, weekly.fullest, weekly.latest])
        expectExact(window);
    }
  });

  it('a window of a recording is the sum of its lines', () => {
    const [, file] = sharedData.sessions.find(([name]) => name.startsWith('JanDe'))!;
    const { transcript } = loadTranscript(file, { cwd: '/', cache: 'off' });
    const why = explainSession(transcript, { file, project: 'project' }) as SessionWhy;
    const { fullest } = limits([why]).fiveHour;
    // Summed apart from the usage of the 263 responses from 13:37:59 on; each part of a request is rounded.
    expect(fullest.requests).toBe(263);
    expect(Math.abs(fullest.weighted - 15_389_529)).toBeLessThan(100);
  });

  it('readings that a client recorded are met by list prices within a point', () => {
    const file = sharedData.files('more/codex').find((path) => path.includes('019edb4d'))!;
    const { transcript } = loadTranscript(file, { cwd: '/', cache: 'off' });
    const why = explainSession(transcript, { file, project: 'project' }) as SessionWhy;
    // The meter at the first response that showed each value (token_count, rate_limits.primary); its window began with the session.
    const shown = [
      ['15:15:51.191', 2],
      ['15:16:18.874', 4],
      ['15:16:54.710', 6],
      ['15:17:45.220', 9],
      ['15:18:29.307', 11],
      ['15:19:16.334', 13],
      ['15:19:57.197', 15],
      ['15:20:28.552', 16],
    ] as const;
    const readings = shown.map(([time, percent]) => ({
      meter: 'fiveHour' as const,
      atMs: Date.parse(`2026-06-18T${time}Z`),
      percent,
    }));
    const { fit } = limitsOf(countOnce([why]), readings) as LimitsReport;
    expect(fit.fiveHour).toMatchObject({ kind: 'fitted', readings: 8 });
    expect(fit.fiveHour.kind === 'fitted' && fit.fiveHour.errorPoints).toBeLessThan(1);
  });
});
