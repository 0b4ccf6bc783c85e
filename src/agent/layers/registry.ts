import { createRegistry } from '../../core/base/registry.js';
import type { LayerDefinition } from '../../core/run/layer.js';
import { agentsLayer } from './agents/agents.js';
import { autoCompactLayer, idleCompactLayer, reactiveLayer } from './auto-compact/auto-compact.js';
import { autoMemoryLayer } from './auto-memory/auto-memory.js';
import { blockingLayer } from './blocking/blocking.js';
import { collapseLayer } from './collapse/collapse.js';
import { dreamingLayer } from './dreaming/dreaming.js';
import { apiNativeMicrocompactLayer } from './microcompact/api-native.js';
import {
  cachedMicrocompactLayer,
  timeBasedMicrocompactLayer,
  tokenMicrocompactLayer,
} from './microcompact/microcompact.js';
import { nestedMemoryLayer } from './nested-memory/nested-memory.js';
import { rulesLayer } from './rules/rules-layer.js';
import { sessionMemoryLayer } from './session-memory/extract.js';
import { snipLayer } from './snip/snip.js';
import { storageLayer } from './storage/storage.js';

const LAYERS: readonly LayerDefinition[] = [
  storageLayer,
  snipLayer,
  tokenMicrocompactLayer,
  timeBasedMicrocompactLayer,
  cachedMicrocompactLayer,
  apiNativeMicrocompactLayer,
  collapseLayer,
  nestedMemoryLayer,
  autoCompactLayer,
  idleCompactLayer,
  blockingLayer,
  reactiveLayer,
  sessionMemoryLayer,
  autoMemoryLayer,
  dreamingLayer,
  agentsLayer,
  rulesLayer,
];

/** Every mechanism, by name; adding one is one folder and one line. */
export const layerRegistry = createRegistry<LayerDefinition>(
  'layer',
  LAYERS.map((layer) => [layer.name, layer] as const),
);
