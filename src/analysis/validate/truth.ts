import { type BehavioursAt, type CallPlan, planCalls } from '../../agent/client/call-plan.js';
import type { Block } from '../../core/model/block.js';
import { isSpoken, messageTokens } from '../../core/model/message.js';
import type { RecordedCall, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens, type Usage } from '../../core/model/usage.js';
import { isLoss } from '../../core/run/warning.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { priceTimes } from '../../provider/prices/price.js';
import { EARLIER_HISTORY } from '../../transcripts/drafts/opening.js';
import { transcriptFindings } from '../../transcripts/lines/findings.js';
import { COPY_MS } from '../../transcripts/readers/codex/rollout.js';

/** What happens to the prompt before a request: it goes on, its messages are made again, or its prefix is too. */
type Rebuild = 'none' | 'messages' | 'prefix';

/** Why a prompt was rebuilt, as the transcript tells it. */
export type RebuildCause = 'compaction' | 'microcompaction' | 'clear' | 'resume' | 'version' | 'tools';

/** One request of a thread with what the transcript tells about it in advance. */
export interface RequestPlan {
  readonly request: RecordedRequest;
  readonly client: CallPlan;
  readonly rebuild: Rebuild;
  readonly cause: RebuildCause | null;
  /** The conversation before it was replaced: what stands there now is written however warm the cache is, by whatever process. */
  readonly replaced: 'compaction' | 'clear' | null;
  /** Blocks since the previous request, those of thinking not counted: its response and what followed it. */
  readonly blocks: number;
  /** Whether somebody spoke since the previous request. */
  readonly spoken: 'spoken' | 'silent';
  /** What the response adds to the prompt. */
  readonly response: { readonly tokens: number; readonly blocks: number };
}

const FRESH_CAUSE = { process: 'resume', version: 'version', tools: 'tools' } as const;

function recordedCause(event: ThreadEvent): RebuildCause | null {
  switch (event.kind) {
    case 'recorded-compaction':
      return 'compaction';
    case 'recorded-microcompact':
      return 'microcompaction';
    case 'clear':
      return 'clear';
    default:
      return null;
  }
}

/** Blocks that the lookback of a breakpoint counts (K7). */
function counted(blocks: readonly Block[]): number {
  let count = 0;
  for (const block of blocks) if (block.kind !== 'thinking') count++;
  return count;
}

/** The requests of a thread with usage, in order, each with what the transcript explains. */
export function planRequests(
  thread: Thread,
  truth: Truth,
  behavioursAt: BehavioursAt,
  version: string | null,
): readonly RequestPlan[] {
  const clientPlans = planCalls(thread, behavioursAt, version);
  const plans: RequestPlan[] = [];
  let recorded: RebuildCause | null = null;
  let order = 0;
  let blocks = 0;
  let spoken: RequestPlan['spoken'] = 'silent';
  for (const step of thread.steps) {
    if (step.kind === 'event') recorded = recordedCause(step.event) ?? recorded;
    else if (step.kind === 'message') {
      blocks += counted(step.message.blocks);
      if (isSpoken(step.message)) spoken = 'spoken';
    }
    if (step.kind === 'call') {
      const client = clientPlans[order++]!;
      const request = truth.byCall.get(step.call);
      const added = blocks;
      const own = counted(step.call.response.blocks);
      blocks += own;
      if (request === undefined) continue;
      blocks = own;
      const fresh = client.fresh === null ? null : FRESH_CAUSE[client.fresh];
      plans.push({
        request,
        client,
        rebuild: fresh === 'version' ? 'prefix' : fresh === null && recorded === null ? 'none' : 'messages',
        cause: fresh ?? recorded,
        replaced: recorded === 'compaction' || recorded === 'clear' ? recorded : null,
        blocks: added,
        spoken,
        response: { tokens: messageTokens(step.call.response), blocks: own },
      });
      recorded = null;
      spoken = 'silent';
    }
  }
  return plans;
}

/** One request as the recording tells it. */
export interface RecordedRequest
  extends Pick<RecordedCall, 'startMs' | 'endMs' | 'model' | 'effort' | 'missReason'> {
  /** Unique in the transcript: `thread#index`. */
  readonly key: string;
  readonly threadId: string;
  /** Place among the requests of its thread that carry usage, from 0. */
  readonly index: number;
  readonly call: RecordedCall;
  /** The request before it in its thread; null for the first. */
  readonly previous: RecordedRequest | null;
  /** Between the starts of this request and the previous one of its thread; null for the first, and where a fork copied either. */
  readonly gapMs: number | null;
  /** When it counts for prices, ms since 1970. */
  readonly pricedAtMs: number;
  readonly usage: Usage;
  readonly prompt: number;
  readonly read: number;
  readonly creation: number;
  /** Prompt up to the last breakpoint: what the next request can read; all of it where the source does not tell writes. */
  readonly cached: number;
}

/** A request without what it was recorded in: what may be kept of a session once it is compared. */
export type ComparedRequest = Omit<RecordedRequest, 'call' | 'previous'>;

/** The request alone: it keeps neither its call nor the requests before it. Copies made by spreading take three times the memory. */
export function withoutSession(request: ComparedRequest): ComparedRequest {
  return {
    key: request.key,
    threadId: request.threadId,
    index: request.index,
    gapMs: request.gapMs,
    startMs: request.startMs,
    pricedAtMs: request.pricedAtMs,
    endMs: request.endMs,
    model: request.model,
    effort: request.effort,
    usage: request.usage,
    prompt: request.prompt,
    read: request.read,
    creation: request.creation,
    cached: request.cached,
    missReason: request.missReason,
  };
}

/** Something of a recording that no figure counts. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  readonly count: number;
  /** Without it a sum would be misread. */
  readonly isLoss?: true;
}

/** A request by its place in its thread, from 0. */
export interface Place {
  readonly thread: string;
  readonly request: number;
}

/** The requests of a recording by thread, and what could not be used. */
export interface Truth {
  readonly threads: ReadonlyMap<string, readonly RecordedRequest[]>;
  readonly byCall: ReadonlyMap<RecordedCall, RecordedRequest>;
  /** The request that each recorded compaction came before; those that a fork copied are none of its own. */
  readonly compactedAt: readonly Place[];
  /** Requests at the start of each thread that are those of another session. */
  readonly copied: number;
  readonly leftOut: readonly LeftOut[];
}

/** Whether a compaction is one of the session that a fork was copied from: it has the time of the copy. */
export function isCopied({ at }: Pick<ThreadEvent, 'at'>, { copied }: Pick<Truth, 'copied'>): boolean {
  return copied > 0 && at < COPY_MS;
}

/** True when more came before the first request of a thread than system, tools and the messages at hand (K13). */
export function startsMidSession(thread: Thread): boolean {
  const first = thread.steps[0];
  return first?.kind === 'message' && first.message.blocks[0]?.facts.attachment === EARLIER_HISTORY;
}

/** Collects what a recording says about each of its requests. */
export function recordedTruth(transcript: Transcript): Truth {
  const threads = new Map<string, RecordedRequest[]>();
  const byCall = new Map<RecordedCall, RecordedRequest>();
  const compactedAt: Place[] = [];
  let bare = 0;
  // Requests that each thread of a fork begins with and that are those of another session, at the time of the copy.
  const copied = transcript.warnings.find(({ code }) => code === 'copied-calls')?.count ?? 0;
  const pricedAt = priceTimes(transcript);
  const tellsWrites = transcript.carries.includes('cache-writes');
  for (const thread of transcript.threads) {
    const requests: RecordedRequest[] = [];
    threads.set(thread.id, requests);
    for (const step of thread.steps) {
      if (
        step.kind === 'event' &&
        step.event.kind === 'recorded-compaction' &&
        !isCopied(step.event, { copied })
      )
        compactedAt.push({ thread: thread.id, request: requests.length });
      if (step.kind !== 'call') continue;
      const { call } = step;
      if (call.usage === null) {
        bare++;
        continue;
      }
      const index = requests.length;
      const previous = requests.at(-1) ?? null;
      const prompt = promptTokens(call.usage);
      const request: RecordedRequest = {
        key: `${thread.id}#${index}`,
        threadId: thread.id,
        index,
        call,
        previous,
        gapMs: previous === null || index <= copied ? null : call.startMs - previous.startMs,
        startMs: call.startMs,
        pricedAtMs: pricedAt(call.startMs),
        endMs: call.endMs,
        model: call.model,
        effort: call.effort,
        usage: call.usage,
        prompt,
        read: call.usage.cacheRead,
        creation: cacheWriteTokens(call.usage),
        cached: tellsWrites ? prompt - call.usage.input : prompt,
        missReason: call.missReason,
      };
      requests.push(request);
      byCall.set(call, request);
    }
  }
  return { threads, byCall, compactedAt, copied, leftOut: leftOutOf(transcript, threads, bare) };
}

function leftOutOf(
  transcript: Transcript,
  threads: ReadonlyMap<string, readonly RecordedRequest[]>,
  bare: number,
): readonly LeftOut[] {
  const firsts = {
    what: 'first requests of threads',
    why: 'not predicted: they show the size of system prompt and tools, and what was already cached',
    count: [...threads.values()].filter((requests) => requests.length > 0).length,
  };
  const unbilled = {
    what: 'responses without usage',
    why: 'there is nothing to compare a prediction with',
    count: bare,
  };
  const unpriced = [...threads.values()].flat().filter(({ model }) => !modelOrUnknown(model).pricesAreKnown);
  const names = [...new Set(unpriced.map(({ model }) => model))].sort();
  const priceless = {
    what: `requests of models without a price (${names.join(', ')})`,
    why: 'their reads are compared, but dollar totals leave them out',
    count: unpriced.length,
  };
  const found = transcriptFindings(transcript).map((warning): LeftOut => {
    const { message, remedy, count } = warning;
    const base = { what: message, why: remedy ?? 'used as far as possible', count };
    return isLoss(warning) ? { ...base, isLoss: true } : base;
  });
  return [...[firsts, unbilled, priceless].filter(({ count }) => count > 0), ...found];
}
