import { formatCount, formatDuration, formatShare } from '../../../core/base/format.js';
import type {
  WhyPageBreak,
  WhyPageCompaction,
  WhyPageData,
  WhyPageSession,
} from '../../page-data/why-page-data.js';
import { placeLink } from '../widgets/place.js';
import {
  blankZero,
  createVirtualTable,
  numberColumn,
  type TableOptions,
  textColumn,
  type VirtualTable,
} from '../widgets/virtual-table.js';
import { money } from './money-views.js';

/** The address of a session, or of one of its requests, with the words that are searched for. */
export function whyLink(session: number, request: number | null, find = ''): string {
  return placeLink({ session: session + 1, request, find: find === '' ? null : find });
}

const amount = blankZero(money);

/** The list of breaks; each leads to its place. */
export function createBreaksTable(data: WhyPageData, onChoose: TableOptions['onChoose']): VirtualTable {
  const at = (row: number): WhyPageBreak => data.breaks[row]!;
  const cause = textColumn('what broke', 'minmax(190px, 1.2fr)', (row) => data.causes[at(row).cause]!.title);
  return createVirtualTable({
    id: 'break',
    label: 'Breaks',
    maxHeight: 360,
    onChoose,
    columns: [
      { ...cause, link: (row) => whyLink(at(row).session, at(row).request) },
      numberColumn('cost', '74px', (row) => at(row).usd, amount),
      numberColumn('avoidable', '84px', (row) => at(row).avoidableUsd, amount),
      numberColumn('tokens', '76px', (row) => at(row).tokens),
      numberColumn(
        'after',
        '74px',
        (row) => at(row).gapMs ?? -1,
        (ms) => formatDuration(ms < 0 ? null : ms),
      ),
      textColumn('when (UTC)', '130px', (row) => at(row).at ?? ''),
      numberColumn('request', '68px', (row) => at(row).request),
      textColumn('session', 'minmax(200px, 2fr)', (row) => data.sessions[at(row).session]!.name),
    ],
  });
}

/** The list of compactions; each leads to the first request behind it. */
export function createCompactionsTable(data: WhyPageData, onChoose: TableOptions['onChoose']): VirtualTable {
  const at = (row: number): WhyPageCompaction => data.compactions[row]!;
  const name = textColumn('session', 'minmax(160px, 1.4fr)', (row) => data.sessions[at(row).session]!.name);
  const size = (header: string, pick: (own: WhyPageCompaction) => number | null) =>
    numberColumn(
      header,
      '72px',
      (row) => pick(at(row)) ?? -1,
      (tokens) => formatCount(tokens < 0 ? null : tokens),
    );
  return createVirtualTable({
    id: 'compaction',
    label: 'Compactions',
    maxHeight: 300,
    onChoose,
    columns: [
      { ...name, link: (row) => whyLink(at(row).session, at(row).request) },
      textColumn('when (UTC)', '124px', (row) => at(row).at ?? ''),
      textColumn('by', '60px', (row) => at(row).trigger),
      size('from', ({ tokensBefore }) => tokensBefore),
      size('to', ({ tokensAfter }) => tokensAfter),
      numberColumn('read again', '92px', (row) => at(row).rereadTokens),
      numberColumn('before', '68px', (row) => at(row).rereadBefore),
      numberColumn('cost', '66px', (row) => at(row).rereadUsd, amount),
      numberColumn('carried', '70px', (row) => at(row).carriedUsd, amount),
      numberColumn('items', '56px', (row) => at(row).lost, blankZero(formatCount)),
      textColumn('missing', 'minmax(150px, 2fr)', (row) => at(row).missing),
    ],
  });
}

/** The list of sessions. */
export function createSessionsTable(data: WhyPageData, onChoose: TableOptions['onChoose']): VirtualTable {
  const at = (row: number): WhyPageSession => data.sessions[row]!;
  const name = textColumn('session', 'minmax(220px, 2fr)', (row) => at(row).name);
  return createVirtualTable({
    id: 'session',
    label: 'Sessions',
    maxHeight: 420,
    onChoose,
    columns: [
      { ...name, link: (row) => whyLink(row, null) },
      textColumn('project', 'minmax(110px, 1fr)', (row) => at(row).project),
      textColumn('day', '84px', (row) => at(row).day ?? ''),
      numberColumn('requests', '74px', (row) => at(row).requests),
      numberColumn(
        'read',
        '64px',
        (row) => at(row).hitRate ?? -1,
        (rate) => formatShare(rate < 0 ? null : rate),
      ),
      numberColumn('cost', '78px', (row) => at(row).usd, amount),
      numberColumn('in breaks', '78px', (row) => at(row).lostUsd, amount),
      numberColumn('avoidable', '84px', (row) => at(row).avoidableUsd, amount),
      textColumn('most expensive break', 'minmax(150px, 1fr)', (row) => at(row).topBreak ?? 'no break'),
    ],
  });
}
