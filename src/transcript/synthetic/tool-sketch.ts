import type { ToolEffect } from '../../model/tool-effect.js';
import type { TreeFile } from './file-tree.js';
import type { ToolSampler } from './samplers.js';
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
export interface ToolSketch {
  readonly tool: ToolSampler;
  readonly input: InputFrame;
  /** Characters of the whole input, its frame included; a frame without a body is as long as it is. */
  readonly inputChars: number;
  /** An edit: the share of the body that is the old text, and what stands between old and new. */
  readonly halves?: { readonly oldShare: number; readonly between: string };
  readonly path: string | null;
  /** What it does, by the characters of its body, or of its new and its old text. */
  readonly effect?: (bodyChars: number, oldChars: number) => ToolEffect;
  readonly result: ResultSketch;
  readonly isError: boolean;
  /** What else has happened when the call is answered. */
  readonly leadsTo?: SketchOutcome;
}

/** What a call leads to besides its result. */
export type SketchOutcome =
  | { readonly kind: 'file'; readonly file: TreeFile; readonly change: 'edit' | 'write' }
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
