import { chainDigest, type Digest, digestParts } from '../../core/base/digest.js';
import type { PrefixView } from '../../core/model/prefix.js';
import {
  HASH_BLOCK_TOKENS,
  isOfLoop,
  type RequestTrace,
  type SentRequest,
  type TraceRequest,
} from '../../core/model/request-trace.js';
import { countCalls, type Transcript, withoutSummaryForks } from '../../core/model/transcript.js';
import type { RequestEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { NO_TIMING, type RequestListener } from '../../engine/requests/run-env.js';
import { replayParts } from '../../engine/run/replay.js';
import { withoutTariffs } from '../../provider/prices/model-book.js';
import { findModel, modelsOf } from '../../provider/prices/models.js';
import { changedPlan } from '../what-if.js';

/** Whose a model is that the table does not know. */
const UNKNOWN_PROVIDER = 'unknown';

/** Hears of recorded calls that a replay does not make, and why. */
export type LeftOutListener = (calls: number, reason: string) => void;

/** What is known of the cache: of all requests, or of those whose response carries usage. */
interface Told {
  readonly of: 'all' | 'with-usage';
  readonly reads: boolean;
  readonly writes: boolean;
}

const EVERYTHING: Told = { of: 'all', reads: true, writes: true };

/** The requests of a run, in the order in which they are sent, in short parts. */
export function* plannedRequests(
  plan: RunPlan,
  transcript: Transcript,
  onLeftOut: LeftOutListener = () => {},
  tells: Told = EVERYTHING,
): Generator<readonly SentRequest[], void, void> {
  const models = modelsOf(plan);
  let hashIds: readonly number[] = [];
  let isBilled = true;
  let found: SentRequest[] = [];
  const sentOf = ({ t, latencyMs, model, ...entry }: RequestEntry): SentRequest => ({
    thread: entry.thread,
    purpose: entry.purpose,
    startMs: t,
    endMs: t + latencyMs,
    provider: transcript.provider ?? models.find(model)?.provider ?? UNKNOWN_PROVIDER,
    model: withoutTariffs(model),
    promptTokens: entry.prompt,
    outputTokens: entry.output,
    readTokens: isBilled && tells.reads ? entry.read : null,
    writtenTokens: isBilled && tells.writes ? entry.write5m + entry.write1h : null,
    ...(isBilled ? {} : { isEstimated: true }),
    hashIds,
  });
  const sink = {
    write(entry: LogEntry) {
      if (entry.type === 'request') found.push(sentOf(entry));
      else if (entry.type === 'lost' || entry.type === 'ended') onLeftOut(entry.calls, entry.reason);
    },
  };
  // The prompt changes once it is sent; the log entry of an answered request comes right behind it.
  const onRequest: RequestListener = (_thread, { view, adjust }) => {
    hashIds = blockIds(view);
    isBilled = tells.of === 'all' || adjust !== null;
  };
  for (const _ of replayParts(plan, transcript, sink, NO_TIMING, { onRequest })) {
    yield found;
    found = [];
  }
  yield found;
}

/** The requests that a recording shows, with its sizes, times and usage: it is replayed as its own client, which rebuilds each prompt. */
export function* recordedRequests(
  transcript: Transcript,
  onLeftOut: LeftOutListener,
): Generator<readonly SentRequest[], void, void> {
  const summaries = countCalls(transcript) - countCalls(withoutSummaryForks(transcript));
  if (summaries > 0) onLeftOut(summaries, 'a replay cannot rebuild the prompts of summary requests');
  const { carries } = transcript;
  const tells: Told = {
    of: carries.includes('usage') ? 'with-usage' : 'all',
    reads: carries.includes('usage'),
    writes: carries.includes('cache-writes'),
  };
  for (const part of plannedRequests(changedPlan(transcript), transcript, onLeftOut, tells))
    yield part.filter(isOfLoop);
}

/** The requests of a request trace, whose prompts are block ids already, by time. */
export function tracedRequests(trace: RequestTrace): readonly SentRequest[] {
  const scope = trace.hashScope === 'global' ? 1 : digestParts([trace.id]);
  return trace.threads
    .flatMap(({ id, parentId, requests }) =>
      requests.map((request, i): SentRequest => {
        const { startMs, model, promptTokens, outputTokens, apiMs } = request;
        return {
          thread: id,
          purpose: parentId === null ? 'main' : 'subagent',
          startMs,
          endMs: startMs + (apiMs ?? 0),
          provider: findModel(model)?.provider ?? UNKNOWN_PROVIDER,
          model,
          promptTokens,
          outputTokens,
          readTokens: null,
          writtenTokens: null,
          hashIds: blockIds(promptOf(request, trace.blockSize, scope, digestParts([trace.id, id, i]))),
        };
      }),
    )
    .sort((a, b) => a.startMs - b.startMs);
}

/** A prompt of a trace; what its ids leave over at the end is its own. */
function promptOf(
  { hashIds, promptTokens }: TraceRequest,
  blockSize: number,
  scope: Digest,
  own: Digest,
): DigestedPrompt {
  const digests: number[] = [];
  const sums: number[] = [];
  let digest = scope;
  for (let i = 0; i < hashIds.length && (i + 1) * blockSize <= promptTokens; i++) {
    digest = chainDigest(digest, hashIds[i]!);
    digests.push(digest);
    sums.push((i + 1) * blockSize);
  }
  if ((sums.at(-1) ?? 0) < promptTokens) {
    digests.push(chainDigest(digest, own));
    sums.push(promptTokens);
  }
  return { length: sums.length, digests, sums };
}

/** A prompt as positions with chained digests and running sums. */
export type DigestedPrompt = Pick<PrefixView, 'length' | 'digests' | 'sums'>;

/**
 * The ids of a prompt's blocks of tokens. A digest covers everything up to the end of its position, so an id depends on all
 * content before the block's end, and on no more than the position that the end lies in.
 * @internal
 */
export function blockIds({ length, digests, sums }: DigestedPrompt): readonly number[] {
  const tokens = length === 0 ? 0 : sums[length - 1]!;
  const ids: number[] = [];
  let position = 0;
  for (let start = 0; start < tokens; start += HASH_BLOCK_TOKENS) {
    const end = Math.min(start + HASH_BLOCK_TOKENS, tokens);
    while (sums[position]! < end) position++;
    const inside = end - (position === 0 ? 0 : sums[position - 1]!);
    ids.push(chainDigest(digests[position]!, inside));
  }
  return ids;
}
