import type { SourceBy } from '../../../analysis/why/source-kinds.js';
import type { WhyReport } from '../../../analysis/why/sum-up.js';
import type { WhyPageSources } from '../../../report/page-data/why-page-data.js';
import { againSentences, sourceRows, timesPaid } from './sources-document.js';

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
  };
}
