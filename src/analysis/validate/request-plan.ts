import { type BehavioursAt, type CallPlan, planCalls } from '../../agent/client/call-plan.js';
import type { Block } from '../../core/model/block.js';
import { isSpoken, messageTokens } from '../../core/model/message.js';
import type { Thread, ThreadEvent } from '../../core/model/transcript.js';
import type { RecordedRequest, Truth } from './truth.js';

/** What happens to the prompt before a request: it goes on, its messages are made again, or its prefix is too. */
export type Rebuild = 'none' | 'messages' | 'prefix';

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
