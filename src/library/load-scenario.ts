import { compileScenario } from '../config/compile.js';
import { openRef } from '../config/files/open-ref.js';
import type { Transcript } from '../core/model/transcript.js';
import type { RunPlan } from '../core/run/run-plan.js';
import { openScenario, type ScenarioOptions } from './scenario-world.js';
import { type Source, speaking, speakingLater, workingFolder } from './source.js';

/** One run of a scenario. */
export interface ScenarioRun {
  /** What `replay` goes by: plain JSON, complete. */
  readonly plan: RunPlan;
  /** Reads or generates what is replayed; each call does it again. */
  transcript(): Transcript;
  /** Name of the variant; null for the base. */
  readonly variant: string | null;
}

/** A scenario ready to run: for each transcript the base, then its variants in order. */
export interface LoadedScenario {
  readonly name: string;
  readonly description: string;
  readonly runs: readonly ScenarioRun[];
}

/** Loads a scenario from a file or a text, with the policy files and plug-ins that it names; throws an error that lists every problem. */
export function loadScenario(source: Source, options: ScenarioOptions = {}): Promise<LoadedScenario> {
  return speakingLater(async () => {
    const opened = await openScenario(source, options);
    const { name, description, runs } = compileScenario(opened.source, opened.world);
    const cwd = workingFolder();
    return {
      name,
      description,
      runs: runs.map(({ plan, variant, transcript: ref }) => ({
        plan,
        variant,
        transcript: () => speaking(() => openRef(ref, { cwd })),
      })),
    };
  });
}
