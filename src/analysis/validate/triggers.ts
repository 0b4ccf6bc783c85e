import { recordedClient } from '../../agent/client/recorded-client.js';
import {
  narrowedAt,
  recordedWindow,
  type WindowEvidence,
  windowEvidence,
} from '../../agent/client/window.js';
import { COMPACTABLE_TOOLS } from '../../agent/layers/support/compactable.js';
import { codexProfile } from '../../agent/policies/own-policy.js';
import { sum } from '../../core/base/stats.js';
import type { Message } from '../../core/model/message.js';
import type { RecordedCall, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { SeenCounter } from '../../engine/counting/seen-counter.js';
import { DEFAULT_WINDOW_TOKENS, findModel } from '../../provider/prices/models.js';
import type { Beside } from './forward.js';
import type { Walk } from './predict.js';
import { isInferred } from './prompt-size.js';
import { claudeCodeProfile, rulesProfile, type TriggerProfile } from './trigger-profile.js';
import { isCopied, type RecordedRequest, startsMidSession, type Truth } from './truth.js';

/** Which mechanism is checked. */
export type TriggerKind = 'compaction' | 'microcompaction';

/** One recorded automatic compaction beside what the profile of that version does. */
export interface TriggerCheck extends UnrecordedTrigger {
  readonly version: string | null;
  /** `late`: the profile does not fire up to the request behind; `early`: before the request ahead of it. */
  readonly verdict: 'matched' | 'early' | 'late';
  /** The count itself reached the threshold, or only with what a request of the thread adds on average. */
  readonly reach: 'count' | 'mean-step';
  /** Tokens between the count at the recorded place and the threshold. */
  readonly offTokens: number;
  readonly nextPrompt: Beside | null;
  readonly nextRead: Beside | null;
}

/** A place where the profile fires and the recording shows nothing. */
export interface UnrecordedTrigger {
  readonly kind: TriggerKind;
  readonly threadId: string;
  /** The request the compaction comes before, by its place in the thread. */
  readonly index: number;
  readonly profile: string;
  readonly threshold: number;
  /** What the client counted at that request, by the profile's counter. */
  readonly seenTokens: number;
}

/** The trigger check of one recording. */
export interface TriggerReport {
  readonly checks: readonly TriggerCheck[];
  readonly unrecorded: readonly UnrecordedTrigger[];
  /** Recorded ones that cannot be checked, as the recording starts behind what they depend on. */
  readonly unchecked: number;
}

/** Requests a trigger may be away from the recorded one. */
export const BESIDE = 1;

interface Fired {
  readonly index: number;
  readonly seen: number;
}

/** A recorded event that waits for the request behind it, with the trigger it answers. */
interface OpenCheck {
  readonly kind: TriggerKind;
  readonly seen: number;
  readonly fired: Fired | null;
}

/** The profile of a version of the agent, in the window that the thread shows. */
type ProfileAt = (version: string | null, shown: WindowEvidence) => TriggerProfile;

class ThreadTriggers {
  readonly checks: TriggerCheck[] = [];
  readonly unrecorded: UnrecordedTrigger[] = [];
  unchecked = 0;
  #profile: TriggerProfile;
  readonly #counter: SeenCounter;
  #version: string | null;
  /** Where the profile fired first since the last event of the kind. */
  readonly #fired: Record<TriggerKind, Fired | null> = { compaction: null, microcompaction: null };
  /** Rough tokens of the results that can still be cleared, oldest first. */
  #results: { readonly id: string; readonly rough: number }[] = [];
  #index = 0;
  /** End of the latest response. */
  #endMs = 0;
  #prompt = 0;
  #grown = 0;
  #steps = 0;
  #open: OpenCheck[] = [];
  readonly #startsInside: boolean;
  #shown: WindowEvidence;

  constructor(
    private readonly thread: Thread,
    private readonly truth: Truth,
    private readonly predicted: PredictedRequests,
    private readonly profileOf: ProfileAt,
    agentVersion: string | null,
  ) {
    const requests = truth.threads.get(thread.id) ?? [];
    this.#startsInside = requests.length > 0 && startsMidSession(thread);
    this.#version = agentVersion;
    this.#shown = windowEvidence(thread);
    this.#profile = profileOf(agentVersion, this.#shown);
    this.#counter = new SeenCounter(this.#profile.counter, this.#profile.counted);
  }

  run(): void {
    for (const step of this.thread.steps) {
      if (step.kind === 'message') this.#add(step.message);
      else if (step.kind === 'event') this.#happen(step.event);
      else this.#call(step.call);
    }
    this.#close('compaction');
    this.#close('microcompaction');
  }

  #add(message: Message): void {
    if (isInferred(message)) return;
    this.#counter.add(message);
    for (const block of message.blocks) {
      if (block.kind !== 'tool_result' || !COMPACTABLE_TOOLS.includes(block.tool ?? '')) continue;
      this.#results.push({ id: block.toolUseId ?? '', rough: block.rough });
    }
  }

  #call(call: RecordedCall): void {
    const request = this.truth.byCall.get(call);
    if (request === undefined) {
      this.#counter.add(call.response);
      return;
    }
    this.#endMs = call.endMs;
    this.#watch(this.#counter.tokens);
    const dropped = this.#prompt - request.prompt >= this.#profile.clears.minSaving;
    const silent = this.#fired.microcompaction;
    if (dropped && this.#open.length === 0 && silent !== null) {
      this.#settle(this.#answer('microcompaction', silent.seen), request);
      this.#clearOldest();
    }
    for (const open of this.#open) {
      if (this.#canCheck(open.kind)) this.#settle(open, request);
      else this.unchecked++;
    }
    this.#open = [];
    if (this.#prompt > 0 && request.prompt > this.#prompt) {
      this.#grown += request.prompt - this.#prompt;
      this.#steps++;
    }
    this.#prompt = request.prompt;
    this.#counter.onResponse(call.response);
    this.#counter.anchor(request.usage, 0);
    this.#index++;
  }

  #watch(seen: number): void {
    if (this.#index === 0 || this.#index < this.truth.copied) return;
    const here = { index: this.#index, seen };
    if (this.#profile.compacts && seen >= this.#profile.compactAt) this.#fired.compaction ??= here;
    if (this.#clears(seen)) this.#fired.microcompaction ??= here;
  }

  /** A recorded event, with the trigger that is spent on it. */
  #answer(kind: TriggerKind, seen: number): OpenCheck {
    const fired = this.#fired[kind];
    this.#fired[kind] = null;
    return { kind, seen, fired };
  }

  /** A client's count needs a request before it, and its tool results need the whole session. */
  #canCheck(kind: TriggerKind): boolean {
    return this.#index > 0 && (kind === 'compaction' || !this.#startsInside);
  }

  #clears(seen: number): boolean {
    const { at, shows, minSaving } = this.#profile.clears;
    return shows && seen >= at && this.#clearable().saving >= minSaving;
  }

  /** What the profile would clear: the oldest results until the rest fits its target (MIC-1). */
  #clearable(): { readonly count: number; readonly saving: number } {
    const { target, keepRecent } = this.#profile.clears;
    let rest = this.#results.reduce((sum, result) => sum + result.rough, 0);
    let saving = 0;
    let count = 0;
    for (; count < this.#results.length - keepRecent && rest > target; count++) {
      rest -= this.#results[count]!.rough;
      saving += this.#results[count]!.rough;
    }
    return { count, saving };
  }

  /** A microcompaction without a line of its own: the client clears them inside a request no transcript shows. */
  #clearOldest(): void {
    this.#results = this.#results.slice(this.#clearable().count);
  }

  #happen(event: ThreadEvent): void {
    if (event.kind === 'version') {
      this.#version = event.version;
      this.#profile = this.profileOf(event.version, this.#shown);
    } else if (event.kind === 'recorded-compaction') {
      const seen = this.#counter.tokens;
      this.#watch(seen);
      this.#narrow(event);
      this.#watch(seen);
      const isOwn = !isCopied(event, this.truth);
      if (isOwn && event.trigger === 'auto' && !this.#isIdle(event.at, seen))
        this.#open.push(this.#answer('compaction', seen));
      else if (isOwn) this.#close('compaction');
      else this.#fired.compaction = null;
      this.#close('microcompaction');
      this.#results = [];
      this.#counter.restart(event.summary === null ? [] : [event.summary]);
    } else if (event.kind === 'recorded-microcompact') {
      const seen = this.#counter.tokens;
      this.#watch(seen);
      if (event.trigger === 'auto') this.#open.push(this.#answer('microcompaction', seen));
      const cleared = new Set(event.toolUseIds);
      this.#results = this.#results.filter((result) => !cleared.has(result.id));
    }
  }

  /** Whether a compaction came because the user was away: no threshold fired it. */
  #isIdle(at: number, seen: number): boolean {
    const { idle } = this.#profile;
    return idle !== null && seen >= idle.minTokens && at - this.#endMs >= idle.afterMs;
  }

  /** The window may be a shorter one from a compaction on (K23). */
  #narrow(event: ThreadEvent): void {
    const narrowed = narrowedAt(this.thread, event, this.#shown);
    if (narrowed === null) return;
    this.#shown = narrowed;
    this.#profile = this.profileOf(this.#version, narrowed);
  }

  #settle({ kind, seen, fired }: OpenCheck, request: RecordedRequest): void {
    const threshold = this.#threshold(kind);
    const here = kind === 'compaction' && seen + this.#stepTokens() >= threshold;
    const early = fired !== null && fired.index < this.#index - BESIDE;
    const predicted = this.predicted.walk.predictions.get(request.key);
    const size = this.predicted.prompts.get(request.key);
    this.checks.push({
      kind,
      threadId: this.thread.id,
      index: this.#index,
      version: this.#version,
      profile: this.#profile.name,
      threshold,
      seenTokens: seen,
      verdict: early ? 'early' : here || fired !== null ? 'matched' : 'late',
      reach: fired !== null || seen >= threshold ? 'count' : 'mean-step',
      offTokens: (early ? fired!.seen : seen) - threshold,
      nextPrompt: size === undefined ? null : { predicted: size, recorded: request.prompt },
      nextRead:
        predicted === undefined ? null : { predicted: predicted.usage.cacheRead, recorded: request.read },
    });
  }

  #threshold(kind: TriggerKind): number {
    return kind === 'compaction' ? this.#profile.compactAt : this.#profile.clears.at;
  }

  /** What a request of this thread adds on average: how far the count is from firing at the request behind. */
  #stepTokens(): number {
    return this.#steps === 0 ? 0 : this.#grown / this.#steps;
  }

  /** A trigger that no recorded event answers. */
  #close(kind: TriggerKind): void {
    const { fired } = this.#answer(kind, 0);
    if (fired === null || fired.index > this.#index - 1 - BESIDE) return;
    const { index, seen } = fired;
    this.unrecorded.push({
      kind,
      threadId: this.thread.id,
      index,
      profile: this.#profile.name,
      threshold: this.#threshold(kind),
      seenTokens: seen,
    });
  }
}

/** What was predicted of the requests that compactions come before. */
interface PredictedRequests {
  readonly walk: Walk;
  readonly prompts: ReadonlyMap<string, number>;
}

const NOT_PREDICTED: PredictedRequests = { walk: { predictions: new Map(), breaks: [] }, prompts: new Map() };

/** The profile of each version of the agent, for a thread. */
type ProfilesOf = (thread: Thread) => ProfileAt;

/** Do the profiles fire where the recording compacted, and nowhere else? */
function checkProfiles(
  transcript: Transcript,
  truth: Truth,
  predicted: PredictedRequests,
  profilesOf: ProfilesOf,
): TriggerReport {
  const checks: TriggerCheck[] = [];
  const unrecorded: UnrecordedTrigger[] = [];
  let unchecked = 0;
  for (const thread of transcript.threads) {
    const { agentVersion } = transcript;
    const triggers = new ThreadTriggers(thread, truth, predicted, profilesOf(thread), agentVersion);
    triggers.run();
    checks.push(...triggers.checks);
    unrecorded.push(...triggers.unrecorded);
    unchecked += triggers.unchecked;
  }
  return { checks, unrecorded, unchecked };
}

/** Does the profile of a recording's version of Claude Code fire where the recording compacted? */
export function checkTriggers(
  transcript: Transcript,
  truth: Truth,
  walk: Walk,
  prompts: ReadonlyMap<string, number>,
): TriggerReport {
  const client = recordedClient(transcript);
  return checkProfiles(transcript, truth, { walk, prompts }, (thread) => {
    const name = truth.threads.get(thread.id)?.[0]?.model ?? '';
    const maxOutput = findModel(name)?.maxOutput ?? null;
    return (version, shown) => {
      const window = recordedWindow(name, shown, client) ?? DEFAULT_WINDOW_TOKENS;
      return claudeCodeProfile(version, { name, window, maxOutput });
    };
  });
}

/** The same for a rollout of Codex, by the policy that it shows; nothing if the record tells no window. */
export function checkCodexTriggers(transcript: Transcript, truth: Truth): TriggerReport {
  const { window } = transcript;
  if (window === undefined) return NO_TRIGGERS;
  const policy = codexProfile(transcript).name;
  return checkProfiles(transcript, truth, NOT_PREDICTED, ({ id }) => {
    const name = truth.threads.get(id)?.[0]?.model ?? '';
    const profile = rulesProfile(policy, { name, window, maxOutput: findModel(name)?.maxOutput ?? null });
    return () => profile;
  });
}

/** Nothing to check. */
export const NO_TRIGGERS: TriggerReport = { checks: [], unrecorded: [], unchecked: 0 };

/** Counts of several reports; `withinStep` are those matched only within the slack of a mean step. */
export function countTriggers(reports: readonly TriggerReport[]) {
  const checks = reports.flatMap((report) => report.checks);
  const having = (verdict: TriggerCheck['verdict']) => checks.filter((check) => check.verdict === verdict);
  return {
    recorded: checks.length,
    matched: having('matched').length,
    withinStep: having('matched').filter(({ reach }) => reach === 'mean-step').length,
    early: having('early').length,
    late: having('late').length,
    unrecorded: sum(reports.map(({ unrecorded }) => unrecorded.length)),
  };
}

/** How many there are of each kind. */
export type TriggerCounts = Readonly<ReturnType<typeof countTriggers>>;
