import { createRegistry, type Registry } from '../../core/base/registry.js';
import {
  RECORDED_SHAPE,
  type SessionShape,
  SHIPPED_WORKLOADS,
  type Workload,
} from './synthetic.generated.js';

/** The workloads by name. */
export const WORKLOADS: Registry<Workload> = createRegistry(
  'workload',
  SHIPPED_WORKLOADS.map((workload) => [workload.name, workload]),
);

/** The shape of a workload with overrides: tool weights are merged, everything else replaced. */
export function shapeOf(workload: string, overrides: Partial<SessionShape> = {}): SessionShape {
  const { shape } = WORKLOADS.get(workload);
  const toolWeights = { ...RECORDED_SHAPE.toolWeights, ...shape.toolWeights, ...overrides.toolWeights };
  return { ...RECORDED_SHAPE, ...shape, ...overrides, toolWeights };
}
