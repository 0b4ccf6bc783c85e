import { describe, expect, it } from 'vitest';
import type { Difference, LaneDiff } from '../../../../src/analysis/diff/diff-lanes.js';
import {
  diffBlocks,
  firstSentence,
  place,
  sumSentence,
} from '../../../../src/cli/commands/diff/diff-document.js';
import { documentText } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';
import { dropOrders } from '../../../helpers/pages/drop-orders.js';

const figures = (prompt: number, read: number) => ({ request: 1, prompt, read, written: 0, costUsd: 0 });

const difference = (change: Partial<Difference> = {}): Difference => ({
  request: 1_200,
  thread: 'main',
  turn: 7,
  purpose: 'main',
  a: figures(1_000, 400),
  b: figures(2_000, 0),
  costUsd: 0.5,
  kind: 'cache',
  reason: 'B reads less',
  ...change,
});

const DIFFERENCES = [
  difference(),
  difference({ turn: 8, a: null, purpose: 'compact' }),
  difference({ b: null, turn: 9 }),
];

const DIFF: LaneDiff = {
  a: { title: 'first', requests: 3, unpricedRequests: 0, costUsd: 2 },
  b: { title: 'second', requests: 1, unpricedRequests: 0, costUsd: 3 },
  firstDifference: DIFFERENCES[0]!,
  differences: DIFFERENCES,
  pairs: Array.from({ length: 4 }, () => ({ a: null, b: null })),
  unrecorded: { requests: 0, costUsd: 0 },
  sameSession: null,
  samePlan: false,
};

const textOf = (change: Partial<LaneDiff> = {}, rows = 10, tolerance = 0, width = 100): readonly string[] =>
  documentText(diffBlocks({ ...DIFF, ...change }, { tolerance, notes: [], rows }), {
    width,
    style: plainStyle,
  }).split('\n');

describe('the text of a difference', () => {
  it('loses what was read first where there is no room, then the prompts', () => {
    const blocks = diffBlocks(DIFF, { tolerance: 0, notes: [], rows: 10 });
    expect(dropOrders(blocks)).toEqual([['read A', 'read B', 'prompt A', 'prompt B']]);
  });

  it('says with the costs that they are of a part of the requests', () => {
    const a = { ...DIFF.a, unpricedRequests: 2 };
    const text = textOf({ a }).join(' ');
    expect(text).toContain('first: at least $2.00 (2 of 3 requests use models without a price), 3 requests');
    expect(sumSentence({ ...DIFF, a })).toContain(
      'B costs $1.00 more (50.0%), without 2 of 3 requests in A and 0 of 1 request in B that have no price.',
    );
    const none = { ...DIFF.a, unpricedRequests: 3, costUsd: null };
    expect(textOf({ a: none }).join(' ')).toContain('first: – (no model of the 3 requests has a price)');
    expect(sumSentence({ ...DIFF, a: none })).toContain('their cost is unknown');
  });

  it('says what each side is, where they part, and what differs', () => {
    expect(textOf().map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['A', 'first: $2.00, 3 requests'],
      ['B', 'second: $3.00, 1 request'],
      [''],
      ['They first differ at request 1,200 (turn 7): B reads less.'],
      [''],
      ['turn', 'prompt A', 'prompt B', 'read A', 'read B', 'B costs more by', 'what'],
      ['7', '1,000', '2,000', '400', '0', '$0.5000', 'cache'],
      ['8 compact', '–', '2,000', '–', '0', '$0.5000', 'cache'],
      ['9', '1,000', '–', '400', '–', '$0.5000', 'cache'],
      [''],
    ]);
  });

  it('notes what it does not show', () => {
    const noted = textOf({ unrecorded: { requests: 2, costUsd: 0.25 } }, 2, 0.01);
    expect(noted.slice(-4)).toEqual([
      '  1 more; --rows 3 shows all',
      '  left out: 2 requests for suggestions and layers, not recorded ($0.2500)',
      '  figures within 1.0% of each other count as equal',
      '',
    ]);
    expect(textOf({}, 3).join('\n')).not.toContain('more;');
    expect(textOf({}, 10, 0, 50).join('\n')).toContain('not shown in 50 columns: prompt A');
    expect(textOf({ differences: [] }).join('\n')).not.toContain('prompt A');
  });

  it('names threads besides the main one, and what is no turn of a loop', () => {
    expect(place(difference())).toBe('7');
    expect(place(difference({ thread: 'agent', purpose: 'subagent' }))).toBe('agent 7');
    expect(place(difference({ turn: 1_200, purpose: 'compact' }))).toBe('1,200 compact');
    expect(firstSentence({ ...DIFF, firstDifference: difference({ thread: 'agent' }) })).toContain(
      '(turn 7 of agent)',
    );
    expect(firstSentence({ ...DIFF, firstDifference: null })).toBe('They are the same in all 3 requests.');
  });

  it('adds up what the second costs more', () => {
    expect(sumSentence(DIFF)).toBe('3 of 4 requests differ; B costs $1.00 more (50.0%).');
    const cheaper = { ...DIFF, b: { ...DIFF.b, costUsd: 1 }, differences: DIFFERENCES.slice(0, 1) };
    expect(sumSentence(cheaper)).toBe('1 of 4 requests differs; B costs $1.00 less (50.0%).');
    expect(sumSentence({ ...DIFF, b: DIFF.a })).toBe('3 of 4 requests differ; both cost the same.');
    const alone = { ...DIFF, b: DIFF.a, differences: [], pairs: DIFF.pairs.slice(0, 1) };
    expect(sumSentence(alone)).toBe('0 of 1 request differs; both cost the same.');
    // half of a nano-dollar is rounding
    const rounding = { ...DIFF, a: { ...DIFF.a, costUsd: 0 }, b: { ...DIFF.b, costUsd: 4e-10 } };
    expect(sumSentence(rounding)).toContain('both cost the same');
    expect(sumSentence({ ...rounding, b: { ...DIFF.b, costUsd: 1 } })).toContain('B costs $1.00 more (–)');
  });
});
