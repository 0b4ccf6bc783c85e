import {
  KIND_ORDER,
  SOURCE_KINDS,
  type SourceBy,
  type SourceKind,
} from '../../../analysis/why/source-kinds.js';
import { filledPrompts } from '../../../analysis/why/sources.js';
import type { Counted, WhyReport } from '../../../analysis/why/sum-up.js';
import { BREAK_COLORS, DISTINCT } from '../../../report/charts/palette.js';
import type { ChartedRun } from '../../../report/page-data/page-data.js';
import type { WhyPageFill, WhyPageSources } from '../../../report/page-data/why-page-data.js';
import { againSentences, sourceRows, timesPaid } from './sources-document.js';

/** Colour of each kind of source; those that often touch in a prompt are far apart. */
const COLORS: Readonly<Record<SourceKind, string>> = {
  system: BREAK_COLORS['not-readable-yet'],
  definitions: DISTINCT.grey,
  opening: BREAK_COLORS.rounding,
  instructions: BREAK_COLORS.system,
  user: DISTINCT.yellow,
  command: BREAK_COLORS.tools,
  skill: BREAK_COLORS.collapse,
  hook: BREAK_COLORS.snip,
  reminder: BREAK_COLORS.microcompaction,
  file: BREAK_COLORS.messages,
  tool: DISTINCT.blue,
  mcp: DISTINCT.sky,
  model: DISTINCT.orange,
  summary: DISTINCT.green,
  unrecorded: BREAK_COLORS.lookback,
  subagent: DISTINCT.vermilion,
};

/** What fills the context, as the page shows it. */
export function pageSources({ sources }: WhyReport, by: SourceBy, home: string): WhyPageSources {
  return {
    rows: sourceRows(sources, by, home).map(({ title, kind, tokens, carriedTokens, usd, share }) => ({
      title,
      kind,
      tokens,
      times: timesPaid({ tokens, carriedTokens }),
      usd,
      share,
    })),
    notes: againSentences(sources),
    kinds: KIND_ORDER.map((kind) => ({ title: SOURCE_KINDS[kind], color: COLORS[kind] })),
  };
}

/** Tokens of each kind in the prompts of a session that a page draws. */
export function pageFill(
  { session, requests }: Counted,
  { requests: shown, leftOut }: ChartedRun,
): WhyPageFill {
  const filled = filledPrompts({ tape: session.tape, requests });
  const columns = KIND_ORDER.map((kind) => {
    let before = 0;
    return shown.t.map((_t, i) => {
      const request = requests[(leftOut?.n[i] ?? i + 1) - 1]!;
      const tokens = filled.get(request)?.get(kind) ?? 0;
      const grown = tokens - before;
      before = tokens;
      return grown;
    });
  });
  return columns.flatMap((grown, kind) => (grown.some((tokens) => tokens !== 0) ? [{ kind, grown }] : []));
}
