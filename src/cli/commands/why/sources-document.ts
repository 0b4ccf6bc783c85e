import type { SourceBy } from '../../../analysis/why/name-sources.js';
import type { SourceSum } from '../../../analysis/why/sources.js';
import { formatCount, formatMoney, formatShare, printable } from '../../../core/base/format.js';
import { ratio, sum } from '../../../core/base/stats.js';
import { SOURCE_KINDS } from '../../../core/model/source-kind.js';
import * as doc from '../../../report/document/document.js';
import { shortPath } from '../../../report/text/words.js';
import { belowHome } from '../../files/chosen-sessions.js';
import { money, NAME_CHARS } from './why-cells.js';

/** Rows of the table, the last of them for everything else. */
const MOST_ROWS = 10;

/** Kinds that are named in a sentence. */
const MOST_KINDS = 4;

const TITLE = 'What fills the context';

/** What is looked for where names of one kind are asked for. */
const ONE_OF: Readonly<Record<Exclude<SourceBy, 'source' | 'kind'>, string>> = {
  tool: 'a tool',
  mcp: 'an MCP server',
  file: 'a file by name',
  skill: 'a skill',
  subagent: 'a subagent',
  hook: 'a hook',
  instructions: 'an instruction file by name',
  command: 'a slash command',
};

/** A row of the table: a source, or several together. */
interface SourceRow extends Pick<SourceSum, 'tokens' | 'carriedTokens' | 'usd' | 'share'> {
  readonly title: string;
  readonly kind: string;
}

function rowOf(source: SourceSum, home: string): SourceRow {
  const title = source.name === null ? SOURCE_KINDS[source.kind] : printable(belowHome(source.name, home));
  const kind = SOURCE_KINDS[source.kind];
  return { ...source, title: shortPath(title, NAME_CHARS), kind: title === kind ? '' : kind };
}

function together(title: string, sources: readonly SourceSum[]): readonly SourceRow[] {
  if (sources.length === 0) return [];
  const of = (pick: (own: SourceSum) => number): number => sum(sources.map(pick));
  return [
    {
      title,
      kind: '',
      tokens: of(({ tokens }) => tokens),
      carriedTokens: of(({ carriedTokens }) => carriedTokens),
      usd: of(({ usd }) => usd),
      share: of(({ share }) => share ?? 0),
    },
  ];
}

/** The most expensive sources, and the rest in one row; where names of one kind are asked for, those that have one. */
export function sourceRows(sources: readonly SourceSum[], by: SourceBy, home: string): readonly SourceRow[] {
  const isListed = ({ name }: SourceSum): boolean => by === 'kind' || name !== null;
  const listed = sources.filter(isListed);
  const others = sources.filter((source) => !isListed(source));
  const room = MOST_ROWS - (others.length === 0 && listed.length <= MOST_ROWS ? 0 : 1);
  const rest = [...listed.slice(room), ...others];
  const more = others.length === 0 ? `${formatCount(rest.length)} more` : 'everything else';
  return [...listed.slice(0, room).map((source) => rowOf(source, home)), ...together(more, rest)];
}

const KIND: doc.ColumnOf<SourceRow> = doc.text('kind', ({ kind }) => kind, 1);

const COLUMNS: readonly doc.ColumnOf<SourceRow>[] = [
  doc.text('', ({ title }) => title),
  doc.number('tokens', ({ tokens }) => tokens, formatCount),
  doc.amount('times paid', (row) => timesPaid(row), 2),
  doc.number('cost', ({ usd }) => usd, money),
  doc.number('share', ({ share }) => share, formatShare, 3),
];

/** How often a token of a source was paid for, on average. */
export function timesPaid({ tokens, carriedTokens }: Pick<SourceSum, 'tokens' | 'carriedTokens'>): string {
  const times = ratio(carriedTokens, tokens);
  return times === null ? '' : formatCount(Math.round(times));
}

/** What was read again though nothing had changed; nothing if nothing was. */
export function againSentences(sources: readonly SourceSum[]): readonly string[] {
  const tokens = sum(sources.map(({ againTokens }) => againTokens));
  if (tokens === 0) return [];
  const usd = sum(sources.map(({ againUsd }) => againUsd));
  return [
    `${formatCount(tokens)} tokens were read again although nothing had changed: ${formatMoney(usd)} until they left the context.`,
  ];
}

/** What fills the context and what it costs until it leaves; nothing if there are no sources. */
export function sourcesBlock(sources: readonly SourceSum[], by: SourceBy, home: string): doc.Block {
  const rows = sourceRows(sources, by, home);
  if (rows.length === 0) return false;
  if (by !== 'source' && by !== 'kind' && sources.every(({ name }) => name === null))
    return doc.answer(TITLE, doc.inset(`No request of these sessions shows ${ONE_OF[by]}.`));
  return doc.section(
    TITLE,
    doc.table(by === 'source' ? [COLUMNS[0]!, KIND, ...COLUMNS.slice(1)] : COLUMNS, rows),
    ...againSentences(sources).map((sentence) => doc.inset(sentence)),
  );
}

/** The same in a sentence that names kinds alone. */
export function filledSentences(sources: readonly SourceSum[]): readonly string[] {
  const paid = sources.filter(({ usd }) => usd > 0);
  if (paid.length === 0) return [];
  const parts = paid
    .slice(0, MOST_KINDS)
    .map(({ kind, usd, share }) => `${SOURCE_KINDS[kind]} ${formatMoney(usd)} (${formatShare(share)})`);
  return [`What filled the context: ${parts.join(', ')}.`];
}
