import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXCLUDING, KEEPING } from '../../../src/core/memory/heuristics.generated.js';
import { decidingRule, statementsIn } from '../../../src/core/memory/sentences.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGE = readFileSync(resolve(ROOT, 'docs/memory-rules.md'), 'utf8');

interface Labelled {
  readonly text: string;
  readonly keep: string | null;
  readonly class: string;
  readonly half: 'fit' | 'held-out';
}

const SENTENCES = readFileSync(resolve(ROOT, 'fixtures/memory-sentences.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled);

/** What the rules keep a labelled sentence as; null when they do not. */
function kept({ text }: Labelled): string | null {
  return statementsIn(text)[0]?.type ?? null;
}

function measure(half: Labelled['half']): string {
  const own = SENTENCES.filter((item) => item.half === half);
  const worth = own.filter(({ keep }) => keep !== null);
  const found = own.filter((item) => kept(item) !== null);
  const right = found.filter(({ keep }) => keep !== null);
  const typed = right.filter((item) => kept(item) === item.keep);
  const share = (part: number, whole: number): string => (part / whole).toFixed(2);
  const figures = [
    share(right.length, found.length),
    share(right.length, worth.length),
    share(typed.length, right.length),
  ];
  return `| ${half} | ${worth.length} | ${own.length - worth.length} | ${figures.join(' | ')} |`;
}

/** The rows of the page about a rule: its id, verdict and the two examples. */
const ROWS = [...PAGE.matchAll(/^\| ([XRFUP]\d+) \| (\S+) \| [^|]* \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, id, verdict, yes, no]) => ({ id: id!, verdict: verdict!, yes: yes!, no: no! }),
);

describe('the rules for memories on labelled sentences', () => {
  it('C32 there are at least 240 sentences, half of them held out, with all kinds in both', () => {
    expect(SENTENCES.length).toBeGreaterThanOrEqual(240);
    expect(new Set(SENTENCES.map(({ text }) => text)).size).toBe(SENTENCES.length);
    const kinds = (half: Labelled['half']) =>
      new Set(SENTENCES.filter((item) => item.half === half).map((item) => item.class));
    expect(kinds('held-out')).toEqual(kinds('fit'));
    for (const kind of ['thanks', 'task', 'listing', 'question', 'log', 'code', 'feedback', 'project'])
      expect(kinds('fit')).toContain(kind);
  });

  it.each(['fit', 'held-out'] as const)(
    'C32 precision and recall on the %s part are as the page says',
    (half) => {
      expect(PAGE).toContain(measure(half));
    },
  );

  it('C32 the page lists every rule in the order in which it is asked', () => {
    expect(ROWS.map(({ id, verdict }) => [id, verdict])).toEqual(
      [...EXCLUDING, ...KEEPING].map(({ id, verdict }) => [id, verdict]),
    );
  });

  it.each(ROWS)('C32 $id takes its example and leaves the other', ({ id, yes, no }) => {
    expect(decidingRule(yes)?.id).toBe(id);
    expect(decidingRule(no)?.id).not.toBe(id);
  });
});
