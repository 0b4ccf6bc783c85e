import { readModelTable } from '../../../config/files/model-table.js';
import { CcbenchError } from '../../../core/base/errors.js';
import type { PlannedModel } from '../../../core/run/run-plan.js';
import { withoutTariffs } from '../../../provider/prices/model-book.js';
import { modelsOf } from '../../../provider/prices/models.js';
import { readTextInput } from '../../../transcripts/files/read-input.js';
import type { GivenPrice } from '../../option-values.js';
import { type CliSession, inputOptions } from '../../session.js';

/** The models whose prices a user gives, those of `--price` over those of the file; null without any. */
export function givenModels(
  session: CliSession,
  { price = [], prices }: { readonly price?: readonly GivenPrice[]; readonly prices?: string },
): readonly PlannedModel[] | null {
  const table =
    prices === undefined ? [] : readModelTable(readTextInput(prices, inputOptions(session)), prices);
  const written = price.map(({ model, ...own }) => [model, { prices: own }] as const);
  const single = readModelTable(JSON.stringify(Object.fromEntries(written)), '--price');
  const ids = new Set(single.map(({ id }) => id));
  const all = [...table.filter(({ id }) => !ids.has(id)), ...single];
  return all.length === 0 ? null : all;
}

/** Refuses a price of a model that no request is of: whoever gave it expects something. */
export function refuseUnused(
  price: readonly GivenPrice[],
  models: readonly PlannedModel[],
  recorded: readonly string[],
): void {
  const book = modelsOf({ models });
  const known = new Set(recorded.map((name) => book.find(withoutTariffs(name))));
  const unused = price.find(({ model }) => !known.has(book.find(model)));
  if (unused === undefined) return;
  throw new CcbenchError('bad-usage', `--price ${unused.model}: no request is of this model`, {
    hint: `the sessions have ${[...recorded].sort().join(', ')}`,
  });
}
