import { compileScenario } from '../../../config/compile.js';
import { builtinContext } from '../../../config/context.js';
import { readScenarioText } from '../../../config/files/scenario-text.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { createNameTable } from '../../../core/base/own-value.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../../provider/cache/ttl.js';

/** Options of `ccbench serve` that say how the server behaves. */
export interface ServeBehaviour {
  readonly ttl?: string;
  readonly fault?: readonly string[];
  readonly scenario?: string;
  readonly latencyScale?: number;
  readonly seed?: number;
}

/** How a server behaves. */
export interface ServePlan {
  /** Lifetime of every marker; null where the requests decide. */
  readonly ttlMs: number | null;
  readonly cache: RunPlan['cache'];
  readonly llm: RunPlan['llm'];
  readonly seed: number;
}

/** What holds where no scenario is given. */
const PLAIN = 'name: serve\ntranscript: { synthetic: { workload: bugfix, turns: 1 } }\npolicy: none\n';

/** `overloaded:every=5,retryAfterSeconds=1` as a fault of a scenario. */
function readFault(written: string): Readonly<Record<string, unknown>> {
  const [error, ...rest] = written.split(':');
  const fault = createNameTable<unknown>();
  fault.call = 'main';
  fault.error = error;
  for (const part of rest.join(':').split(',')) {
    if (part === '') continue;
    const [key, value, ...more] = part.split('=');
    if (key === undefined || value === undefined || more.length > 0) {
      throw new CcbenchError('bad-value', `"${part}" is not a condition of a fault`, {
        hint: 'a fault is written error:key=value,key=value, such as overloaded:every=5 or rate_limited:nth=2,retryAfterSeconds=1',
        place: { file: `--fault ${written}` },
      });
    }
    fault[key] = key === 'call' || Number.isNaN(Number(value)) ? value : Number(value);
  }
  return fault;
}

/** Works out how a server behaves: as its options say, else as a scenario, else as the API. */
export function servePlan(options: ServeBehaviour, cwd: string): ServePlan {
  const { scenario, latencyScale, seed, ttl } = options;
  const text = scenario === undefined ? PLAIN : readScenarioText(scenario, cwd);
  const faults = (options.fault ?? []).map(readFault);
  const set = [
    ...(faults.length === 0 ? [] : [`llm.faults=${JSON.stringify(faults)}`]),
    ...(latencyScale === undefined ? [] : [`llm.fake.latencyScale=${latencyScale}`]),
    ...(seed === undefined ? [] : [`seed=${seed}`]),
  ];
  const { runs } = compileScenario({ text, file: scenario ?? 'serve', set, runs: 'base' }, builtinContext);
  const { plan } = runs[0]!;
  return {
    ttlMs: ttl === undefined ? null : ttl === '1h' ? TTL_1H_MS : TTL_5M_MS,
    cache: plan.cache,
    llm: plan.llm,
    seed: plan.seed,
  };
}
