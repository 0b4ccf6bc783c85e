import { formatCount, formatCounted, printable } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { sum } from '../../../core/base/stats.js';
import type { Transcript } from '../../../core/model/transcript.js';
import { usesOf } from '../../../core/uses/find-uses.js';
import {
  ITEM_ORIGINS,
  type Item,
  type ItemOrigin,
  USE_KINDS,
  type Use,
  type UseKind,
} from '../../../core/uses/uses.js';
import * as doc from '../../../report/document/document.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { shortName, shortPath } from '../../../report/text/words.js';

const SHOWN_ITEMS = 10;
const PATH_CHARS = 44;

/** An item with how often it is needed. */
interface UsedItem extends Item {
  readonly thread: string;
  /** Calls that need it again, and the most calls between its first sight and one of them. */
  readonly times: number;
  readonly callsBetween: number;
  /** What its first use shows; null if it is only next to another one that is needed. */
  readonly what: string | null;
}

/** What the calls of a transcript need of earlier content. */
export interface UsesFacts {
  /** Uses by what shows them, and by what they are about. */
  readonly byKind: Readonly<Record<UseKind, number>>;
  readonly byOrigin: Readonly<Record<ItemOrigin, number>>;
  /** Tokens that were fetched again, and those of files that were edited meanwhile. */
  readonly rereadTokens: number;
  readonly staleTokens: number;
  readonly items: readonly UsedItem[];
  /** Items by their place in the list. */
  readonly uses: readonly (Use & { readonly thread: string })[];
}

/** Looks through the uses of a transcript; null if it carries no text. */
export function usesFacts(transcript: Transcript): UsesFacts | null {
  const threads = usesOf(transcript);
  if (threads === null) return null;
  const items: UsedItem[] = [];
  const uses: UsesFacts['uses'][number][] = [];
  for (const { thread, items: own, uses: needed } of threads) {
    const from = items.length;
    const times = own.map(() => 0);
    const between = own.map(() => 0);
    const what = own.map((): string | null => null);
    for (const use of needed) {
      times[use.item]!++;
      what[use.item] ??= use.what;
      between[use.item] = Math.max(between[use.item]!, use.at - own[use.item]!.seenAt);
      uses.push({ thread, ...use, item: from + use.item, holders: use.holders.map((item) => from + item) });
    }
    for (const [i, item] of own.entries())
      items.push({ thread, ...item, times: times[i]!, callsBetween: between[i]!, what: what[i]! });
  }
  return { ...counted(items, uses), items, uses };
}

function counted(
  items: UsesFacts['items'],
  uses: UsesFacts['uses'],
): Pick<UsesFacts, 'byKind' | 'byOrigin' | 'rereadTokens' | 'staleTokens'> {
  const of = <T extends string>(names: readonly T[], nameOf: (use: Use) => T) =>
    Object.fromEntries(
      names.map((name) => [name, uses.filter((use) => nameOf(use) === name).length]),
    ) as Record<T, number>;
  const tokens = (isStale: boolean): number =>
    sum(uses.filter((use) => use.kind === 'reread' && use.isStale === isStale).map((use) => use.tokens));
  return {
    byKind: of(USE_KINDS, ({ kind }) => kind),
    byOrigin: of(ITEM_ORIGINS, ({ item }) => items[item]!.origin),
    rereadTokens: tokens(false),
    staleTokens: tokens(true),
  };
}

const ITEMS: readonly doc.ColumnOf<UsedItem>[] = [
  doc.text('', ({ tool, origin }) => printable(tool ?? origin)),
  doc.text('file or needed content', ({ path, what }) =>
    path === null ? shortName(printable(what ?? ''), PATH_CHARS) : shortPath(printable(path), PATH_CHARS),
  ),
  doc.number('tokens', ({ tokens }) => tokens, formatCount),
  doc.number('times', ({ times }) => times, formatCount),
  doc.number('calls between', ({ callsBetween }) => callsBetween, formatCount),
];

function countsOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${formatCount(count)}`)
    .join(' · ');
}

/** What calls need of earlier content, of all transcripts together, and what that comes to. */
export function usesDocument(all: readonly (UsesFacts | null)[]): {
  readonly blocks: readonly doc.Block[];
  readonly closing: Conclusion;
} {
  const known = all.filter((each) => each !== null);
  if (known.length === 0)
    return {
      blocks: [],
      closing: {
        result: 'What calls need is unknown: no text is recorded.',
        advice: 'Without --uses ccbench inspect shows what is recorded.',
      },
    };
  const items = known.flatMap((each) => each.items).filter(({ times }) => times > 0);
  const of = (pick: (facts: UsesFacts) => number): number => sum(known.map(pick));
  const merged = (pick: (facts: UsesFacts) => Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.keys(pick(known[0]!)).map((name) => [name, of((each) => ownValue(pick(each), name) ?? 0)]),
    );
  const most = [...items].sort((a, b) => b.times - a.times || b.tokens - a.tokens).slice(0, SHOWN_ITEMS);
  const uses = formatCounted(
    of((each) => each.uses.length),
    'use',
  );
  const again = formatCount(of(({ rereadTokens }) => rereadTokens));
  const stale = formatCount(of(({ staleTokens }) => staleTokens));
  const unknown = all.length - known.length;
  return {
    blocks: [
      `by kind: ${countsOf(merged(({ byKind }) => byKind))}`,
      `by origin: ${countsOf(merged(({ byOrigin }) => byOrigin))}`,
      doc.section('What is needed most often', doc.table(ITEMS, most)),
      ...doc.notes([unknown > 0 && `${formatCounted(unknown, 'session')} left out: no text is recorded`]),
    ],
    closing: {
      result: `${uses} of ${formatCounted(items.length, 'item')}; ${again} tokens were read again unchanged, ${stale} after an edit.`,
      advice: 'ccbench why with the same names shows what compactions forgot, and what that cost.',
    },
  };
}
