import { formatCount, formatDuration, formatShare } from '../../../core/base/format.js';
import type { WhyPageBreak, WhyPageData, WhyPageSession } from '../../page-data/why-page-data.js';
import { placeLink } from '../widgets/place.js';
import {
  createVirtualTable,
  type TableColumn,
  type TableOptions,
  type VirtualTable,
} from '../widgets/virtual-table.js';
import { money } from './money-views.js';

/** The address of a session, or of one of its requests, with the words that are searched for. */
export function whyLink(session: number, request: number | null, find = ''): string {
  return placeLink({ session: session + 1, request, find: find === '' ? null : find });
}

function amount(header: string, width: string, value: (row: number) => number): TableColumn {
  return {
    header,
    width,
    align: 'right',
    text: (row) => (value(row) === 0 ? '' : money(value(row))),
    value,
  };
}

function count(header: string, width: string, value: (row: number) => number): TableColumn {
  return { header, width, align: 'right', text: (row) => formatCount(value(row)), value };
}

function words(header: string, width: string, value: (row: number) => string): TableColumn {
  return { header, width, align: 'left', text: value, value, hint: value };
}

/** The list of breaks; each leads to its place. */
export function createBreaksTable(data: WhyPageData, onChoose: TableOptions['onChoose']): VirtualTable {
  const at = (row: number): WhyPageBreak => data.breaks[row]!;
  const session = (row: number): WhyPageSession => data.sessions[at(row).session]!;
  return createVirtualTable({
    id: 'break',
    label: 'Breaks',
    maxHeight: 360,
    onChoose,
    columns: [
      {
        ...words('what broke', 'minmax(190px, 1.2fr)', (row) => data.causes[at(row).cause]!.title),
        link: (row) => whyLink(at(row).session, at(row).request),
      },
      amount('cost', '74px', (row) => at(row).usd),
      amount('avoidable', '84px', (row) => at(row).avoidableUsd),
      count('tokens', '76px', (row) => at(row).tokens),
      {
        header: 'after',
        width: '74px',
        align: 'right',
        text: (row) => formatDuration(at(row).gapMs),
        value: (row) => at(row).gapMs ?? -1,
      },
      words('when (UTC)', '130px', (row) => at(row).at ?? ''),
      count('request', '68px', (row) => at(row).request),
      words('session', 'minmax(200px, 2fr)', (row) => session(row).name),
    ],
  });
}

/** The list of sessions. */
export function createSessionsTable(data: WhyPageData, onChoose: TableOptions['onChoose']): VirtualTable {
  const at = (row: number): WhyPageSession => data.sessions[row]!;
  return createVirtualTable({
    id: 'session',
    label: 'Sessions',
    maxHeight: 420,
    onChoose,
    columns: [
      {
        ...words('session', 'minmax(220px, 2fr)', (row) => at(row).name),
        link: (row) => whyLink(row, null),
      },
      words('project', 'minmax(110px, 1fr)', (row) => at(row).project),
      words('day', '84px', (row) => at(row).day ?? ''),
      count('requests', '74px', (row) => at(row).requests),
      {
        header: 'read',
        width: '64px',
        align: 'right',
        text: (row) => formatShare(at(row).hitRate),
        value: (row) => at(row).hitRate ?? -1,
      },
      amount('cost', '78px', (row) => at(row).usd),
      amount('in breaks', '78px', (row) => at(row).lostUsd),
      amount('avoidable', '84px', (row) => at(row).avoidableUsd),
      words('dearest break', 'minmax(150px, 1fr)', (row) => at(row).topBreak ?? 'no break'),
    ],
  });
}
