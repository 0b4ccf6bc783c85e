import { formatDigest } from '../../core/base/digest.js';
import { getOrMake } from '../../core/base/once.js';
import { ownValue } from '../../core/base/own-value.js';
import { fillerText } from '../../core/model/block.js';
import type { AnswerBlock, GivenAnswer } from '../fake-api/answer.js';
import {
  type ApiRequest,
  asList,
  asObject,
  asText,
  type CountTokens,
  type DefinedTool,
  type JsonObject,
  minimalValue,
} from '../fake-api/api-request.js';
import { type PlacedRequest, saidIn, type WorkThread } from '../fake-api/conversations.js';
import type { AnswerSource } from '../fake-api/fake-api.js';
import { DONE, type Said, type Script, type ScriptCall, type ScriptRule, type ScriptStep } from './script.js';
import { ACTIONS, type ActionName, type ActionRow } from './tools.generated.js';

/** Characters of a token, to begin with. */
const CHARS_PER_TOKEN = 4;

/** How often the length is corrected: tokens go nearly in proportion to it. */
const MOST_TRIES = 8;

/** The words themselves, or filler of that size in tokens, which depends on the seed alone. */
function say(said: Said, count: CountTokens, seed: string): string {
  if (typeof said === 'string') return said;
  let chars = said * CHARS_PER_TOKEN;
  let text = fillerText(chars, seed);
  for (let i = 0; i < MOST_TRIES; i++) {
    const tokens = count(text);
    if (tokens === said) break;
    chars = Math.max(1, Math.round((chars * said) / Math.max(1, tokens)));
    text = fillerText(chars, seed);
  }
  return text;
}

/** What a script needs besides itself. */
export interface ScriptOptions {
  /** Lets simulated time pass. */
  readonly skip: (ms: number) => void;
  /** Hears of what the script asks for and the client cannot do. */
  readonly onProblem: (problem: string) => void;
  /** Folder of the client, where the script names none. */
  readonly folder?: string | null;
}

/** A script at work. */
export interface ScriptSource extends AnswerSource {
  /** How many of its steps of the main thread were given. */
  readonly given: number;
}

/** What was answered in a thread. */
interface ThreadState {
  next: number;
  /** The latest request and its answer: the same request again is a client that retries. */
  latest: { readonly prompt: number; readonly answer: GivenAnswer } | null;
  waitMs: number;
}

/** What represents a request: its whole prompt. */
function promptOf({ view }: ApiRequest): number {
  return view.length === 0 ? 0 : view.digests[view.length - 1]!;
}

/** The tool results of the newest turn. */
function newestResults({ messages }: ApiRequest): string {
  const results = (messages.at(-1)?.blocks ?? []).filter(({ kind }) => kind === 'tool_result');
  return results.map(({ text }) => text?.read() ?? '').join('\n');
}

function fits({ prompt, result }: ScriptRule, request: ApiRequest): boolean {
  if (prompt !== null && !prompt.test(saidIn(request.messages.at(-1)))) return false;
  return result === null || result.test(newestResults(request));
}

/** Tags that clients ask summaries to be put in. */
const TAGS = ['summary', 'state_snapshot'] as const;

/** A summary in the tags that a request asks for; words that have tags already stay as they are. */
function tagged(summary: string, asked: string): string {
  const [before, tag] = [asked.includes('<analysis>'), TAGS.find((name) => asked.includes(`<${name}>`))];
  if (tag === undefined || summary.includes(`<${tag}>`)) return summary;
  return `${before ? '<analysis>\nAll of it was read.\n</analysis>\n\n' : ''}<${tag}>\n${summary}\n</${tag}>`;
}

function describe(call: ScriptCall): string {
  if ('tool' in call) return `the tool ${call.tool}`;
  const what = {
    read: 'reads files',
    run: 'runs commands',
    edit: 'edits files',
    write: 'writes files',
    agent: 'starts subagents',
  };
  return `a tool that ${what[call.action]}`;
}

/** Answers as a script says: each thread goes through its steps, whatever comes in between. */
export function createScriptSource(script: Script, options: ScriptOptions): ScriptSource {
  const { skip, onProblem } = options;
  const folder = script.folder ?? options.folder ?? null;
  const threads = new WeakMap<WorkThread, ThreadState>();
  const used = new Map<ScriptRule, number>();
  const all = [...script.steps, ...script.when.map(({ answer }) => answer)];
  let calls = 0;
  let given = 0;

  function stateOf(thread: WorkThread): ThreadState {
    return getOrMake(threads, thread, () => ({ next: 0, latest: null, waitMs: 0 }));
  }

  function pathOf(file: string): string {
    return folder === null || /^(?:[/~]|[A-Za-z]:[\\/])/.test(file) ? file : `${folder}/${file}`;
  }

  function called(call: ScriptCall, request: ApiRequest): ToolCall | null {
    const withFolder = (text: string): string =>
      folder === null ? text : text.replaceAll(`\${cwd}`, folder);
    if ('tool' in call) return toolCall(call, request.tools);
    const values = Object.entries(call.values).map(([key, value]) => {
      const text = withFolder(say(value, request.count, key));
      return [key, key === 'file' ? pathOf(text) : text] as const;
    });
    return toolCall({ action: call.action, values: Object.fromEntries(values) }, request.tools);
  }

  /** The answer of a step to a request, with what the request's client has to do it. */
  function answerOf(step: ScriptStep, request: ApiRequest, { thread }: PlacedRequest): GivenAnswer {
    const seed = `${thread.kind} ${formatDigest(request.spoken)}`;
    const content: AnswerBlock[] = [];
    const spoken = (said: Said, name: string): string => say(said, request.count, `${name} ${seed}`);
    if (step.thinking !== null && request.thinking === 'on') {
      const signature = `sig_${formatDigest(request.spoken)}`;
      content.push({ type: 'thinking', thinking: spoken(step.thinking, 'thinking'), signature });
    }
    for (const said of step.texts) content.push({ type: 'text', text: spoken(said, 'text') });
    const missing: string[] = [];
    for (const call of step.calls) {
      const made = called(call, request);
      if (made === null) {
        missing.push(describe(call));
        continue;
      }
      calls += 1;
      const id = `toolu_${String(calls).padStart(6, '0')}${formatDigest(request.spoken)}`;
      content.push({ type: 'tool_use', id, ...made });
    }
    if (missing.length > 0) {
      const names = request.tools.map(({ name }) => name).join(', ') || 'none';
      const problem = `the script needs ${missing.join(' and ')}, which the request does not define; its tools: ${names}`;
      onProblem(problem);
      return { content: [{ type: 'text', text: `Script problem: ${problem}` }], stopReason: 'end_turn' };
    }
    const { stop, outputTokens, latencyMs, usage } = step;
    return {
      content,
      usage,
      ...(stop === null ? {} : { stopReason: stop }),
      ...(outputTokens === null ? {} : { outputTokens }),
      ...(latencyMs === null ? {} : { latencyMs }),
    };
  }

  function takeStep(state: ThreadState, thread: WorkThread): ScriptStep | null {
    const steps = thread.kind === 'main' ? script.steps : (script.agents[thread.agent! - 1] ?? []);
    const step = steps[state.next] ?? null;
    if (step === null) return null;
    state.next += 1;
    if (thread.kind === 'main') given += 1;
    return step;
  }

  function ruleFor(request: ApiRequest): ScriptRule | null {
    const rule = script.when.find((one) => (used.get(one) ?? 0) < one.times && fits(one, request));
    if (rule === undefined) return null;
    used.set(rule, (used.get(rule) ?? 0) + 1);
    return rule;
  }

  function answerNew(request: ApiRequest, place: PlacedRequest, state: ThreadState): GivenAnswer {
    const { kind, thread } = place;
    if (kind === 'summary') {
      const summary = say(script.summary, request.count, formatDigest(request.spoken));
      return { content: [{ type: 'text', text: tagged(summary, saidIn(request.messages.at(-1))) }] };
    }
    const rule = ruleFor(request);
    if (rule?.consumes === 'step' && kind !== 'side') takeStep(state, thread);
    if (kind === 'side') return answerOf(rule?.answer ?? DONE, request, place);
    const step = rule?.answer ?? takeStep(state, thread) ?? script.otherwise;
    state.waitMs = step.waitMs;
    return answerOf(step, request, place);
  }

  return {
    callsTools: all.some(({ calls: wanted }) => wanted.length > 0),
    get given() {
      return given;
    },
    arrive({ kind, thread }, request) {
      const state = stateOf(thread);
      if (kind !== thread.kind || state.waitMs === 0 || state.latest?.prompt === promptOf(request)) return;
      skip(state.waitMs);
      state.waitMs = 0;
    },
    answer(request, place) {
      const state = stateOf(place.thread);
      if (place.kind !== place.thread.kind) return answerNew(request, place, state);
      const prompt = promptOf(request);
      if (state.latest?.prompt === prompt) return state.latest.answer;
      const answer = answerNew(request, place, state);
      state.latest = { prompt, answer };
      return answer;
    },
  };
}

/** A call as a client gets it. */
interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
}

type Values = Readonly<Record<string, string>>;

/** Whether a value is a list of words, as shells take their commands that start programs themselves. */
function isWordList(schema: JsonObject): boolean {
  return asText(schema.type)?.toLowerCase() === 'array' && asObject(schema.items)?.properties === undefined;
}

/** The input of a tool that does an action: known values by their names, fixed ones, and the smallest for what else is required. */
function inputOf(tool: DefinedTool, { arguments: names, fixed }: ActionRow, values: Values): JsonObject {
  const own = ownValue(fixed, tool.name) ?? {};
  const byName = new Map(
    Object.entries(names).flatMap(([key, candidates]) =>
      candidates.map((name) => [name, ownValue(values, key)] as const),
    ),
  );
  const hasSchema = Object.keys(asObject(tool.input.properties) ?? {}).length > 0;
  if (!hasSchema)
    return Object.fromEntries(Object.entries(names).map(([key, [first]]) => [first!, ownValue(values, key)]));
  const made = minimalValue(tool.input, (name, schema) => {
    if (Object.hasOwn(own, name)) return ownValue(own, name);
    const value = byName.get(name);
    if (value === undefined) {
      // What is required beside the values, a list of changes say, is made of the same names.
      return asText(schema.type)?.toLowerCase() === 'array' && holdsNames(schema, byName)
        ? [minimalValue(asObject(schema.items)!, (inner) => byName.get(inner))]
        : undefined;
    }
    return isWordList(schema) ? ['bash', '-lc', value] : value;
  });
  return asObject(made) ?? {};
}

function holdsNames(schema: JsonObject, byName: ReadonlyMap<string, unknown>): boolean {
  const inner = asObject(asObject(schema.items)?.properties) ?? {};
  return Object.keys(inner).some((name) => byName.has(name));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The tool that does an action, and its input; null if none is defined. */
function actionCall(action: ActionName, values: Values, tools: readonly DefinedTool[]): ToolCall | null {
  const row = ACTIONS[action];
  for (const name of row.tools) {
    const tool = tools.find((other) => other.name === name);
    if (tool !== undefined) return { name, input: inputOf(tool, row, values) };
  }
  if (row.shell === null) return null;
  const command = row.shell.replace(/\$\{(\w+)\}/g, (_, key: string) => quoted(ownValue(values, key) ?? ''));
  return actionCall('run', { command }, tools);
}

/** The action that a tool of a known client does, with the values of its input; null if none fits. */
function actionOf(name: string, input: JsonObject): { action: ActionName; values: Values } | null {
  for (const action of Object.keys(ACTIONS) as ActionName[]) {
    const row = ACTIONS[action];
    const fixed = Object.entries(ownValue(row.fixed, name) ?? {});
    const isOther = fixed.some(([key, value]) => Object.hasOwn(input, key) && ownValue(input, key) !== value);
    if (!row.tools.includes(name) || isOther) continue;
    const found = Object.entries(row.arguments).map(([key, candidates]) => {
      const value = candidates.map((candidate) => ownValue(input, candidate)).find((one) => one != null);
      return [key, asText(value) ?? asText(asList(value)?.at(-1))] as const;
    });
    if (found.every(([, value]) => value !== null))
      return { action, values: Object.fromEntries(found) as Values };
  }
  return null;
}

/**
 * A call of a tool that a request defines; null if it defines none for it. A tool by name that is not defined may be another
 * client's: what it does is done with this client's.
 */
function toolCall(
  call: Exclude<ScriptCall, { readonly action: ActionName }> | { action: ActionName; values: Values },
  tools: readonly DefinedTool[],
): ToolCall | null {
  if ('action' in call) return actionCall(call.action, call.values, tools);
  const tool = tools.find(({ name }) => name === call.tool);
  if (tool !== undefined)
    return { name: tool.name, input: call.input ?? asObject(minimalValue(tool.input)) ?? {} };
  const same = call.input === null ? null : actionOf(call.tool, call.input);
  return same === null ? null : actionCall(same.action, same.values, tools);
}
