import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { waitsForRefusal } from '../auto-compact/may-compact.js';
import { blockStop } from '../rules/guards.js';
import { layerParams } from '../support/param-reader.js';
import { thresholds } from '../thresholds/thresholds.js';

/** Refuses new input close to the limit when compaction could not make room (WIN-6). */
export const blockingLayer: LayerDefinition = {
  name: 'blocking',
  layer: 'full-compact',
  points: ['before-request'],
  needs: [],
  params: layerParams('blocking'),
  killSwitch: 'blocking.enabled',
  create: (context) => createBlocking(context),
};

function createBlocking(context: LayerContext): LayerInstance {
  const { params } = context;
  let known: ReturnType<LayerContext['model']> | null = null;
  let limit: number | null = null;
  return {
    canCheckpoint: true,
    due(_moment: HookContext, view: ContextView) {
      const model = context.model();
      if (model !== known) {
        known = model;
        limit = waitsForRefusal(params, model.name) ? null : thresholds(params, model).blocking;
      }
      return limit !== null && view.seenTokens >= limit;
    },
    *act(_moment, view) {
      yield blockStop('full-compact', view.seenTokens, limit!);
    },
  };
}
