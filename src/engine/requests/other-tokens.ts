import type { RunPlan } from '../../core/run/run-plan.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { modelsOf } from '../../provider/prices/models.js';
import type { RecordedModels } from './provider-of.js';

/** How a run on another model than the recorded one counts its tokens, and what that does to its cost where it is known. */
export interface OtherTokens {
  readonly message: string;
  readonly remedy: string | null;
}

/** The tokenizer is known to be that of the other: the table has how they compare for one vendor alone. */
function areComparable(a: ModelRow, b: ModelRow): boolean {
  return a.provider === b.provider && a.pricesAreKnown && b.pricesAreKnown;
}

/**
 * That a recording is run with the tokens its own model counted, though the plan's counts otherwise; null where both count alike. The
 * scale of the table is not applied: it is an average over texts, and prompts would no longer be those that were recorded.
 */
export function otherTokens(plan: RunPlan, { models, ofAgents }: RecordedModels): OtherTokens | null {
  if (plan.model === null) return null;
  const book = modelsOf(plan);
  const own = book.orUnknown(plan.model);
  // A plan's model takes the place of those of main threads; where agents have the same, nothing tells them apart.
  const main = models.filter((name) => !ofAgents.includes(name));
  const rows = [...new Set(main.length === 0 ? models : main)].map((name) => book.orUnknown(name));
  const row = rows.find(
    (each) => each.id !== own.id && (!areComparable(each, own) || each.tokenizerScale !== own.tokenizerScale),
  );
  if (row === undefined) return null;
  const taken = `prompts have as many tokens as ${row.id} counted when they were recorded`;
  if (!areComparable(row, own))
    return { message: `${taken}, whatever the tokenizer of ${own.id}`, remedy: null };
  const percent = Math.round((own.tokenizerScale / row.tokenizerScale - 1) * 100);
  return {
    message: `${taken}: ${own.id} counts about ${Math.abs(percent)} % ${percent > 0 ? 'more' : 'fewer'} for the same text`,
    remedy: `take its cost for about as much too ${percent > 0 ? 'low' : 'high'}`,
  };
}
