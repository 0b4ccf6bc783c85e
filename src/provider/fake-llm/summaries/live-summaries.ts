import { CcbenchError } from '../../../core/base/errors.js';
import { formatCount, formatMoney } from '../../../core/base/format.js';
import { NO_USAGE, type Usage } from '../../../core/model/usage.js';
import type { ModelRow } from '../../prices/model-row.js';
import { priceUsage } from '../../prices/price.js';
import { type LiveOptions, openLiveApi } from '../live-api.js';
import type { Cassette, CassetteAnswer, UnknownRequest } from './cassette.js';

/** Asks the API for summaries, within a budget. */
export interface LiveSummaries {
  /** The answer to a request. Throws before the cassette's answers can cost more than the budget together. */
  write(
    unknown: UnknownRequest,
    cassette: Cassette,
    budgetUsd: number,
    atMs: number,
  ): Promise<CassetteAnswer>;
}

const HINT = 'answers so far are kept in the cassette; --set llm.mode=cassette takes no others';

function usdOf(row: ModelRow, usage: Usage, atMs: number): number {
  return priceUsage(row, usage, atMs).totalNano / 1e9;
}

function checkModel({ row, request }: UnknownRequest): void {
  if (row.pricesAreKnown) return;
  throw new CcbenchError('not-supported', `no price is known for ${request.model}: no budget can be kept`, {
    hint: 'name another with llm.model, or add its prices under `models:`',
  });
}

/** Opens the API for summaries. */
export async function openLiveSummaries(options: LiveOptions): Promise<LiveSummaries> {
  const { client, call } = await openLiveApi(options);
  const { signal } = options;
  return {
    async write(unknown, cassette, budgetUsd, atMs) {
      checkModel(unknown);
      const { key, request, row } = unknown;
      const { max_tokens, ...prompt } = request;
      const messages = [...request.messages];
      const { input_tokens } = await call('the API did not count a summary request', HINT, () =>
        client.messages.countTokens({ ...prompt, messages }, { signal }),
      );
      const worstUsd = usdOf(row, { ...NO_USAGE, input: input_tokens, output: max_tokens }, atMs);
      if (cassette.usd + worstUsd > budgetUsd)
        throw overBudget(
          cassette,
          worstUsd,
          budgetUsd,
          `${formatCount(input_tokens)} + ${formatCount(max_tokens)}`,
        );
      const reply = await call('the API did not write a summary', HINT, () =>
        client.messages.stream({ ...request, messages }, { signal }).finalMessage(),
      );
      const text = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      const { usage } = reply;
      const billed = { ...NO_USAGE, input: usage.input_tokens, output: usage.output_tokens };
      return {
        key,
        model: request.model,
        text,
        stopReason: reply.stop_reason ?? 'end_turn',
        usage: { input: billed.input, output: billed.output },
        usd: usdOf(row, billed, atMs),
      };
    },
  };
}

function overBudget(cassette: Cassette, worstUsd: number, budgetUsd: number, tokens: string): CcbenchError {
  const needed = Math.ceil((cassette.usd + worstUsd) * 100) / 100;
  return new CcbenchError(
    'bad-value',
    `the budget for summaries is ${formatMoney(budgetUsd)}: ${formatMoney(cassette.usd)} is spent, and the next may cost up to ${formatMoney(worstUsd)} (${tokens} tokens)`,
    {
      place: { file: cassette.file },
      hint: `--set llm.budgetUsd=${needed} lets it go on; answers so far are kept in the cassette and are not paid for again`,
    },
  );
}
