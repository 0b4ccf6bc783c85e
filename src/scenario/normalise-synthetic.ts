import { DEFAULT_MODEL, type SyntheticSpec } from '../transcript/synthetic/spec.js';
import type { ScenarioSynthetic } from './schema-synthetic.js';

/** A generated session with every default filled in; what is null in the scenario is absent here. */
export type NormalSynthetic = SyntheticSpec &
  Required<Pick<SyntheticSpec, 'model' | 'text' | 'overrides' | SyntheticList>>;

/** Lists of a generated session whose entries point at turns. */
export const SYNTHETIC_LISTS = ['idle', 'compactAt', 'modelAt', 'resumeAt', 'prefixChangeAt'] as const;
type SyntheticList = (typeof SYNTHETIC_LISTS)[number];

/** Workload and length of a generated session that names none. */
export const SYNTHETIC_DEFAULTS = { workload: 'bugfix', turns: 200, text: 'filler' } as const;

/** Fills in the defaults of a generated session. */
export function normaliseSynthetic(
  written: ScenarioSynthetic,
  seed: number,
  model: string | null | undefined,
): NormalSynthetic {
  const { prefixTokens, subagents, steady, overrides } = written;
  const spec = {
    workload: written.workload ?? SYNTHETIC_DEFAULTS.workload,
    turns: written.turns ?? SYNTHETIC_DEFAULTS.turns,
    seed,
    model: model ?? DEFAULT_MODEL,
    idle: written.idle ?? [],
    compactAt: written.compactAt ?? [],
    modelAt: written.modelAt ?? [],
    resumeAt: written.resumeAt ?? [],
    prefixChangeAt: written.prefixChangeAt ?? [],
    text: written.text ?? SYNTHETIC_DEFAULTS.text,
    overrides: overrides ?? {},
    ...(prefixTokens == null ? {} : { prefixTokens }),
    ...(subagents == null ? {} : { subagents }),
    ...(steady == null ? {} : { steady }),
  };
  return spec as NormalSynthetic;
}
