import { layerRegistry } from '../../../agent/layers/registry.js';
import { truncateForUse } from '../../../agent/layers/session-memory/notes-file.js';
import { autoCompactThreshold } from '../../../agent/layers/thresholds/thresholds.js';
import { createFiles } from '../../../core/base/files.js';
import { createRandom } from '../../../core/base/random.js';
import { formatSummary } from '../../../core/model/format-summary.js';
import { createMessage, type Message, tokensOf } from '../../../core/model/message.js';
import { soloSession } from '../../../core/model/transcript.js';
import type { Action } from '../../../core/run/action.js';
import { type LayerContext, type LayerInstance, observeBy } from '../../../core/run/layer.js';
import { Limits } from '../../../core/run/limit.js';
import type { ParamValues } from '../../../core/run/params.js';
import { estimateMessages, PADDED_RULES } from '../../../core/tokens/heuristic.js';
import { Context } from '../../../engine/context/context.js';
import { findMessages } from '../../../engine/context/edited-tail.js';
import { checkRequestShape } from '../../../engine/context/invariants.js';
import { breakpointsFor, ForkView, ThreadView } from '../../../engine/context/thread-view.js';
import { counterRules, SeenCounter } from '../../../engine/counting/seen-counter.js';
import { MutableHookContext } from '../../../engine/thread/layer-host.js';
import { createPromptCache } from '../../../provider/cache/prompt-cache.js';
import { levelSalts } from '../../../provider/cache/salts.js';
import { resolveModel } from '../../../provider/prices/models.js';
import { benchPlan, benchTranscript } from './plan.js';

/** A conversation of a given size, ready to be sent, with everything a layer or the loop asks for. */
interface HotContext {
  /** Tokens of its turns; tools, system and the first prompt are the same at every size. */
  readonly tokens: number;
  readonly context: Context;
  readonly seen: SeenCounter;
  readonly view: ThreadView;
  readonly moment: MutableHookContext;
  readonly messages: readonly Message[];
  /** The messages of one more turn: a response and the results of its calls. */
  readonly nextTurn: readonly Message[];
  readonly layerContext: LayerContext;
  readonly params: ParamValues;
}

/** Turns of the source session: enough for a million tokens. */
const SOURCE_TURNS = 5_000;
/** Larger turns are left out: one of them would be most of a small context, and sizes could not be compared. */
const LARGEST_TURN_TOKENS = 2_000;

let source: readonly (readonly Message[])[] | null = null;

/** The turns of a long generated session, each a response and what came back for it; prompts stand at the end of a turn. */
function sourceTurns(): readonly (readonly Message[])[] {
  if (source !== null) return source;
  const turns: Message[][] = [[]];
  for (const step of benchTranscript(SOURCE_TURNS).threads[0]!.steps) {
    if (step.kind === 'message') turns.at(-1)!.push(step.message);
    else if (step.kind === 'call')
      turns.push([createMessage({ ...step.call.response, responseId: step.call.id })]);
  }
  source = turns.filter(
    (turn, i) => i === 0 || (turn.at(-1)?.role === 'user' && tokensOf(turn) <= LARGEST_TURN_TOKENS),
  );
  return source;
}

/** Builds a context of about this many tokens, besides tools, system and the first prompt, under the parameters of a policy. */
export function hotContext(tokens: number, policy: string): HotContext {
  const plan = benchPlan(policy);
  const params = plan.policy.params;
  const turns = sourceTurns();
  const context = new Context(benchTranscript(1).threads[0]!.prefix);
  const seen = new SeenCounter(counterRules(params, 1));
  const join = (message: Message): void => {
    context.extend([message]);
    seen.add(message);
  };
  turns[0]!.forEach(join);
  const openedWith = context.trueTokens;
  let next = 1;
  while (next < turns.length - 1 && context.trueTokens - openedWith < tokens) turns[next++]!.forEach(join);
  const nextTurn = turns[next]!;
  const view = new ThreadView(context, seen, createFiles());
  view.cacheIsWarm = true;
  const moment = new MutableHookContext('main');
  moment.now = 1_000_000;
  moment.lastResponseMs = 990_000;
  return {
    tokens: context.trueTokens - openedWith,
    context,
    seen,
    view,
    moment,
    messages: context.messages,
    nextTurn,
    params,
    layerContext: {
      params,
      thread: 'main',
      source: 'main',
      model: () => ({ name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 64_000 }),
      plan,
      nextUse: () => Number.POSITIVE_INFINITY,
      limits: new Limits(plan.policy),
      isSumming: false,
      random: createRandom('hot'),
      shared: new Map(),
      session: soloSession(),
    },
  };
}

const NONE_GONE: ReadonlySet<string> = new Set();
const PAUSE_MS = 3 * 3_600_000;

/** A full window of tool results that waits to be cleared after a long pause (MIC-2). */
interface FullClearing {
  /** Lays a fresh window and lets the layer take note of its results, as it does message by message in a session. */
  lay(): void;
  /** Clears all results but the latest; returns the true tokens that are left. */
  clear(): number;
}

/** Prepares the clearing of a window. @internal */
export function fullClearing(hot: HotContext): FullClearing {
  const params = { ...hot.params, 'microcompact.timeBased.keepRecent': 1 };
  const definition = layerRegistry.get('microcompact-time');
  const rules = counterRules(params, 1);
  const moment = new MutableHookContext('main');
  moment.now = PAUSE_MS;
  moment.lastResponseMs = 0;
  let context!: Context;
  let seen!: SeenCounter;
  let view!: ThreadView;
  let layer!: LayerInstance;

  function rewrite({ edits }: Extract<Action, { kind: 'rewrite-blocks' }>): void {
    const before = findMessages(context.messages, new Set(edits.map((edit) => edit.messageId)));
    context.rewrite(edits);
    seen.replace(edits, before, NONE_GONE);
  }

  return {
    lay() {
      context = new Context(hot.context.prefix);
      seen = new SeenCounter(rules);
      for (const message of hot.messages) {
        context.extend([message]);
        seen.add(message);
      }
      context.sent();
      view = new ThreadView(context, seen, createFiles());
      layer = definition.create({ ...hot.layerContext, params, shared: new Map() });
      layer.due(moment, view);
    },
    clear() {
      const actions = layer.act(moment, view);
      for (let step = actions.next(); step.done !== true; step = actions.next({ kind: 'done' }))
        if (step.value.kind === 'rewrite-blocks') rewrite(step.value);
      return context.trueTokens;
    },
  };
}

/** A hot path over one context. */
export interface PreparedPath {
  /** Runs before each call and is not timed. */
  readonly before?: () => void;
  readonly run: () => unknown;
}

/** A hot path of an agent's turn. */
export interface HotPath {
  readonly name: string;
  /** What it works on; `fixed` where that is the same at every size of the context. */
  readonly input: string;
  /** The output itself is the whole window. */
  readonly wholeWindow: boolean;
  prepare(hot: HotContext): PreparedPath;
}

const MODEL = { window: 200_000, maxOutput: 64_000 };
const TTL_MS = 300_000;
const CHARS_PER_TOKEN = 4;
/** Tokens of a summary with its scratchpad, as a share of the context. */
const SUMMARY_SHARE = 0.2;
/** Tokens of notes, as a share of the context. */
const NOTES_SHARE = 0.25;
/** Characters of a section of notes, and the most that may enter the context (SES-9: 2,000 tokens). */
const SECTION_CHARS = 10_000;
const SECTION_LIMIT_CHARS = 8_000;
const LINE = 'The parser now keeps positions, and the tests cover broken lines.\n';

function lines(chars: number): string {
  return LINE.repeat(Math.max(1, Math.round(chars / LINE.length)));
}

/** A summary as a model writes it: a scratchpad, then the summary, with a run of blank lines. */
function summaryText(tokens: number): string {
  const part = lines((tokens * SUMMARY_SHARE * CHARS_PER_TOKEN) / 4);
  return `<analysis>\n${part}</analysis>\n\n\n<summary>\n${part}\n\n\n\n${part}${part}</summary>`;
}

/** Notes of many sections, each over its limit. */
function notesText(tokens: number): string {
  const sections = Math.max(1, Math.round((tokens * NOTES_SHARE * CHARS_PER_TOKEN) / SECTION_CHARS));
  return Array.from(
    { length: sections },
    (_, i) => `# Section ${i}\n_What belongs here._\n${lines(SECTION_CHARS)}`,
  ).join('\n');
}

/** Looks up the request of the next turn: what the one before it wrote lies a few blocks back. */
function prepareLookup(hot: HotContext): PreparedPath {
  const cache = createPromptCache();
  const model = resolveModel('claude-sonnet-4-5');
  const view = new Context(hot.context.prefix);
  const request = { model, salts: levelSalts({ model }), view, startMs: 1_000, readableAtMs: 1_000 };
  view.extend(hot.messages);
  cache.request({
    ...request,
    breakpoints: breakpointsFor(view, 'system+last', TTL_MS, view),
    write: 'write',
  });
  view.extend(hot.nextTurn);
  const next = {
    ...request,
    breakpoints: breakpointsFor(view, 'system+last', TTL_MS, view),
    write: 'read-only' as const,
  };
  return { run: () => cache.request(next) };
}

/** What a request adds to its context: it is sealed and checked, and breakpoints are placed. */
function prepareRequest({ context, seen, moment }: HotContext): PreparedPath {
  return {
    run() {
      context.seal(moment.now);
      checkRequestShape(context);
      return {
        breakpoints: breakpointsFor(context, 'system+last-two', TTL_MS, context),
        seen: seen.tokens,
        kept: context.keptShare(0),
        freshTokens: context.freshTokens,
      };
    },
  };
}

const PATHS: readonly HotPath[] = [
  {
    name: 'token estimate of a turn',
    input: 'fixed: the next turn',
    wholeWindow: false,
    prepare: (hot) => ({ run: () => estimateMessages(hot.nextTurn, PADDED_RULES) }),
  },
  {
    name: 'threshold check',
    input: 'fixed: running sums',
    wholeWindow: false,
    prepare: (hot) => ({
      run: () => hot.view.seenTokens >= autoCompactThreshold(hot.params, MODEL),
    }),
  },
  {
    name: 'prefix digest of a turn',
    input: 'fixed: the next turn',
    wholeWindow: false,
    prepare(hot) {
      const blocks = hot.nextTurn.flatMap((message) => message.blocks);
      return {
        run() {
          const view = new ForkView(hot.context, hot.context.length, blocks);
          const digest = view.digests[view.length - 1]!;
          view.close();
          return digest;
        },
      };
    },
  },
  {
    name: 'cache lookup',
    input: 'fixed: blocks to look back on',
    wholeWindow: false,
    prepare: prepareLookup,
  },
  {
    name: 'request building',
    input: 'fixed: the end of the context',
    wholeWindow: false,
    prepare: prepareRequest,
  },
  {
    name: 'context from messages',
    input: 'all messages',
    wholeWindow: true,
    prepare: (hot) => ({ run: () => new Context(hot.context.prefix).extend(hot.messages) }),
  },
  {
    name: 'microcompact of a full window',
    input: 'all results but the latest',
    wholeWindow: true,
    prepare(hot) {
      const { lay, clear } = fullClearing(hot);
      return { before: lay, run: clear };
    },
  },
  {
    name: 'summary formatting',
    input: 'a fifth of the context',
    wholeWindow: false,
    prepare(hot) {
      const text = summaryText(hot.tokens);
      return { run: () => formatSummary(text, 'drop') };
    },
  },
  {
    name: 'notes truncation',
    input: 'a quarter of the context',
    wholeWindow: false,
    prepare(hot) {
      const text = notesText(hot.tokens);
      return { run: () => truncateForUse(text, SECTION_LIMIT_CHARS, '/notes.md') };
    },
  },
];

/** The paths of an agent's turn, the question whether a layer is due included. */
export function hotPaths(): readonly HotPath[] {
  const dues = layerRegistry
    .all()
    .filter((layer) => layer.layer !== 'rules')
    .map(
      (layer): HotPath => ({
        name: `due ${layer.name}`,
        input: 'fixed: what is new to it',
        wholeWindow: false,
        prepare({ messages, moment, layerContext, view }) {
          const instance = layer.create(layerContext);
          for (const message of messages) observeBy(instance, message);
          moment.point = layer.points[0]!;
          instance.due(moment, view);
          moment.turn++;
          return { run: () => instance.due(moment, view) };
        },
      }),
    );
  return [...PATHS, ...dues];
}
