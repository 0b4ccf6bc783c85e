import { describe, expect, it } from 'vitest';
import {
  sessionBlocks,
  summaryBlocks,
  trustSentence,
} from '../../../../src/cli/commands/validate/forward-document.js';
import { documentLines } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';

const SCREEN = { width: 160, style: { ...plainStyle, red: (text: string) => `<r>${text}</r>` } };
const cells = (line: string): readonly string[] => line.trim().split(/ {2,}/);

const FORWARD = {
  sessions: 9,
  costErrorMedian: 0.02,
  costErrorP75: 0.04,
  costErrorP90: 0.08,
  costErrorMax: 0.3,
  netError: -0.01,
  netUsd: -2.5,
  compactionCountRight: 0.9,
  contextAfterError: 0.05,
  firstReadAfterError: 0.06,
  hitRatePointsMedian: 1.234,
  intervalCoverage90: 0.88,
  crashed: 0,
  unfinished: 0,
};
const WAY = {
  costErrorMedian: 0.01,
  costErrorP75: 0.02,
  costErrorP90: 0.03,
  costErrorMax: 0.5,
  costErrorWorst: 0.04,
  netError: 0.02,
  netUsd: 12,
};
type Total = Parameters<typeof summaryBlocks>[0];
const TOTAL = {
  forward: FORWARD,
  whatIf: {
    sessions: 4,
    costErrorMedian: 0.001,
    costErrorP90: 0.008,
    net: 0,
    compacted: 2,
    intervalCoverage90: 0.5,
  },
  byClient: { '2.1': FORWARD },
  blind: WAY,
  given: WAY,
  baseline: WAY,
} as unknown as Total;

describe('how far a cost is to be trusted', () => {
  it('has the errors of every way, with decimals that suit the largest amount', () => {
    const lines = documentLines(summaryBlocks(TOTAL), SCREEN);
    expect(lines.slice(1, 6).map(cells)).toEqual([
      ['run forward', '9', '2.00%', '4.00%', '8.00%', '30.00%', '−1.00%', '−$2.50'],
      ['client 2.1', '9', '2.00%', '4.00%', '8.00%', '30.00%', '−1.00%', '−$2.50'],
      ['replayed, blind', '1.00%', '2.00%', '3.00%', '50.00%', '+2.00%', '+$12.00'],
      ['replayed, breaks given (a bound)', '1.00%', '2.00%', '3.00%', '50.00%', '+2.00%', '+$12.00'],
      ['the one-line lifetime rule', '1.00%', '2.00%', '3.00%', '50.00%', '+2.00%', '+$12.00'],
    ]);
    const sentence = lines.slice(6).join(' ').replaceAll(/\s+/g, ' ');
    expect(sentence).toContain('as many compactions as recorded in 90.00% of the cases');
    expect(sentence).toContain('the prompt after one is 5.00% off and its cache read 6.00%');
    expect(sentence).toContain('differs by 1.23 points');
    expect(sentence).toContain('88.00% of the sessions lie in the stated 90');
    expect(sentence).not.toMatch(/crashed|did not get/);
    expect(sentence).toContain('4 sessions are reproduced within 0.10% of the input cost in the median');
    expect(sentence).toContain('interval holds for 50.00% of 2 sessions');
  });

  it('has a dash where nothing was compared', () => {
    const nothing = { ...WAY, costErrorMedian: null, netError: null, netUsd: 0 };
    const lines = documentLines(
      summaryBlocks({
        ...TOTAL,
        forward: { ...FORWARD, sessions: 0 },
        byClient: {},
        blind: nothing,
      } as unknown as Total),
      SCREEN,
    );
    expect(cells(lines[1]!)[0]).toBe('replayed, blind');
    expect(cells(lines[1]!).at(-1)).toBe('–');
  });

  it('says what crashed and what did not get to its end, and nothing where no session ran', () => {
    const odd = { ...FORWARD, crashed: 2, unfinished: 1, hitRatePointsMedian: null };
    const text = documentLines(summaryBlocks({ ...TOTAL, forward: odd } as unknown as Total), SCREEN)
      .join(' ')
      .replaceAll(/\s+/g, ' ');
    expect(text).toContain('by – points in the median');
    expect(text).toContain('2 crashed. 1 did not get to all their calls.');
    const none = { ...FORWARD, sessions: 0 };
    const lines = documentLines(
      summaryBlocks({ ...TOTAL, forward: none, whatIf: { sessions: 0 }, byClient: {} } as unknown as Total),
      SCREEN,
    );
    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toContain('run forward');
  });

  const said = (forward: object, byProvider: object, ...kinds: readonly string[]) =>
    trustSentence(
      { forward, byProvider } as unknown as Parameters<typeof trustSentence>[0],
      kinds.map((kind) => ({ requests: 9, forward: { kind } })) as unknown as Parameters<
        typeof trustSentence
      >[1],
    );
  const NONE = { ...FORWARD, sessions: 0, costErrorMedian: null, costErrorP90: null };

  it('has one sentence to take away', () => {
    const own = { anthropic: { forward: FORWARD } };
    const all = 'On these sessions trust a cost to ± 2.00% typically, ± 8.00% for 90 %.';
    expect(said(FORWARD, own, 'ran')).toBe(all);
    expect(said({ ...FORWARD, sessions: 1 }, own, 'ran')).toBe(
      'The cost of this session was within ± 2.00%; one session says little of others.',
    );
    expect(said({ ...FORWARD, costErrorP90: null }, own, 'ran')).toBeNull();
    expect(said({ ...FORWARD, costErrorMedian: null }, own, 'ran')).toBeNull();
  });

  it('takes it away from the sessions of other providers too, and from none that was not run', () => {
    const openai = { forward: { ...FORWARD, sessions: 8, costErrorMedian: 0.15, costErrorP90: 0.3 } };
    expect(said(NONE, { openai }, 'ran')).toBe(
      'On these sessions trust a cost to ± 15.00% typically, ± 30.00% for 90 %.',
    );
    const one = { ...FORWARD, sessions: 1 };
    expect(said(one, { anthropic: { forward: one }, openai }, 'ran', 'ran')).toBe(
      'Trust a cost to ± 2.00% on the 1 session of Claude Code, and to ± 15.00% typically, ± 30.00% for 90 % on the 8 sessions of OpenAI up to GPT-5.5.',
    );
    expect(said(one, { anthropic: { forward: one }, gemini: { forward: NONE } }, 'ran', 'empty')).toBe(
      'Trust a cost to ± 2.00% on the 1 session of Claude Code.',
    );
    expect(said(NONE, { gemini: { forward: NONE } }, 'empty')).toBeNull();
  });
});

describe('sessions beside their recordings', () => {
  type Files = Parameters<typeof sessionBlocks>[0];
  const session = {
    file: 'logs/a.jsonl',
    version: null,
    profile: 'p',
    requests: 1_200,
    callsLost: 0,
    cost: { recorded: 2e9, predicted: 2.2e9 },
    interval: { expected: 2.2e9, low: 1.5e9, high: 3e9 },
    compactions: { predicted: 1, recorded: 2 },
  };
  const filesOf = (change: object): Files =>
    [{ forward: { kind: 'ran', session: { ...session, ...change } } }] as unknown as Files;

  it('say whether the recording lies where nine of ten should', () => {
    const row = (change: object = {}): string => documentLines(sessionBlocks(filesOf(change)), SCREEN)[1]!;
    expect(cells(row())).toEqual([
      'a',
      '–',
      'p',
      '1,200',
      '$2.00',
      '$2.20',
      '+10.00%',
      '$1.50 … $3.00',
      '1 / 2',
    ]);
    expect(row({ callsLost: 1 })).toContain('$2.20 unfinished');
    expect(row({ cost: { recorded: 1.5e9 } })).not.toContain('<r>');
    expect(row({ cost: { recorded: 3e9 } })).not.toContain('<r>');
    expect(row({ cost: { recorded: 1.4e9 } })).toContain('<r>');
    expect(row({ cost: { recorded: 3.1e9 } })).toContain('<r>');
  });

  it('name what crashed', () => {
    const crashed = [
      { forward: { kind: 'crashed', session: { file: 'b.jsonl', message: 'no' } } },
    ] as unknown as Files;
    expect(documentLines(sessionBlocks(crashed), SCREEN)).toEqual(['  b crashed: no']);
    expect(documentLines(sessionBlocks([...filesOf({}), ...crashed]), SCREEN)).toHaveLength(3);
  });
});
