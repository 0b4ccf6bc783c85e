import type { ToolEffect } from '../../../core/model/tool-effect.js';
import type { ToolSampler } from '../samplers.js';
import type { TreeFile } from './file-tree.js';
import type { InputFrame } from './tool-input.js';

/** What comes back from a call. */
export interface ResultSketch {
  readonly chars: number;
  /** Words it begins with. */
  readonly head?: string;
  /** Equal ones read equal. */
  readonly seed?: number;
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
