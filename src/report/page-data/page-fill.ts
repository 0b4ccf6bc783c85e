import { printable } from '../../core/base/format.js';
import { sum } from '../../core/base/stats.js';
import { KIND_ORDER, type PromptFills, SOURCE_KINDS } from '../../core/model/source-kind.js';
import { OTHER_TOOLS_COLOR, SOURCE_COLORS, TOOL_COLORS } from '../charts/palette.js';
import type { PageFill } from './page-data.js';

/** A part of the chart with the columns that it sums up. */
interface Part {
  readonly title: string;
  readonly color: string;
  readonly columns: readonly number[];
}

/** The tools with most tokens, each by its name, and the others together. */
function toolParts(
  columns: readonly number[],
  titles: readonly (string | null)[],
  totals: readonly number[],
) {
  const ranked = [...columns].sort((a, b) => totals[b]! - totals[a]!);
  const own = ranked.filter((column) => titles[column] !== null).slice(0, TOOL_COLORS.length);
  const others = ranked.filter((column) => !own.includes(column));
  const parts = own.map((column, i): Part => {
    const title = `tool ${printable(titles[column]!)}`;
    return { title, color: TOOL_COLORS[i]!, columns: [column] };
  });
  return [...parts, { title: 'other tools', color: OTHER_TOOLS_COLOR, columns: others }];
}

/** The parts that prompts are stacked from, what stands in front of a prompt first. */
function partsOf(columns: PromptFills<unknown>['columns'], totals: readonly number[]): readonly Part[] {
  const titles = columns.map(({ name }) => name);
  return KIND_ORDER.flatMap((kind) => {
    const own = columns.flatMap((column, i) => (column.kind === kind && totals[i]! > 0 ? [i] : []));
    if (own.length === 0) return [];
    if (kind === 'tool') return toolParts(own, titles, totals);
    return [{ title: SOURCE_KINDS[kind], color: SOURCE_COLORS[kind], columns: own }];
  });
}

/** What fills the prompts of the requests that a page draws; a request of which that is unknown has nothing. */
export function pageFill<Request>(
  { columns, of }: PromptFills<Request>,
  shown: readonly Request[],
): PageFill {
  const held = shown.map((request) => of.get(request) ?? []);
  const totals = columns.map((_column, i) => sum(held.map((tokens) => tokens[i] ?? 0)));
  const parts = partsOf(columns, totals).filter((part) => part.columns.length > 0);
  return parts.map(({ title, color, columns: own }) => {
    let before = 0;
    const grown = held.map((tokens) => {
      const now = sum(own.map((i) => tokens[i] ?? 0));
      const more = now - before;
      before = now;
      return more;
    });
    return { title, color, grown };
  });
}
