import { ownValue } from '../../../core/base/own-value.js';
import type { ToolEffect } from '../../../core/model/block.js';
import type { ToolSampler } from '../samplers.js';
import type { TreeFile } from './file-tree.js';
import type { FillerInit } from './filler-text.js';

/** The JSON field that carries most of a tool's input. */
const BODY_FIELD: Readonly<Record<string, string>> = {
  Bash: 'command',
  Write: 'content',
  Grep: 'pattern',
  Glob: 'pattern',
  Task: 'prompt',
  WebFetch: 'prompt',
  WebSearch: 'query',
  ExitPlanMode: 'plan',
};

/** A tool call as text: name and JSON input, with filler between head and tail where it has a body. */
export interface InputFrame {
  readonly head: string;
  readonly tail: string;
  readonly hasBody: boolean;
}

/** The frame of a call: one text field of filler, behind a path where it is about a file. */
export function toolInputFrame(tool: string, path: string | null): InputFrame {
  const file = path === null ? '' : `"file_path":"${path}",`;
  return { head: `${tool}{${file}"${ownValue(BODY_FIELD, tool) ?? 'input'}":"`, tail: '"}', hasBody: true };
}

/** The frame of a call whose input is known to the letter. */
export function exactInput(tool: string, input: Readonly<Record<string, unknown>>): InputFrame {
  const json = JSON.stringify(input);
  return { head: `${tool}${json.slice(0, -1)}`, tail: '}', hasBody: false };
}

/** The frame of a call with filler in one field of its input; the others stand in the order given, before and behind it. */
export function inputAround(
  tool: string,
  before: Readonly<Record<string, unknown>>,
  field: string,
  behind: Readonly<Record<string, unknown>> = {},
): InputFrame {
  const opening = JSON.stringify(before).slice(0, -1);
  const closing = JSON.stringify(behind).slice(1);
  const comma = opening === '{' ? '' : ',';
  return {
    head: `${tool}${opening}${comma}"${field}":"`,
    tail: closing === '}' ? '"}' : `",${closing}`,
    hasBody: true,
  };
}

/** What comes back from a call. */
export interface ResultSketch extends Pick<FillerInit, 'chars' | 'head' | 'seed'> {
  /** Tokens besides those of its characters. */
  readonly moreTokens?: number;
  readonly effect?: ToolEffect;
  /** File the result names, where that is not the file of the call. */
  readonly path?: string;
}

/** A tool call that is about to be made: what it says, what it does, what comes back. */
export class ToolSketch {
  /** Characters of the whole input, its frame included; a frame without a body is as long as it is. */
  inputChars: number;
  result: ResultSketch;
  isError: boolean;
  /** An edit: the share of the body that is the old text, and what stands between old and new. */
  halves: { readonly oldShare: number; readonly between: string } | null = null;
  /** What it does, by the characters of its body, or of its new and its old text. */
  effect: ((bodyChars: number, oldChars: number) => ToolEffect) | null = null;
  /** What else has happened when the call is answered. */
  leadsTo: SketchOutcome | null = null;

  /** Each call draws once for its input, its result and its luck, whatever it is. */
  constructor(
    readonly tool: ToolSampler,
    public input: InputFrame,
    public path: string | null = null,
  ) {
    this.inputChars = tool.inputChars();
    this.result = { chars: tool.resultChars() };
    this.isError = tool.fails();
  }
}

/** What a call leads to besides its result. */
export type SketchOutcome =
  | { readonly kind: 'file'; readonly file: TreeFile }
  | { readonly kind: 'skill'; readonly name: string }
  | { readonly kind: 'todo' }
  | {
      readonly kind: 'background';
      readonly task: string;
      readonly run: 'agent' | 'command';
      readonly label: string;
    }
  | { readonly kind: 'plan-accepted' }
  | { readonly kind: 'plan-rejected' };
