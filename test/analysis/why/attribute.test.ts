import { describe, expect, it } from 'vitest';
import type { PaidPart } from '../../../src/analysis/why/attribute.js';
import { countOnce } from '../../../src/analysis/why/count-once.js';
import { explainSession } from '../../../src/analysis/why/session-why.js';
import { sumUp } from '../../../src/analysis/why/sum-up.js';
import { recordedBill } from '../../../src/provider/prices/recorded-bill.js';
import { piReader } from '../../../src/transcripts/readers/pi.js';
import { assistant, attachment, readSession, say, system, usage, user } from '../../helpers/session.js';
import { explained, nano, READ, sessionOf, short, W1, W5 } from './sessions.js';

function partsOf(...session: Parameters<typeof sessionOf>): readonly (readonly PaidPart[])[] {
  return explained(sessionOf(...session)).requests.map(({ parts }) => parts);
}

describe('what a request wrote, and why', () => {
  it('is the first prompt, then what is new', () => {
    const parts = partsOf([
      { at: 0, usage: usage(10, 0, 20_000, 50) },
      { at: 30, usage: usage(10, 20_000, 1_000, 50) },
    ]);
    expect(parts).toEqual([
      [{ cause: 'first-write', written: 20_000, uncached: 0, nano: nano(20_000, W1), avoidableNano: 0 }],
      [{ cause: 'growth', written: 1_000, uncached: 0, nano: nano(1_000, W1), avoidableNano: 0 }],
    ]);
  });

  it('is the content of an entry that ran out after 20 minutes, avoidable by a longer lifetime less its price', () => {
    const parts = partsOf([
      { at: 0, usage: short(10, 0, 20_000, 50) },
      { at: 30, usage: short(10, 20_000, 1_000, 50) },
      { at: 30 + 20 * 60, usage: short(10, 0, 25_000, 50) },
    ]);
    // 25,000 written: 4,000 beyond the 21,000 before, which would have been read for a tenth.
    expect(parts[2]).toEqual([
      { cause: 'growth', written: 4_000, uncached: 0, nano: nano(4_000, W5), avoidableNano: 0 },
      {
        cause: 'lifetime-5m',
        written: 21_000,
        uncached: 0,
        nano: nano(21_000, W5),
        // For an hour, the 20,000, 1,000 and 4,000 that were new would have cost more.
        avoidableNano: nano(21_000, W5) - nano(21_000, READ) - nano(25_000, W1 - W5),
      },
    ]);
  });

  it('is not avoidable by a longer lifetime where a new process would have found nothing in any case', () => {
    const process = attachment('h0', 25 * 60, { type: 'hook_success', hookName: 'SessionStart:resume' });
    const parts = partsOf([
      { at: 0, usage: short(10, 0, 20_000, 50) },
      { at: 30, usage: short(10, 20_000, 1_000, 50) },
      { at: 30 + 25 * 60, usage: short(10, 0, 25_000, 50), before: [process] },
    ]);
    // Without the process it would have been as above, C11: the five minutes had passed whatever it did.
    expect(parts[2]!.map(({ cause, written, avoidableNano }) => [cause, written, avoidableNano])).toEqual([
      ['growth', 4_000, 0],
      ['lifetime-5m', 21_000, 0],
    ]);
  });

  it('is not avoidable by a longer lifetime that costs more than it keeps', () => {
    // Kept: 21,000 at 3.45 dollars a million, 0.0725; for an hour 20,000 + 1,000 + 40,000 cost 2.25 more, 0.1373.
    const parts = partsOf([
      { at: 0, usage: short(10, 0, 20_000, 50) },
      { at: 30, usage: short(10, 20_000, 1_000, 50) },
      { at: 30 + 20 * 60, usage: short(10, 0, 61_000, 50) },
    ]);
    expect(parts[2]!.map(({ cause, written, avoidableNano }) => [cause, written, avoidableNano])).toEqual([
      ['growth', 40_000, 0],
      ['lifetime-5m', 21_000, 0],
    ]);
  });

  it('is avoidable by a compaction where that keeps more than a longer lifetime', () => {
    const parts = partsOf([
      { at: 0, usage: short(10, 0, 20_000, 50) },
      { at: 30, usage: short(10, 20_000, 130_000, 50) },
      { at: 30 + 20 * 60, usage: short(10, 0, 150_000, 50) },
    ]);
    // A longer lifetime keeps 150,000 at 3.45 less 150,000 at 2.25: 0.18. A summary leaves 20,000 + 18,000 to write: 0.2925.
    const asking = nano(150_000, READ) + nano(4_400, 15) + nano(4_400, W5);
    expect(parts[2]![0]!.avoidableNano).toBe(nano(150_000, W5) - nano(38_000, W5) - asking);
  });

  it('a longer lifetime is paid for once in a session, each break bearing its part', () => {
    const parts = partsOf([
      { at: 0, usage: short(10, 0, 20_000, 50) },
      { at: 20 * 60, usage: short(10, 0, 20_000, 50) },
      { at: 40 * 60, usage: short(10, 0, 20_000, 50) },
    ]);
    const kept = 2 * (nano(20_000, W5) - nano(20_000, READ)) - nano(20_000, W1 - W5);
    expect(parts.slice(1).map(([part]) => part!.avoidableNano)).toEqual([kept / 2, kept / 2]);
  });

  it('is avoidable by a compaction alone after a pause beyond the hour, as far as that costs less', () => {
    const big = partsOf([
      { at: 0, usage: usage(10, 0, 150_000, 50) },
      { at: 3 * 3_600, usage: usage(10, 0, 150_000, 50) },
    ]);
    const small = partsOf([
      { at: 0, usage: usage(10, 0, 20_000, 50) },
      { at: 3 * 3_600, usage: usage(10, 0, 20_000, 50) },
    ]);
    expect(big[1]!.map(({ cause }) => cause)).toEqual(['lifetime-1h']);
    // The whole 150,000 were the first prompt: nothing that a summary could take away.
    expect(big[1]![0]!.avoidableNano).toBe(0);
    expect(small[1]![0]!.avoidableNano).toBe(0);
    const grown = partsOf([
      { at: 0, usage: usage(10, 0, 20_000, 50) },
      { at: 30, usage: usage(10, 20_000, 130_000, 50) },
      { at: 3 * 3_600, usage: usage(10, 0, 150_000, 50) },
    ]);
    // Written again 150,000; with a summary 20,000 + 18,000, and the request for it: 150,000 read, 4,400 put out and written.
    const asking = nano(150_000, READ) + nano(4_400, 15) + nano(4_400, W5);
    expect(grown[2]![0]!.avoidableNano).toBe(nano(150_000, W1) - nano(38_000, W1) - asking);
  });

  it('is more avoidable by a compaction where the beginning of the prompt is read after the pause all the same', () => {
    const turns = [
      { at: 0, usage: usage(10, 15_000, 5_000, 50) },
      { at: 30, usage: usage(10, 20_000, 130_000, 50) },
      { at: 3 * 3_600, usage: usage(10, 15_000, 135_000, 50) },
    ];
    const keptBy = (version: string) => partsOf(turns, version)[2]![0]!.avoidableNano;
    // Of the 20,000 + 18,000 that a summary leaves, 15,000 are read too: 23,000 are written in place of 135,000.
    const kept = nano(135_000, W1) - nano(23_000, W1) - nano(4_400, 15) - nano(4_400, W5);
    expect(keptBy('2.1.100')).toBe(kept - nano(150_000, READ));
    // A summariser with a prompt of its own is sent all 130,000 behind system and tools.
    expect(keptBy('2.1.12')).toBe(kept - nano(130_000, W5));
  });

  it('is less avoidable where the request for a summary has a prompt of its own', () => {
    const turns = [
      { at: 0, usage: usage(10, 0, 20_000, 50) },
      { at: 30, usage: usage(10, 20_000, 130_000, 50) },
      { at: 3 * 3_600, usage: usage(10, 0, 150_000, 50) },
    ];
    const keptBy = (version: string) => partsOf(turns, version)[2]![0]!.avoidableNano;
    // As above, but 2.1.12 has the 130,000 behind system and tools written for its summariser; a fork of 2.1.100 reads the 150,000.
    const asking = nano(130_000, W5) + nano(4_400, 15) + nano(4_400, W5);
    expect(keptBy('2.1.12')).toBe(nano(150_000, W1) - nano(38_000, W1) - asking);
    expect(keptBy('2.1.12')).toBe(keptBy('2.1.100') + nano(150_000, READ) - nano(130_000, W5));
  });

  it('is another effort of thinking where the level was changed, and avoidable as any switch', () => {
    const used = [
      { input: 3, output: 10, cacheRead: 0, cacheWrite: 20_000 },
      { input: 3, output: 10, cacheRead: 4_000, cacheWrite: 17_000 },
    ];
    const lines = used.flatMap((usage, i) => [
      { type: 'thinking_level_change', id: `l${i}`, thinkingLevel: ['medium', 'high'][i] },
      { type: 'message', id: `u${i}`, message: { role: 'user', content: 'go on' } },
      {
        ...{ type: 'message', id: `a${i}`, timestamp: `2026-01-01T00:00:${i + 1}0Z` },
        message: {
          role: 'assistant',
          content: 'done',
          provider: 'anthropic',
          model: 'claude-opus-4-6',
          usage,
        },
      },
    ]);
    const text = [{ type: 'session', id: 'a', cwd: '/x' }, ...lines].map((line) => JSON.stringify(line));
    const session = piReader.read(Buffer.from(text.join('\n')), { id: 'session' });
    // $5 a million tokens in, written for five minutes at 1.25 of it, read at a tenth: 16,000 of the 20,000 were lost.
    expect(explained(session).requests[1]!.parts).toEqual([
      { cause: 'growth', written: 1_000, uncached: 0, nano: nano(1_000, 6.25), avoidableNano: 0 },
      {
        cause: 'effort',
        written: 16_000,
        uncached: 0,
        nano: nano(16_000, 6.25),
        avoidableNano: nano(16_000, 6.25 - 0.5),
      },
    ]);
  });

  it('has the reason that the API told where the recording shows none', () => {
    const told = (type: string) => ({ diagnostics: { cache_miss_reason: { type } } });
    const causeFor = (type: string) =>
      partsOf([
        { at: 0, usage: usage(10, 0, 40_000, 50) },
        { at: 30, usage: usage(10, 40_000, 1_000, 50) },
        { at: 60, usage: usage(10, 12_000, 30_000, 50), extra: told(type) },
      ])[2]!.map(({ cause, written }) => [cause, written]);
    expect(causeFor('system_changed')).toEqual([
      ['growth', 1_000],
      ['system', 29_000],
    ]);
    expect(causeFor('tools_changed')[1]).toEqual(['tools', 29_000]);
    expect(causeFor('messages_changed')[1]).toEqual(['messages', 29_000]);
    expect(causeFor('unavailable')[1]).toEqual(['unexplained', 29_000]);
  });

  it('is a compaction where the prompt behind it was made again', () => {
    const boundary = system('c0', 40, 'compact_boundary', {
      parentUuid: 'a1',
      compactMetadata: { trigger: 'auto', preTokens: 150_000 },
    });
    const parts = partsOf([
      { at: 0, usage: usage(10, 0, 20_000, 50) },
      { at: 30, usage: usage(10, 20_000, 130_000, 50) },
      { at: 60, usage: usage(10, 18_000, 12_000, 50), before: [boundary] },
    ]);
    expect(parts[2]!.map(({ cause, written, avoidableNano }) => [cause, written, avoidableNano])).toEqual([
      ['compaction', 12_000, 0],
    ]);
  });
});

describe('the sums of a report', () => {
  const sessions = [
    explained(
      sessionOf([
        { at: 0, usage: short(10, 0, 20_000, 50) },
        { at: 30, usage: short(7, 20_000, 1_000, 60) },
        { at: 30 + 20 * 60, usage: short(3, 0, 25_000, 70) },
      ]),
    ),
  ];

  it('are the tokens that were written and the money that was billed', () => {
    const { byCause, recordedUsd, worst, byDay, byModel } = sumUp(sessions, []);
    const total = (pick: (each: (typeof byCause)[number]) => number) =>
      byCause.reduce((sum, each) => sum + pick(each), 0);
    expect(total(({ tokens }) => tokens)).toBe(46_000);
    // 46,000 written, 20,000 read, 20 beyond the cache, 180 put out.
    const dollars = (46_000 * W5 + 20_000 * READ + 20 * 3 + 180 * 15) / 1e6;
    expect(recordedUsd).toBeCloseTo(dollars, 9);
    expect(total(({ usd }) => usd)).toBeCloseTo(dollars, 9);
    expect(worst[0]!.usd).toBeCloseTo(dollars, 9);
    expect(byDay.map(({ name, requests }) => [name, requests])).toEqual([['2026-01-02', 3]]);
    expect(byModel[0]!.usd).toBeCloseTo(dollars, 9);
    expect(byCause.find(({ cause }) => cause === 'lifetime-5m')!.events).toBe(1);
  });

  it('list breaks by what they cost, the most expensive first, and what costs the same by name', () => {
    const broken = sessionOf([
      { at: 0, usage: short(10, 0, 20_000, 50) },
      { at: 1_200, usage: short(3, 0, 21_000, 70) },
      { at: 2_400, usage: short(3, 0, 60_000, 70) },
      { at: 3_600, usage: short(3, 0, 61_000, 70) },
    ]);
    const { breaks } = sumUp([explained(broken)], []);
    const dollars = breaks.map(({ usd }) => usd!);
    expect(dollars.length).toBeGreaterThan(1);
    expect(new Set(dollars).size).toBeGreaterThan(1);
    expect(dollars).toEqual([...dollars].sort((a, b) => b - a));
    const named = (project: string) => ({ ...explained(broken), project });
    const apart = (name: string) => {
      const own = named(name);
      return { ...own, requests: own.requests.map((each) => ({ ...each, key: `${name} ${each.key}` })) };
    };
    const { byProject } = sumUp([apart('b'), apart('a')], []);
    expect(byProject.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('count the same call in two sessions once', () => {
    const once = sumUp(sessions, []);
    const twice = sumUp([...sessions, ...sessions], []);
    expect(twice.recordedUsd).toBe(once.recordedUsd);
    expect(twice.byCause).toEqual(once.byCause);
    expect(twice.requests).toBe(3);
  });

  it('count calls, estimated outputs and compactions of two sessions once in what is said of the bill', () => {
    const boundary = system('c0', 40, 'compact_boundary', {
      parentUuid: 'a1',
      compactMetadata: { trigger: 'auto', preTokens: 150_000 },
    });
    // A response that does not say how it stopped holds a placeholder for its output.
    const extra = { stop_reason: null };
    const session = explained(
      sessionOf(
        [
          { at: 0, usage: usage(10, 0, 20_000, 1), extra },
          { at: 30, usage: usage(10, 20_000, 130_000, 1), extra },
          { at: 60, usage: usage(10, 18_000, 12_000, 1), extra, before: [boundary] },
        ],
        '2.1.42',
      ),
    );
    const noted = countOnce([session, session]).map((each) => each.noted);
    expect(noted).toMatchObject([
      { calls: 3, estimatedOutputs: 3, compactions: 1, untoldWritesNano: 0 },
      { calls: 0, estimatedOutputs: 0, compactions: 0, untoldWritesNano: 0 },
    ]);
    const none = { untoldWritesNano: 0, untoldLifetimesNano: 0, otherPrices: [] };
    expect(noted[0]).toEqual({ ...session.bill, ...none });
  });

  it('are the bill, whatever was recorded', () => {
    const bill = recordedBill(
      sessionOf([
        { at: 0, usage: short(10, 0, 20_000, 50) },
        { at: 30, usage: short(7, 20_000, 1_000, 60) },
        { at: 30 + 20 * 60, usage: short(3, 0, 25_000, 70) },
      ]),
    );
    expect(sumUp(sessions, []).recordedUsd).toBe(bill!.costNano.total / 1e9);
  });

  it('say nothing of the cost of requests whose model has no price', () => {
    // Claude Sonnet 4.5: 10 tokens in, 20,000 written for five minutes, 50 out; the rest has no price.
    const usd = (10 * 3 + 20_000 * 3.75 + 50 * 15) / 1e6;
    const other = { model: 'nobody-knows-1' };
    const turns = [
      { at: 0, usage: short(10, 0, 20_000, 50) },
      { at: 86_400, usage: short(10, 0, 21_000, 50), extra: other },
    ];
    const why = explained(sessionOf(turns));
    const report = sumUp([why], []);
    expect(report).toMatchObject({ requests: 2, unpricedCalls: 1, recordedUsd: usd });
    expect(report.byModel.map((each) => [each.name, each.requests, each.usd])).toEqual([
      ['claude-sonnet-4-5', 1, usd],
      ['nobody-knows-1', 1, null],
    ]);
    expect(report.byDay.map((each) => each.usd)).toEqual([usd, null]);
    expect(report.breaks).toMatchObject([{ model: 'nobody-knows-1', usd: null, avoidableUsd: null }]);
    // A copy that goes on with two more such calls: of its four only these two are new.
    const more = [
      { at: 86_460, usage: short(10, 21_000, 100, 50), extra: other },
      { at: 86_520, usage: short(10, 21_100, 100, 50), extra: other },
    ];
    const copy = { ...explained(sessionOf([...turns, ...more])), file: 'copy.jsonl' };
    expect(sumUp([why, copy], [])).toMatchObject({ requests: 4, unpricedCalls: 3, recordedUsd: usd });
    expect(countOnce([why, copy]).map(({ noted }) => noted.unpriced)).toEqual([
      { 'nobody-knows-1': 1 },
      { 'nobody-knows-1': 2 },
    ]);
  });

  it('set aside what cannot be priced, with its reason', () => {
    const unpriced = readSession([
      user('u0', 0, 'question'),
      assistant('a0', 1, 'm0', say('answer'), { model: 'nobody-knows-1' }),
    ]);
    expect(explainSession(unpriced, { file: 'x.jsonl', project: 'p' })).toEqual({
      file: 'x.jsonl',
      reason: 'no price is known for nobody-knows-1',
    });
  });
});

describe('a new process that finds the cache but sends another prompt', () => {
  const avoidableAt = (minutes: number): readonly (readonly [string, boolean])[] => {
    const process = attachment('h0', minutes * 60, { type: 'hook_success', hookName: 'SessionStart:resume' });
    const parts = partsOf([
      { at: 0, usage: usage(10, 0, 20_000, 50) },
      { at: 30, usage: usage(10, 20_000, 1_000, 50) },
      { at: 30 + minutes * 60, usage: short(10, 0, 25_000, 50), before: [process] },
    ]);
    return parts[2]!.map(({ cause, avoidableNano }) => [cause, avoidableNano > 0] as const);
  };

  it('is avoidable within the lifetime of what it writes, and not beyond: C11', () => {
    expect(avoidableAt(4)).toContainEqual(['resume', true]);
    // The entry of an hour is there after seven minutes, but a client that writes for five would not have kept it.
    expect(avoidableAt(7)).toContainEqual(['resume', false]);
    expect(avoidableAt(9)).toContainEqual(['resume', false]);
  });
});
