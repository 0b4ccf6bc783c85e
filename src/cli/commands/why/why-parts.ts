import { countNew } from '../../../analysis/why/sum-up.js';
import type { Shard } from '../../../study/batches.js';
import { yieldToEventLoop } from '../../terminal/interrupt.js';
import { openPart } from '../columns/session-tables.js';
import type { CountedFile, ExplainedFile } from './explain-files.js';
import { REQUEST_COLUMNS, SESSION_COLUMNS } from './why-results.js';

/** What is written into a results folder. */
interface WhyRows {
  readonly explained: readonly ExplainedFile[];
  /** The same, as the report counts them. */
  readonly counted: readonly CountedFile[];
}

/** Writes the rows of sessions one session at a time; a call that a session before holds is in that one alone. */
export async function writeParts(
  folder: string,
  shard: Shard | undefined,
  { explained, counted }: WhyRows,
  interrupt: AbortSignal,
): Promise<void> {
  const sessions = await openPart(folder, 'sessions', shard);
  const requests = await openPart(folder, 'requests', shard);
  try {
    const seen = new Set<string>();
    for (const [i, each] of explained.entries()) {
      await yieldToEventLoop(interrupt);
      const session = counted[i]!.summed();
      sessions.add(SESSION_COLUMNS.map(({ of }) => of(session)));
      for (const request of countNew(each.session(), seen).requests)
        requests.add(REQUEST_COLUMNS.map(({ of }) => of({ session, request })));
    }
    // Requests first: a session is in the folder with all of its requests.
    requests.finish();
    sessions.finish();
  } finally {
    requests.discard();
    sessions.discard();
  }
}
