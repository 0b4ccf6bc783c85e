import type { ChangeSaid, SizeBefore } from '../../agent/layers/support/compaction-report.js';
import type { Policy } from '../../agent/policies/policy.js';
import type { WrittenPolicy } from '../../agent/policy-file/paths.js';
import type { Block, BlockInit } from '../../core/model/block.js';
import type { Message, MessageInit } from '../../core/model/message.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { Action } from '../../core/run/action.js';
import type { ContextView, LayerDefinition } from '../../core/run/layer.js';
import type { Layer } from '../../core/run/log-entries.js';
import type { Metric } from '../../metrics/metric.js';

/** A layer as a plug-in writes it: what it leaves out is empty, and its switch is `<name>.enabled`. */
export interface LayerInput
  extends Omit<LayerDefinition, 'needs' | 'params' | 'killSwitch' | 'layer'>,
    Partial<Pick<LayerDefinition, 'needs' | 'params' | 'killSwitch'>> {
  /** Under which layer the log counts what it does; `rules` where absent. */
  readonly layer?: Layer;
}

/** A layer with nothing left open. */
export function fullLayer(input: LayerInput): LayerDefinition {
  const { name, points, needs = [], params = [], layer = 'rules', killSwitch = `${name}.enabled` } = input;
  return { name, layer, points, needs, params, killSwitch, create: (context) => input.create(context) };
}

/** A reader of transcripts in a format that ccbench does not know. */
export interface ReaderInput {
  readonly name: string;
  /** What a file of this format is called, in the singular; its name where absent. */
  readonly label?: string;
  /** Whether a file that begins like this is one of them; asked where no reader of ccbench takes it. */
  detect(head: string): boolean;
  /** The transcript of a whole file, unpacked. */
  read(text: string, options: { readonly id: string }): Transcript;
}

/** A policy file: YAML text, the same as an object, or one that `definePolicy` made. */
export type PolicySource = string | WrittenPolicy | Policy;

/** What a plug-in adds to ccbench. */
export interface Plugin {
  readonly name: string;
  readonly layers?: readonly LayerInput[];
  readonly policies?: readonly PolicySource[];
  readonly readers?: readonly ReaderInput[];
  readonly metrics?: readonly Metric[];
}

/** What a plug-in that is a function is handed, so that its file needs no import. */
export interface PluginTools {
  /** Reads a recording in a format that ccbench knows, from its text. */
  readTranscript(text: string, options: { readonly id: string }): Transcript;
  /** Makes a block of a message, with everything that follows from what is given. */
  createBlock(init: BlockInit): Block;
  /** Makes a message. */
  createMessage(init: MessageInit): Message;
  /** The placeholder of a tool result that was cleared. */
  clearedBlock(original: Block): Block;
  /** Takes note of the size of a conversation that a layer is about to change. */
  sizeBefore(view: ContextView): SizeBefore;
  /** The action that says in the log what a layer has changed. */
  changeReport(view: ContextView, before: SizeBefore, said: ChangeSaid): Action;
}

/** The default export of a plug-in's file. */
export type PluginModule = Plugin | ((tools: PluginTools) => Plugin);

/** A plug-in's file, and what its bytes must be. */
export interface PluginFile {
  readonly path: string;
  readonly sha256: string;
}
