import { DEFAULT_WINDOW_TOKENS, findModel } from '../cache/models.js';
import { recordedWindow } from '../client/window.js';
import { counterRules, SeenCounter } from '../engine/context/seen-counter.js';
import type { Message } from '../model/message.js';
import type { ParamValues } from '../model/params.js';
import type { RecordedCall, Thread, ThreadEvent, Transcript } from '../model/transcript.js';
import { resolvePolicy } from '../policies/catalogue.js';
import { compactsOn } from '../tiers/auto-compact/may-compact.js';
import { COMPACTABLE_TOOLS } from '../tiers/compactable.js';
import { type ModelLimits, thresholds } from '../tiers/window/thresholds.js';
import { startsMidSession } from './mid-session.js';
import type { Walk } from './predict.js';
import type { RecordedRequest, Truth } from './truth.js';
import { rangeOf, type VersionRange } from './version-map.js';
import { isInferred } from './weigh.js';

/** Which mechanism is checked. */
export type TriggerKind = 'compaction' | 'microcompaction';

/** A size that was predicted, beside the recorded one. */
export interface SizePair {
  readonly predicted: number;
  readonly recorded: number;
}

/** One recorded automatic compaction beside what the profile of that version does. */
export interface TriggerCheck {
  readonly kind: TriggerKind;
  readonly threadId: string;
  /** The request the compaction came before, by its place in the thread. */
  readonly index: number;
  readonly version: string | null;
  readonly profile: string;
  readonly threshold: number;
  /** What the client counted at that request, by the profile's counter. */
  readonly seenTokens: number;
  /** `late`: the profile does not fire up to the request behind; `early`: before the request ahead of it. */
  readonly verdict: 'matched' | 'early' | 'late';
  /** The count itself reached the threshold, or only with what a request of the thread adds on average. */
  readonly reach: 'count' | 'mean-step';
  /** Tokens between the count at the recorded place and the threshold. */
  readonly offTokens: number;
  readonly nextPrompt: SizePair | null;
  readonly nextRead: SizePair | null;
}

/** A place where the profile fires and the recording shows nothing. */
export interface UnrecordedTrigger {
  readonly kind: TriggerKind;
  readonly threadId: string;
  readonly index: number;
  readonly profile: string;
  readonly threshold: number;
  readonly seenTokens: number;
}

/** The trigger check of one recording. */
export interface TriggerReport {
  readonly checks: readonly TriggerCheck[];
  readonly unrecorded: readonly UnrecordedTrigger[];
  /** Recorded ones that cannot be checked, as the recording starts behind what they depend on. */
  readonly unchecked: number;
}

/** How many there are of each kind. */
export interface TriggerCounts {
  readonly recorded: number;
  readonly matched: number;
  /** Matched only within the slack of a mean step. */
  readonly withinStep: number;
  readonly early: number;
  readonly late: number;
  readonly unrecorded: number;
}

/** Requests a trigger may be away from the recorded one. */
const BESIDE = 1;

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

interface Profile {
  readonly range: VersionRange;
  readonly params: ParamValues;
  readonly compactAt: number;
  readonly clearAt: number;
  readonly target: number;
  readonly minSaving: number;
  readonly keepRecent: number;
}

function profileOf(version: string | null, model: ModelLimits): Profile {
  const range = rangeOf(version);
  const params = resolvePolicy(range.profile, range.set);
  const limits = thresholds(params, model);
  return {
    range,
    params,
    compactAt: limits.autoCompact ?? Number.POSITIVE_INFINITY,
    clearAt: limits.warning ?? Number.POSITIVE_INFINITY,
    target: params['microcompact.token.targetTokens'] as number,
    minSaving: params['microcompact.token.minSaving'] as number,
    keepRecent: params['microcompact.token.keepRecent'] as number,
  };
}

class ThreadTriggers {
  readonly checks: TriggerCheck[] = [];
  readonly unrecorded: UnrecordedTrigger[] = [];
  unchecked = 0;
  #profile: Profile;
  #counter: SeenCounter;
  #version: string | null;
  /** Where the profile fired first since the last event of the kind. */
  readonly #fired: Record<TriggerKind, Fired | null> = { compaction: null, microcompaction: null };
  /** Rough tokens of the results that can still be cleared, oldest first. */
  #results: { readonly id: string; readonly rough: number }[] = [];
  #index = 0;
  #prompt = 0;
  #grown = 0;
  #steps = 0;
  #open: OpenCheck[] = [];
  readonly #model: ModelLimits & { readonly name: string };
  readonly #startsInside: boolean;

  constructor(
    private readonly thread: Thread,
    private readonly truth: Truth,
    private readonly walk: Walk,
    private readonly prompts: ReadonlyMap<string, number>,
    agentVersion: string | null,
  ) {
    const requests = truth.threads.get(thread.id) ?? [];
    const largest = requests.reduce((most, request) => Math.max(most, request.prompt), 0);
    this.#startsInside = requests.length > 0 && startsMidSession(thread);
    const name = requests[0]?.model ?? '';
    this.#model = {
      name,
      window: recordedWindow(name, largest, agentVersion) ?? DEFAULT_WINDOW_TOKENS,
      maxOutput: findModel(name)?.maxOutput ?? null,
    };
    this.#version = agentVersion;
    this.#profile = profileOf(agentVersion, this.#model);
    this.#counter = new SeenCounter(counterRules(this.#profile.params, 1));
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
    const request = this.truth.byCall.get(`${this.thread.id} ${call.id}`);
    if (request === undefined) {
      this.#counter.add(call.response);
      return;
    }
    this.#watch(this.#counter.tokens);
    const dropped = this.#prompt - request.prompt >= this.#profile.minSaving;
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
    this.#counter.anchor(request.usage, 0);
    this.#index++;
  }

  #watch(seen: number): void {
    if (this.#index === 0) return;
    const here = { index: this.#index, seen };
    if (seen >= this.#profile.compactAt && compactsOn(this.#profile.params, this.#model.name))
      this.#fired.compaction ??= here;
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
    const { range, clearAt, minSaving } = this.#profile;
    if (range.microcompact === 'not-recorded' || seen < clearAt) return false;
    return this.#clearable().saving >= minSaving;
  }

  /** What the profile would clear: the oldest results until the rest fits its target (MIC-1). */
  #clearable(): { readonly count: number; readonly saving: number } {
    const { target, keepRecent } = this.#profile;
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
      this.#profile = profileOf(event.version, this.#model);
    } else if (event.kind === 'recorded-compaction') {
      const seen = this.#counter.tokens;
      this.#watch(seen);
      if (event.trigger === 'auto') this.#open.push(this.#answer('compaction', seen));
      else this.#close('compaction');
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

  #settle({ kind, seen, fired }: OpenCheck, request: RecordedRequest): void {
    const { range, compactAt, clearAt } = this.#profile;
    const threshold = kind === 'compaction' ? compactAt : clearAt;
    const here = kind === 'compaction' && seen + this.#stepTokens() >= threshold;
    const early = fired !== null && fired.index < this.#index - BESIDE;
    const predicted = this.walk.predictions.get(request.key);
    const size = this.prompts.get(request.key);
    this.checks.push({
      kind,
      threadId: this.thread.id,
      index: this.#index,
      version: this.#version,
      profile: range.profile,
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

  /** What a request of this thread adds on average: how far the count is from firing at the request behind. */
  #stepTokens(): number {
    return this.#steps === 0 ? 0 : this.#grown / this.#steps;
  }

  /** A trigger that no recorded event answers. */
  #close(kind: TriggerKind): void {
    const { range, compactAt, clearAt } = this.#profile;
    const { fired } = this.#answer(kind, 0);
    if (fired === null || fired.index > this.#index - 1 - BESIDE) return;
    const { index, seen } = fired;
    this.unrecorded.push({
      kind,
      threadId: this.thread.id,
      index,
      profile: range.profile,
      threshold: kind === 'compaction' ? compactAt : clearAt,
      seenTokens: seen,
    });
  }
}

/** Does the profile of a recording's version fire where the recording compacted, and nowhere else? */
export function checkTriggers(
  transcript: Transcript,
  truth: Truth,
  walk: Walk,
  prompts: ReadonlyMap<string, number>,
): TriggerReport {
  const checks: TriggerCheck[] = [];
  const unrecorded: UnrecordedTrigger[] = [];
  let unchecked = 0;
  for (const thread of transcript.threads) {
    const triggers = new ThreadTriggers(thread, truth, walk, prompts, transcript.agentVersion);
    triggers.run();
    checks.push(...triggers.checks);
    unrecorded.push(...triggers.unrecorded);
    unchecked += triggers.unchecked;
  }
  return { checks, unrecorded, unchecked };
}

/** Counts of several reports. */
export function countTriggers(reports: readonly TriggerReport[]): TriggerCounts {
  const checks = reports.flatMap((report) => report.checks);
  const having = (verdict: TriggerCheck['verdict']): number =>
    checks.filter((check) => check.verdict === verdict).length;
  return {
    recorded: checks.length,
    matched: having('matched'),
    withinStep: checks.filter(({ verdict, reach }) => verdict === 'matched' && reach === 'mean-step').length,
    early: having('early'),
    late: having('late'),
    unrecorded: reports.reduce((sum, report) => sum + report.unrecorded.length, 0),
  };
}
