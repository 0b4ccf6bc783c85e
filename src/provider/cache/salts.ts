import { chainDigest, type Digest, digestParts } from '../../core/base/digest.js';
import type { ModelRow } from '../prices/model-row.js';

/** What besides the blocks decides a cache key, level by level; each level contains the ones before it. */
export interface LevelSalts {
  readonly tools: Digest;
  readonly system: Digest;
  readonly messages: Digest;
}

/** Thinking as a request configures it. */
export interface ThinkingSetting {
  readonly mode: 'disabled' | 'adaptive' | 'enabled';
  readonly budgetTokens?: number | null;
}

/** Request parameters that the cache key depends on. */
export interface CacheParameters {
  readonly model: ModelRow;
  /** Entries are isolated per workspace. */
  readonly workspace?: string;
  readonly webSearch?: boolean;
  readonly webFetch?: boolean;
  readonly citations?: boolean;
  /** auto, none, any, or the name of a tool. */
  readonly toolChoice?: string;
  readonly disableParallelToolUse?: boolean;
  readonly imagesPresent?: boolean;
  readonly thinking?: ThinkingSetting;
  readonly effort?: string;
  /** Requests whose responses come in one piece have entries of their own (K4). */
  readonly delivery?: 'streamed' | 'whole';
}

function switched(value: boolean | undefined): number {
  return value === true ? 1 : 0;
}

/**
 * The salts of a request: what each parameter invalidates (CCH-1). A parameter set to its default equals omitting it.
 * Whether thinking and effort reach tools and system is model-specific and not published: they touch messages alone here.
 */
export function levelSalts(parameters: CacheParameters): LevelSalts {
  const { model } = parameters;
  const thinking = parameters.thinking ?? { mode: model.defaults.thinking };
  const tools = digestParts(['tools', model.tariffOf ?? model.id, parameters.workspace ?? 'default']);
  const system = chainDigest(
    tools,
    digestParts([
      'system',
      model.tariffOf === undefined ? 'standard' : model.id,
      switched(parameters.webSearch),
      switched(parameters.webFetch),
      switched(parameters.citations),
    ]),
  );
  const messages = chainDigest(
    system,
    digestParts([
      'messages',
      parameters.toolChoice ?? 'auto',
      switched(parameters.disableParallelToolUse),
      switched(parameters.imagesPresent),
      thinking.mode,
      thinking.budgetTokens ?? 0,
      parameters.effort ?? model.defaults.effort,
    ]),
  );
  if (parameters.delivery !== 'whole') return { tools, system, messages };
  return { tools, system, messages: chainDigest(messages, digestParts(['whole'])) };
}

/** The salts of a request with another thinking budget: the messages level is another one (CCH-1). */
export function otherBudget({ tools, system, messages }: LevelSalts): LevelSalts {
  return { tools, system, messages: chainDigest(messages, digestParts(['other budget'])) };
}

/** Which levels of the cache begin again. */
export type FreshLevel = 'messages' | 'all';

/** The salts of requests that share nothing with those before them, from a level on; each time has a number of its own. */
export function freshSalts(salts: LevelSalts, level: FreshLevel, time: number): LevelSalts {
  const mark = digestParts(['fresh', level, time]);
  const messages = chainDigest(salts.messages, mark);
  if (level === 'messages') return { tools: salts.tools, system: salts.system, messages };
  return { tools: chainDigest(salts.tools, mark), system: chainDigest(salts.system, mark), messages };
}

/** The salts of requests that name their session as the cache key: they share nothing with those of another. */
export function sessionSalts({ tools, system, messages }: LevelSalts, session: string): LevelSalts {
  const mark = digestParts(['session', session]);
  return {
    tools: chainDigest(tools, mark),
    system: chainDigest(system, mark),
    messages: chainDigest(messages, mark),
  };
}
