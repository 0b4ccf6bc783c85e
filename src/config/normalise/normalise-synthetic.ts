import { DEFAULT_MODEL, type SyntheticSpec } from '../../transcripts/synthetic/spec.js';
import type { ScenarioSynthetic } from '../schema/schema-synthetic.js';

/** A generated session with every default filled in; what is null in the scenario is absent here. */
export type NormalSynthetic = SyntheticSpec &
  Required<Pick<SyntheticSpec, 'model' | 'text' | 'overrides' | Exclude<SyntheticList, 'letters'>>>;

/** Lists of a generated session whose entries point at turns. */
export const SYNTHETIC_LISTS = [
  'idle',
  'compactAt',
  'modelAt',
  'resumeAt',
  'prefixChangeAt',
  'letters',
] as const;
type SyntheticList = (typeof SYNTHETIC_LISTS)[number];

/** Workload and length of a generated session that names none. */
export const SYNTHETIC_DEFAULTS = { workload: 'bugfix', turns: 200, text: 'filler' } as const;

/** Fills in the defaults of a generated session. */
export function normaliseSynthetic(
  written: ScenarioSynthetic,
  seed: number,
  model: string | null | undefined,
): NormalSynthetic {
  const { prefixTokens, subagents, steady, overrides, forks, letters } = written;
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
    ...(forks === undefined || forks.length === 0 ? {} : { forks }),
    ...(letters === undefined || letters.length === 0 ? {} : { letters }),
  };
  return spec as NormalSynthetic;
}

/** The same as one of several sessions: content of its own, tools and system prompt in common with the others. */
export function asSession(spec: NormalSynthetic, name: string, prefixTokens: number): NormalSynthetic {
  const { seed } = spec;
  return {
    ...spec,
    seed: `${seed}/${name}`,
    prefixSeed: seed,
    prefixTokens: spec.prefixTokens ?? prefixTokens,
  };
}
