import { formatDigest } from '../../core/base/digest.js';
import { fillerText } from '../../core/model/block.js';
import type { AnswerBlock, GivenAnswer } from '../fake-api/answer.js';
import type { AnswerSource } from '../fake-api/answer-source.js';
import type { ApiRequest, CountTokens } from '../fake-api/api-request.js';
import { type PlacedRequest, saidIn, type WorkThread } from '../fake-api/conversations.js';
import { DONE, type Said, type Script, type ScriptCall, type ScriptRule, type ScriptStep } from './script.js';
import { type ToolCall, toolCall } from './tool-call.js';

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

/** What stands for a request: its whole prompt. */
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
    let state = threads.get(thread);
    if (state === undefined) {
      state = { next: 0, latest: null, waitMs: 0 };
      threads.set(thread, state);
    }
    return state;
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
      const problem = `the script wants ${missing.join(' and ')}, and the request defines none; its tools: ${names}`;
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
