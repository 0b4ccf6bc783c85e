import { behavioursOf, type ClientBehaviour } from '../../agent/client/client.js';
import { type RecordedClient, recordedClient } from '../../agent/client/recorded-client.js';
import {
  narrowedAt,
  otherWindow,
  recordedWindow,
  type WindowEvidence,
  windowEvidence,
} from '../../agent/client/window.js';
import { chosenWindow, policyWindow } from '../../agent/policies/policy-window.js';
import {
  firstModel,
  type RecordedCall,
  type Thread,
  type ThreadEvent,
  type Transcript,
} from '../../core/model/transcript.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { freshSalts, type LevelSalts, levelSalts, sessionSalts } from '../../provider/cache/salts.js';
import { chosenTtlMs, TTL_1H_MS, TTL_5M_MS } from '../../provider/cache/ttl.js';
import { LONG_WINDOW_TOKENS, type ModelBook, withoutTariffs } from '../../provider/prices/model-book.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { modelsOf } from '../../provider/prices/models.js';
import {
  billedBy,
  isServedBy,
  knownProvider,
  type ProviderRef,
  plannedProvider,
} from '../../provider/providers/providers.js';

/** What decides the cache keys of a thread besides its blocks, its model and its effort. */
export interface ClientKey {
  readonly thinking: 'on' | 'off' | null;
  readonly delivery: 'streamed' | 'whole';
  /** How often messages, and system and tools with them, began again. */
  readonly messagesTime: number;
  readonly prefixTime: number;
  /** Requests of one session alone find each other's entries; null if equal prefixes are shared. */
  readonly session: string | null;
}

/** The key of a thread that has sent nothing yet. */
export const FIRST_KEY: ClientKey = {
  thinking: null,
  delivery: 'streamed',
  messagesTime: 0,
  prefixTime: 0,
  session: null,
};

/** The salts of a request under a key. */
export function saltsUnder(key: ClientKey, salts: LevelSalts): LevelSalts {
  let found = key.session === null ? salts : sessionSalts(salts, key.session);
  if (key.prefixTime > 0) found = freshSalts(found, 'all', key.prefixTime);
  return key.messagesTime > 0 ? freshSalts(found, 'messages', key.messagesTime) : found;
}

/** A model that a provider serves: the one that is named, the plan's, or the provider's representative model. */
function servedName(models: ModelBook, provider: ProviderRef, name: string, planned: string | null): string {
  for (const each of [name, planned]) {
    const row = each === null ? null : models.find(each);
    if (row !== null && isServedBy(provider, row)) return each!;
  }
  return knownProvider(provider).defaultModel;
}

/** Sessions whose prompts stay below this compact in neither window. */
const DOUBTED_FROM_TOKENS = 100_000;

/** The window that a policy goes by in a thread, on its first model (WIN-1). */
export function windowUnder(plan: RunPlan, thread: Thread, transcript: Transcript): number {
  const recorded = recordedClient(transcript);
  const behaviours = behavioursOf(plan.policy.params, recorded);
  return new ThreadModel(plan, thread, behaviours, recorded).facts.window;
}

/** Which model a thread's calls go to, and what follows from it. Kept between calls: it rarely changes. */
export class ThreadModel {
  row: ModelRow;
  /** Name as configured, with the suffix of a window and without tariffs. */
  name: string;
  /** The same with its tariffs. */
  private billed: string;
  /** The models of the run. */
  readonly models: ModelBook;
  /** Whose cache and prices count; undefined: each model's own. */
  private readonly provider: ProviderRef | undefined;
  /** The model of the thread's first call, without tariffs. */
  private readonly firstRecorded: string;
  private lastSalts: {
    readonly row: ModelRow;
    readonly images: string;
    readonly effort: string | null;
    readonly key: ClientKey;
    readonly salts: LevelSalts;
  } | null = null;
  /** The effort that the thread's calls ask for; null leaves it to the model. */
  effort: string | null = null;
  private lastTtlMs: number;
  private leader: ThreadModel | null = null;
  /** What layers ask of the model. */
  facts: { readonly name: string; readonly window: number; readonly maxOutput: number };
  private readonly isBounded: boolean;
  private readonly imagesBreak: boolean;
  /** What the thread's own prompts and compactions show of its window. */
  private shown: WindowEvidence;

  constructor(
    private readonly plan: RunPlan,
    private readonly thread: Thread,
    behaviours: ClientBehaviour,
    private readonly recorded: RecordedClient,
  ) {
    this.models = modelsOf(plan);
    this.provider = plannedProvider(plan);
    this.imagesBreak = behaviours.images === 'break';
    this.shown = windowEvidence(thread);
    const first = firstModel(thread) ?? plan.model ?? 'claude-sonnet-4-5';
    this.firstRecorded = withoutTariffs(first);
    this.billed = this.nameFor(first);
    this.name = withoutTariffs(this.billed);
    this.row = this.rowOf(this.billed);
    this.lastTtlMs = TTL_5M_MS;
    this.isBounded = plan.policy.params['window.bounded'] !== false;
    this.facts = this.factsNow();
  }

  private rowOf(name: string): ModelRow {
    const row = this.models.orUnknown(name);
    return this.provider === undefined ? row : billedBy(this.provider, row);
  }

  private factsNow(): ThreadModel['facts'] {
    return { name: this.name, window: this.policyWindow(), maxOutput: this.row.maxOutput };
  }

  /** The model a recorded call goes to: the plan's instead of the main thread's first, others as recorded. */
  private nameFor(recorded: string): string {
    if (this.leader !== null) return this.leader.nameFor(recorded);
    const plain = withoutTariffs(recorded);
    const replaces = this.thread.parentId === null && plain === this.firstRecorded;
    const name = replaces ? (this.planned(recorded.slice(plain.length)) ?? recorded) : recorded;
    return this.provider === undefined ? name : servedName(this.models, this.provider, name, this.plan.model);
  }

  /** The model of the plan, at tariffs where it has them; null if the plan names none. */
  private planned(tariffs: string): string | null {
    const { model } = this.plan;
    if (model === null || tariffs === '') return model;
    return this.models.find(`${model}${tariffs}`) === null ? model : `${model}${tariffs}`;
  }

  /** Calls go where another thread's go: a fork sends its parent's requests on. */
  follow(leader: ThreadModel): void {
    this.leader = leader;
    this.billed = leader.billed;
    this.name = leader.name;
    this.row = leader.row;
    this.effort = leader.effort;
    this.facts = this.factsNow();
  }

  /** Takes over the model and the effort of a call. */
  use(recorded: string, effort: string | null = this.effort): void {
    this.effort = effort;
    const billed = this.nameFor(recorded);
    if (billed === this.billed) return;
    this.billed = billed;
    this.name = withoutTariffs(billed);
    this.row = this.rowOf(billed);
    this.facts = this.factsNow();
  }

  /** A recorded compaction passes: from there on the window may be a shorter one (K23). */
  pass(event: ThreadEvent): void {
    const narrowed = this.recorded.version === null ? null : narrowedAt(this.thread, event, this.shown);
    if (narrowed === null) return;
    this.shown = narrowed;
    this.facts = this.factsNow();
  }

  /** Longest prompt the API takes; null when the policy is unbounded. */
  apiWindow(): number | null {
    if (!this.isBounded) return null;
    if (this.plan.window !== null) return this.plan.window;
    const window = this.provenWindow() ?? this.row.window;
    return this.asksForBeta() ? Math.max(window, LONG_WINDOW_TOKENS) : window;
  }

  /** Whether the client asks for the 1M beta, and the model takes it (WIN-1). */
  private asksForBeta(): boolean {
    return this.plan.policy.params['window.beta1m'] === true && this.models.takesBeta1m(this.name);
  }

  /** The window that the recording worked with, where the model is the recording's own. */
  private provenWindow(): number | null {
    const { window } = this.recorded;
    const first = this.models.find(this.firstRecorded);
    const isOwn = (first?.tariffOf ?? first?.id) === (this.row.tariffOf ?? this.row.id);
    if (window !== null && isOwn) return window;
    if (this.plan.model !== null && !isOwn) return null;
    return recordedWindow(this.name, this.shown, this.recorded, this.models);
  }

  /** That the window depends on the user's login, which is not recorded; null if it does not, or makes no difference (R1). */
  windowDoubt(): string | null {
    const { plan, name, shown, recorded, models } = this;
    const { params } = plan.policy;
    const isGiven = plan.window !== null || chosenWindow(params, name) !== null || recorded.window !== null;
    if (isGiven || plan.model !== null || params['window.models'] === undefined) return null;
    if (shown.largest < DOUBTED_FROM_TOKENS && params['window.percent'] == null) return null;
    const other = otherWindow(name, shown, recorded, models);
    if (other === null) return null;
    const [own, its] =
      recorded.login === 'key' ? ['an API key', 'a subscription'] : ['a subscription', 'an API key'];
    return `the window of ${name} is not recorded: ${this.facts.window} tokens with ${own}, as assumed, ${other} with ${its}`;
  }

  /** Window as the policy believes it to be (WIN-1). */
  private policyWindow(): number {
    const { window, policy } = this.plan;
    if (window !== null) return window;
    const { models, name } = this;
    return policyWindow(policy.params, name, { recorded: this.provenWindow(), models, rules: policy.rules });
  }

  /** Salts of the cache keys for this model and effort: a layer's request that extends the thread's has the same. */
  saltsFor(images: 'images' | 'no-images', key: ClientKey): LevelSalts {
    const { lastSalts: last, effort } = this;
    if (
      last !== null &&
      last.row === this.row &&
      last.images === images &&
      last.effort === effort &&
      last.key === key
    )
      return last.salts;
    const { thinking, delivery } = key;
    const salts = saltsUnder(
      key,
      levelSalts({
        model: this.row,
        delivery,
        imagesPresent: images === 'images' && this.imagesBreak,
        ...(thinking === null ? {} : { thinking: { mode: thinking === 'on' ? 'enabled' : 'disabled' } }),
        ...(effort === null ? {} : { effort }),
      }),
    );
    this.lastSalts = { row: this.row, images, effort, key, salts };
    return salts;
  }

  /** Lifetime a call writes with. */
  ttlFor(call: RecordedCall | null): number {
    if (this.leader !== null) return this.leader.ttlFor(call);
    const setting = this.thread.parentId === null ? this.plan.cache.ttl : this.plan.cache.subagentTtl;
    if (setting !== 'recorded') return chosenTtlMs(setting, this.row);
    const usage = call?.usage ?? null;
    if (usage !== null && usage.cacheWrite1h > 0) this.lastTtlMs = TTL_1H_MS;
    else if (usage !== null && usage.cacheWrite5m > 0) this.lastTtlMs = TTL_5M_MS;
    return this.lastTtlMs;
  }
}
