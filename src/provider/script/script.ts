import { attempt } from '../../core/base/errors.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import { callsIn, compactionsIn, isSummaryFork, type Transcript } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import type { StopReason } from '../fake-api/answer.js';
import { asObject } from '../fake-api/api-request.js';
import type { ActionName } from './tools.generated.js';

/** Words, or a number of tokens that filler is made of. */
export type Said = string | number;

/** A call of a tool: by what it does, or by its name. Without input it gets the smallest that the tool takes. */
export type ScriptCall =
  | { readonly action: ActionName; readonly values: Readonly<Record<string, Said>> }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> | null };

/** One answer of a script. */
export interface ScriptStep {
  readonly thinking: Said | null;
  readonly texts: readonly Said[];
  readonly calls: readonly ScriptCall[];
  readonly stop: StopReason | null;
  readonly outputTokens: number | null;
  readonly latencyMs: number | null;
  readonly usage: Partial<Usage>;
  /** Time that passes before the next request of the thread. */
  readonly waitMs: number;
}

/** An answer to requests that fit a pattern. */
export interface ScriptRule {
  /** What the user says in the newest turn. */
  readonly prompt: RegExp | null;
  /** The tool results of the newest turn. */
  readonly result: RegExp | null;
  readonly times: number;
  /** Whether it takes the place of a step. */
  readonly consumes: 'step' | 'nothing';
  readonly answer: ScriptStep;
}

/** A file that must be there when the script is run. */
export interface ScriptFile {
  readonly path: string;
  readonly chars: number;
  /** How its text begins. */
  readonly begins: string;
}

/** What a server answers. */
export interface Script {
  /** Folder that relative paths of actions are joined with; null leaves them as they are. */
  readonly folder: string | null;
  readonly files: readonly ScriptFile[];
  readonly summary: Said;
  readonly steps: readonly ScriptStep[];
  /** Steps of each subagent, in the order of the calls that start them. */
  readonly agents: readonly (readonly ScriptStep[])[];
  readonly when: readonly ScriptRule[];
  readonly otherwise: ScriptStep;
}

/** A step that says and does nothing, to make others of. */
export const EMPTY_STEP: ScriptStep = {
  thinking: null,
  texts: [],
  calls: [],
  stop: null,
  outputTokens: null,
  latencyMs: null,
  usage: {},
  waitMs: 0,
};

/** What is said where a script says nothing. */
export const DONE: ScriptStep = { ...EMPTY_STEP, texts: ['Done.'] };

/** Tokens of a summary where a script does not say: about as many as real ones have. */
export const SUMMARY_TOKENS = 3_000;

/** The words of a block; its size where the recording holds no text. */
function saidBy({ text, tokens }: Block): Said {
  const words = text?.read() ?? '';
  return words === '' ? Math.max(1, tokens) : words;
}

/** A recorded call; without its input where the recording does not hold it. */
function callOf({ tool, text }: Block): ScriptCall {
  const name = tool ?? 'unknown';
  const written = text?.read() ?? '';
  const input = attempt(() => asObject(JSON.parse(written.slice(written.indexOf('{')))), null);
  return { tool: name, input };
}

function stepOf({ blocks }: Message): ScriptStep {
  const of = (kind: Block['kind']): readonly Block[] => blocks.filter((block) => block.kind === kind);
  const thoughts = of('thinking').map(saidBy);
  return {
    ...EMPTY_STEP,
    thinking: thoughts[0] ?? null,
    texts: of('text').map(saidBy),
    calls: of('tool_use').map(callOf),
  };
}

function answersOf(thread: Transcript['threads'][number]): readonly ScriptStep[] {
  return callsIn([{ steps: [...(thread.flow?.steps() ?? thread.steps)] }])
    .map(({ response }) => stepOf(response))
    .filter(({ texts, calls }) => texts.length + calls.length > 0);
}

/** The first recorded summary; null if there is none. */
function summaryOf(threads: Transcript['threads']): Said | null {
  const [block] = compactionsIn(threads).flatMap(({ summary }) => summary?.blocks[0] ?? []);
  return block === undefined ? null : saidBy(block);
}

/** The answers of a recorded session as a script: those of its main thread, and of its subagents. */
export function recordedScript({ threads }: Transcript): Script {
  const work = threads.filter((thread) => !isSummaryFork(thread));
  const main = work.filter(({ parentId }) => parentId === null);
  return {
    folder: null,
    files: [],
    summary: summaryOf(main) ?? SUMMARY_TOKENS,
    steps: main.slice(0, 1).flatMap(answersOf),
    agents: work.filter(({ parentId }) => parentId !== null).map(answersOf),
    when: [],
    otherwise: DONE,
  };
}
