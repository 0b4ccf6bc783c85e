import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/core/run/run-log.js';
import type { RunFacts } from '../../src/metrics/facts.js';
import { foldLog } from '../../src/metrics/fold.js';
import { breakRows, countPhrase, layerRows, valueBlocks } from '../../src/report/text/terminal-blocks.js';
import { breakEntry, endEntry, layerEntry, requestEntry, runEntry, threadEntry } from '../helpers/log.js';

const BODY: readonly LogEntry[] = [
  runEntry(),
  threadEntry(),
  requestEntry({ read: 600, write5m: 200, write1h: 100, input: 100, output: 40, outputCost: 8e9 }),
  requestEntry({ n: 2, turn: 2, read: 900, input: 100, outputCost: 2e9 }),
];
const FACTS = foldLog([...BODY, endEntry(BODY)]);

/** The rows of a block as key, value and note, with the tone where there is one. */
function rowsOf(change: Partial<RunFacts>, title: string): Readonly<Record<string, readonly string[]>> {
  const block = valueBlocks({ ...FACTS, ...change }).find((one) => one.title === title);
  return Object.fromEntries(
    (block?.rows ?? []).map(({ cells: [key, value, note], tone }) => [
      key!.trim(),
      [value!, note!.trim(), ...(tone === undefined ? [] : [tone])],
    ]),
  );
}

describe('the block of requests', () => {
  it('has troubles in another tone once there are some, with what they were', () => {
    expect(rowsOf({}, 'Requests')).toEqual({
      answered: ['2', 'main 2'],
      turns: ['2', 'in 0 ms of simulated time'],
      refused: ['0', '', 'plain'],
      lost: ['0', '', 'plain'],
    });
    const { longTerm } = FACTS;
    const troubled = rowsOf(
      {
        durationMs: null,
        requestsRefused: 3,
        refusals: { overloaded: 2, 'too long': 1, never: 0 },
        callsLost: 1,
        callsNotMade: 4,
        longTerm: { ...longTerm, forks: { ...longTerm.forks, lost: 1 } },
      },
      'Requests',
    );
    expect(troubled).toMatchObject({
      turns: ['2', ''],
      refused: ['3', 'overloaded 2, too long 1', 'bad'],
      lost: ['1', 'recorded calls that could not be made', 'bad'],
      'not made': ['4', 'calls of agents that another agent ended'],
      'forks lost': ['1', 'the call that starts them was not answered', 'bad'],
    });
  });
});

describe('the block of tokens', () => {
  it('splits all prompts by what became of them', () => {
    // 1,500 of 2,000 read, 300 written, 200 neither
    expect(rowsOf({}, 'Tokens')).toEqual({
      prompt: ['2,000', ''],
      'cache read': ['1,500', '75.0%'],
      'cache written': ['300', '15.0%  5m 200, 1h 100'],
      uncached: ['200', '10.0%'],
      output: ['40', ''],
      'cache-hit rate': ['75.0%', '', 'strong'],
    });
  });

  it('names no lifetimes where nothing was written', () => {
    const requests = { ...FACTS.requests, write5mTokens: 0, write1hTokens: 0 };
    expect(rowsOf({ requests }, 'Tokens')['cache written']).toEqual(['0', '0.0%']);
  });

  it('names the lifetimes of no other models than Anthropic’s', () => {
    const note = (...models: readonly string[]) =>
      rowsOf({ models: Object.fromEntries(models.map((model) => [model, 1])) }, 'Tokens')['cache written'];
    expect(note('claude-sonnet-4-5')).toEqual(['300', '15.0%  5m 200, 1h 100']);
    expect(note('gpt-5.6-sol')).toEqual(['300', '15.0%']);
    expect(note('gpt-5.6-sol', 'claude-sonnet-4-5')).toEqual(['300', '15.0%']);
  });

  it('has the hit rate of subagents and the error of estimates where there are any', () => {
    const subagent = { ...FACTS.requests, calls: 1, promptTokens: 1_000, readTokens: 250 };
    const rows = rowsOf(
      { byPurpose: { ...FACTS.byPurpose, subagent }, estimator: { heuristic: 300, true: 200 } },
      'Tokens',
    );
    expect(rows['of subagents']).toEqual(['25.0%', '']);
    expect(rows['rough estimate']).toEqual(['1.5×', 'of the true tokens']);
  });
});

describe('the block of the context', () => {
  const compactions = { ...FACTS.compactions, done: 6, full: 3, sessionMemory: 2, reactive: 1, failed: 4 };

  it('says of compactions what kind they were, and what was prevented, avoided and chained', () => {
    const rows = rowsOf(
      {
        compactions: { ...compactions, thrash: 2, chained: 3 },
        crossings: { prevented: 5, deferred: 2 },
        breaker: { trips: 1, skips: 1, resets: 0 },
        overshootTokens: 77,
        refusals: { blocked: 2 },
      },
      'Context',
    );
    expect(rows).toMatchObject({
      peak: ['1,040', 'of a window of 200,000'],
      'mean prompt': ['1,000', ''],
      overshoot: ['77', 'past a threshold'],
      compactions: ['6', 'full 3, session-memory 2, reactive 1, failed 4'],
      prevented: ['5', '2 more only deferred'],
      thrash: ['2', '3 in a chain', 'bad'],
      'breaker trips': ['1', '1 attempt avoided', 'bad'],
    });
  });

  it('has no note where there is nothing to note', () => {
    expect(rowsOf({}, 'Context')).toEqual({
      peak: ['1,040', 'of a window of 200,000'],
      'mean prompt': ['1,000', ''],
      overshoot: ['–', ''],
      compactions: ['0', ''],
      prevented: ['0', ''],
      thrash: ['0', '', 'plain'],
      'breaker trips': ['0', '', 'plain'],
    });
  });

  it('measures the peak by the largest window of a main conversation', () => {
    const [main] = FACTS.threads;
    const windowed = (parent: string | null, window: number | null) => ({ ...main!, parent, window });
    const noteOf = (threads: RunFacts['threads']) => rowsOf({ threads }, 'Context').peak![1];
    expect(
      noteOf([windowed(null, 100), windowed(null, 300), windowed(null, 200), windowed('main', 900)]),
    ).toBe('of a window of 300');
    expect(noteOf([windowed(null, null), windowed('main', 900)])).toBe('');
  });

  it('WIN-5 says when the client warned, and when that ended', () => {
    const shown = { turns: 0, times: 0, firstRequest: null, leftAt: null };
    const warned = { turns: 9, times: 1, firstRequest: 4, leftAt: 1_200 };
    const rows = rowsOf({ status: { warning: warned, error: shown, leastPercentLeft: 7 } }, 'Context');
    expect(rows).toMatchObject({
      'least left': ['7%', 'of the limit that the client shows'],
      'turns with warning': ['9', 'entered once, first at request 4, last left at 1,200'],
    });
    expect(rows['turns with error']).toBeUndefined();
    const twice = { turns: 1, times: 2, firstRequest: 5, leftAt: null };
    const other = rowsOf({ status: { warning: shown, error: twice, leastPercentLeft: 0 } }, 'Context');
    expect(other['turns with error']).toEqual(['1', 'entered 2 times, first at request 5']);
    expect(other['turns with warning']).toBeUndefined();
  });
});

describe('the blocks of cost', () => {
  it('K14 tell what chance may make of the total, which has a share of everything below it', () => {
    const cost = {
      ...FACTS.cost,
      total: 10e9,
      byCause: { carry: 0, new: 4e9, 'rewrite:ttl-5m': 1e9, 'rewrite:model': 0, output: 5e9 },
    };
    const rows = rowsOf({ cost, costInterval: { expected: 12e9, low: 9e9, high: 20e9 } }, 'Cost by cause');
    expect(rows).toEqual({
      total: ['$10.00', '$5.00 per turn', 'strong'],
      'with chance breaks': ['$12.00', 'on average; 90 % interval $9.00 … $20.00'],
      carry: ['$0.00', '0.0%'],
      new: ['$4.00', '40.0%'],
      'rewrite:ttl-5m': ['$1.00', '10.0%'],
      output: ['$5.00', '50.0%'],
    });
    expect(Object.keys(rowsOf({}, 'Cost by cause'))).not.toContain('with chance breaks');
    // the largest block has a row for each purpose that was asked for
    expect(rowsOf({}, 'Cost by layer')).toEqual({ main: ['$10.00', '100.0%'] });
  });

  it('are not there where nothing was asked', () => {
    const titles = valueBlocks(foldLog([runEntry(), threadEntry()])).map(({ title }) => title);
    expect(titles).toEqual(['Requests', 'Tokens', 'Context']);
  });
});

describe('tables below the blocks', () => {
  it('count in a phrase only what there is', () => {
    expect(countPhrase({ a: 1, b: 0, c: 1_200 })).toBe('a 1, c 1,200');
    expect(countPhrase({})).toBe('');
  });

  it('have a row for each layer that fired, and each of its numbers in its column', () => {
    const log = [
      ...BODY,
      layerEntry({ layer: 'storage', action: 'store', outcome: 'declined' }),
      layerEntry({ saved: 50, cacheLost: 7, calls: 2, cost: 3e9 }),
      layerEntry({ outcome: 'failed', failure: 'no_summary' }),
    ];
    const rows = layerRows(foldLog([...log, endEntry(log)])).map(({ cells }) => cells);
    // layer, fired, done, failed, declined, saved, not carried, prevented, destroyed, calls, cost
    expect(rows).toEqual([
      ['storage', '1', '0', '0', '1', '0', '0', '0', '0', '0', '$0.00'],
      ['full-compact', '2', '1', '1', '0', '50', '0', '0', '7', '2', '$3.00'],
    ]);
  });

  it('add breaks up by cause, those no layer announced first', () => {
    const log = [
      ...BODY,
      breakEntry({ cause: 'compaction', expected: true, lostTokens: 5 }),
      breakEntry({ cause: 'model', lostTokens: 1_000 }),
      breakEntry({ cause: 'model', lostTokens: 200 }),
    ];
    expect(breakRows(foldLog([...log, endEntry(log)]))).toEqual([
      { cells: ['model', '2', '1,200', ''] },
      { cells: ['compaction', '1', '5', 'expected'], tone: 'dim' },
    ]);
  });
});
