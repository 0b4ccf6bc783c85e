import { describe, expect, it } from 'vitest';
import type { EndEntry, LogEntry } from '../../../src/core/run/run-log.js';
import { evaluateExpectation, parseExpectation } from '../../../src/metrics/expect.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { plainStyle, textWidth } from '../../../src/report/text/table.js';
import { terminalReport } from '../../../src/report/text/terminal.js';
import {
  breakEntry,
  crossingEntry,
  endEntry,
  faultEntry,
  layerEntry,
  requestEntry,
  runEntry,
  threadEntry,
} from '../../helpers/log.js';

const BODY: LogEntry[] = [
  runEntry({ name: 'back-from-lunch' }),
  threadEntry(),
  requestEntry({
    n: 1,
    write5m: 150_000,
    output: 1_200,
    writeCost: 9_000_000_000,
    outputCost: 1_000_000_000,
  }),
  breakEntry({ cause: 'ttl-5m', lostTokens: 107_000 }),
  breakEntry({ cause: 'compaction', expected: true, lostTokens: 150_000 }),
  layerEntry({
    saved: 120_000,
    cacheLost: 150_000,
    calls: 1,
    cost: 2_500_000_000,
    details: { overshoot: 321 },
  }),
  layerEntry({ turn: 8, outcome: 'failed', failure: 'prompt_too_long' }),
  crossingEntry(),
  crossingEntry({ turn: 3 }),
  crossingEntry({ turn: 5, state: 'made' }),
  { type: 'breaker', t: 0, thread: 'main', turn: 9, failures: 3, state: 'tripped' },
  { type: 'skipped', what: 'dreaming', needs: 'timestamps' },
  { type: 'warning', code: 'w', message: 'No recorded usage.', remedy: 'Record it.', count: 3 },
  requestEntry({
    n: 2,
    turn: 2,
    read: 140_000,
    write1h: 10_000,
    readCost: 2_000_000_000,
    writeCost: 500_000_000,
    rewriteCost: 250_000_000,
    cause: 'ttl-5m',
  }),
];
const FACTS = foldLog([...BODY, endEntry(BODY)]);
const EXPECTATIONS = ['cacheHitRate >= 90%', 'apiCalls == 2', 'estimatorRatio < 2'].map((text) =>
  evaluateExpectation(parseExpectation(text, null), FACTS),
);
const report = (width: number): string =>
  terminalReport({ digest: 'f00d', facts: FACTS, expectations: EXPECTATIONS }, { width, style: plainStyle });

it('says what was needed and gone, and how much of that no choice avoids', () => {
  const text = { ...runEntry().transcript, source: 'claude-code', carries: ['text'] };
  const shown = (least: Partial<EndEntry>) => {
    const body = [runEntry({ transcript: text }), requestEntry(), faultEntry({ cost: 8e9 }), faultEntry()];
    const facts = foldLog([...body, endEntry(body, least)]);
    return terminalReport({ digest: null, facts, expectations: [] }, { width: 80, style: plainStyle });
  };
  const some = shown({ leastFaults: 1, leastRefetchTokens: 100, leastRefetchCost: 2e9 });
  expect(some).toMatch(/^ {2}needed and gone +1 {2}0 to 2 times, depending on what summaries keep$/m);
  expect(some).toMatch(/^ {4}to fetch again +\$4\.00 {2}at least \$2\.00, whatever summaries keep$/m);
  expect(some).toMatch(/^ {4}avoidable +50\.0% {2}at least 1 times, whatever summaries keep$/m);
  const none = shown({ leastFaults: 0, leastRefetchTokens: 0, leastRefetchCost: 0 });
  expect(none).toMatch(/^ {4}avoidable +100\.0% {2}in this window$/m);
  expect(shown({})).not.toContain('avoidable');
});

describe('terminalReport', () => {
  const text = report(100);

  it.each([
    ['the title', /^back-from-lunch {2}claude-code\/2026 · claude-sonnet-4-5 · t1 \(synthetic\) · seed 7$/m],
    ['requests by purpose', /^ {2}answered +2 +main 2$/m],
    ['the prompt', /^ {2}prompt +300,000$/m],
    ['CCH-3 writes by lifetime', /^ {2}cache written +160,000 +53\.3% {2}5m 150,000, 1h 10,000$/m],
    ['the cache-hit rate', /^ {2}cache-hit rate +46\.7%$/m],
    ['WIN-8 the overshoot', /^ {2}overshoot +321 /m],
    ['the peak context', /^ {2}peak +151,200 +of a window of 200,000$/m],
    ['the breaker', /^ {2}breaker trips +1/m],
    ['the total cost', /^ {2}total +\$12\.50 +\$6\.25 per turn$/m],
    ['the cost of rewrites', /^ {2}rewrite:ttl-5m +\$0\.25 +2\.0%$/m],
    [
      'LOP-3 C9 what a layer keeps out at the end, and over the requests',
      /^ {2}full-compact +2 +1 +1 +120,000 +120,000 +0 +150,000 +1 +\$2\.50$/m,
    ],
    ['LOP-3 C10 what layers prevented', /^ {2}prevented +1 +1 more only deferred$/m],
    ['failures', /^ {2}failures: prompt_too_long 1$/m],
    ['unexpected breaks', /^ {2}ttl-5m +1 +107,000$/m],
    ['expected breaks', /^ {2}compaction +1 +150,000 {2}expected$/m],
    ['failed expectations', /^ {2}✗ {2}cacheHitRate >= 90% +46\.7%$/m],
    ['kept expectations', /^ {2}✓ {2}apiCalls == 2 +2$/m],
    ['expectations without data', /^ {2}✗ {2}estimatorRatio < 2 +no data$/m],
    ['skipped rows', /^ {2}dreaming: needs timestamps$/m],
    ['warnings with their remedy', /^ {2}No recorded usage\. \(3 times\)\n {2}→ Record it\.$/m],
    ['the digest', /^digest f00d\n$/m],
  ])('shows %s', (_, pattern) => {
    expect(text).toMatch(pattern);
  });

  it('fits narrow screens by dropping columns and keeps every key whole', () => {
    const narrow = report(44);
    for (const line of narrow.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(44);
    for (const key of ['cache-hit rate', 'rewrite:ttl-5m', 'full-compact', 'breaker trips'])
      expect(narrow).toContain(key);
    expect(narrow).toMatch(/^ {2}full-compact +2 .*120,000/m);
    expect(narrow).toMatch(/^ {2}cache read +140,000 +46\.7%$/m);
    expect(narrow).toMatch(/^ {2}peak +151,200$/m);
  });

  it('leaves no trailing spaces', () => {
    expect(text).not.toMatch(/ $/m);
  });

  it('marks failures in red and only the mark of a success in green', () => {
    const style = { ...plainStyle, red: (s: string) => `<r>${s}</r>`, green: (s: string) => `<g>${s}</g>` };
    const coloured = terminalReport(
      { digest: null, facts: FACTS, expectations: EXPECTATIONS },
      { width: 100, style },
    );
    expect(coloured).toMatch(/<r> {2}✗ {2}cacheHitRate >= 90%.*<\/r>/);
    expect(coloured).toMatch(/^ {2}<g>✓<\/g> {2}apiCalls == 2/m);
  });

  it('says when a run did not finish, and shows dashes for what it cannot know', () => {
    const empty = terminalReport(
      { digest: null, facts: foldLog([runEntry()]), expectations: [] },
      { width: 80, style: plainStyle },
    );
    expect(empty).toContain('did not finish, and');
    expect(empty).toMatch(/^ {2}cache-hit rate +–$/m);
    expect(empty).not.toContain('Cost');
    expect(empty).not.toContain('NaN');
  });

  it('passes no control characters of a transcript on to the terminal', () => {
    const facts = foldLog([
      runEntry({ name: 'x\u001b]0;title\u0007' }),
      { type: 'warning', code: 'w', message: '\u001b[2J', remedy: null, count: 1 },
    ]);
    expect(
      terminalReport({ digest: null, facts, expectations: [] }, { width: 80, style: plainStyle }),
    ).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
