import { sum } from '../../../core/base/stats.js';
import type { Block } from '../../../core/model/block.js';
import { hasToolUse } from '../../../core/model/message.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { CacheRules } from '../../../core/run/provider.js';
import { onGrain } from '../../../provider/cache/cache-rules.js';
import { modelOrUnknown } from '../../../provider/prices/models.js';
import { cacheRulesOf } from '../../../provider/providers/providers.js';
import type { ComparedRequest, RecordedRequest, Truth } from '../truth.js';

/** A request beside what the cache of its provider could have served, with no more than chance is judged by. */
export interface ServableRequest {
  readonly request: Pick<ComparedRequest, 'key' | 'model' | 'pricedAtMs' | 'usage' | 'prompt' | 'read'>;
  /** The prompt before it in its thread. */
  readonly promptBefore: number;
  readonly rules: CacheRules;
  /** Longest read: the prompt before it up to the first reasoning that left it, on the provider's steps. */
  readonly reachable: number;
  /** What the first request of the thread read: tools and system prompt that others keep warm. */
  readonly head: number;
  readonly gapMs: number;
  readonly cause: 'hit' | 'compaction' | 'model';
  /** What left the prompt, so that less than the prompt before could be read: reasoning of earlier turns, or more than that. */
  readonly dropped: 'nothing' | 'reasoning' | 'more';
}

/** The same while its recording is at hand. */
export interface ProviderRequest extends ServableRequest {
  readonly request: RecordedRequest;
}

/** What a prompt may lose beyond the reasoning that was billed: 74 of 79 recorded ones lost at most 74 tokens more, five 1,795 and above. */
const REASONING_SLACK = 500;

/** The requests of each thread but the first, in order; those that a fork copied are left out. */
export function providerRequests(
  transcript: Transcript,
  truth: Truth,
  provider: string,
): readonly ProviderRequest[] {
  const { compacted, dropped } = rebuiltCalls(transcript);
  const found: ProviderRequest[] = [];
  for (const requests of truth.threads.values()) {
    const own = requests.slice(truth.copied);
    const head = own[0]?.read ?? 0;
    let latestRead = head;
    const prompts = new Map(own.map(({ call, prompt }) => [call.id, prompt]));
    for (let i = 1; i < own.length; i++) {
      const request = own[i]!;
      const before = own[i - 1]!;
      const rules = cacheRulesOf(provider, modelOrUnknown(request.model).id);
      const reasoning = dropped.get(request.call.id);
      const cut = prompts.get(reasoning?.from ?? '');
      const stored = cut ?? before.prompt + (rules.storesOutput ? before.usage.output : 0);
      const reachable = onGrain(steppedLike(rules, latestRead), Math.min(stored, request.prompt));
      if (request.read > 0) latestRead = request.read;
      const isOther = modelOrUnknown(before.model).id !== modelOrUnknown(request.model).id;
      found.push({
        request,
        promptBefore: before.prompt,
        rules,
        reachable,
        head: Math.min(head, request.prompt),
        gapMs: request.endMs - before.endMs,
        cause: isOther ? 'model' : compacted.has(request.call.id) ? 'compaction' : 'hit',
        dropped: cut === undefined ? 'nothing' : leaving(before, request, cut, reasoning!.tokens),
      });
    }
  }
  return found;
}

/** What left a prompt whose reasoning was due to leave it: the reasoning, none that stood inside of it, or more than there was. */
function leaving(
  before: RecordedRequest,
  { prompt }: RecordedRequest,
  cut: number,
  reasoning: number,
): ServableRequest['dropped'] {
  if (cut >= Math.min(before.prompt, prompt)) return 'nothing';
  return before.prompt - prompt > reasoning + REASONING_SLACK ? 'more' : 'reasoning';
}

/** Rules whose steps begin where those of the session do: its latest read ended on one. */
function steppedLike({ grain }: CacheRules, read: number): Pick<CacheRules, 'grain'> {
  if (grain === null || read < grain.tokens) return { grain };
  return { grain: { tokens: grain.tokens, offset: read % grain.tokens } };
}

/** What happened to a history before some of its calls. */
interface Rebuilt {
  /** The first call behind each compaction. */
  readonly compacted: ReadonlySet<string>;
  /** Calls whose prompt lost the reasoning of earlier turns. */
  readonly dropped: ReadonlyMap<string, Reasoning>;
}

/** Reasoning that a history holds: the first call whose response has any, and the tokens of all of it. */
interface Reasoning {
  readonly from: string;
  readonly tokens: number;
}

function withReasoning(before: Reasoning | null, call: string, blocks: readonly Block[]): Reasoning | null {
  const thoughts = blocks.filter(({ kind }) => kind === 'thinking');
  if (thoughts.length === 0) return before;
  const tokens = sum(thoughts.map((block) => block.tokens));
  return before === null ? { from: call, tokens } : { ...before, tokens: before.tokens + tokens };
}

function rebuiltCalls({ threads }: Transcript): Rebuilt {
  const compacted = new Set<string>();
  const dropped = new Map<string, Reasoning>();
  for (const { steps } of threads) {
    let isBehind = false;
    let reasoned: Reasoning | null = null;
    let spoke: 'no' | 'in-between' | 'behind-answer' = 'no';
    let isAnswered = false;
    for (const step of steps) {
      if (step.kind === 'event') {
        if (step.event.kind === 'recorded-compaction') isBehind = true;
        if (step.event.kind === 'recorded-compaction' || step.event.kind === 'rewind') reasoned = null;
      } else if (step.kind === 'message') {
        if (step.message.origin === 'human') spoke = isAnswered ? 'behind-answer' : 'in-between';
      } else {
        const { id, model, response } = step.call;
        if (isBehind) compacted.add(id);
        const rule = modelOrUnknown(model).thinking;
        const drops =
          spoke === 'behind-answer' ? rule !== 'keep-all' : spoke !== 'no' && rule === 'keep-last-turn';
        if (drops && reasoned !== null) {
          dropped.set(id, reasoned);
          reasoned = null;
        }
        reasoned = withReasoning(reasoned, id, response.blocks);
        isBehind = false;
        spoke = 'no';
        isAnswered = !hasToolUse(response);
      }
    }
  }
  return { compacted, dropped };
}
