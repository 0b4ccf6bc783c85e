import { type CompiledScenario, compileScenario } from '../../src/config/compile.js';
import type { ScenarioContext } from '../../src/config/context.js';
import { CcbenchError, formatPlace } from '../../src/core/base/errors.js';
import { unknownName } from '../../src/core/base/registry.js';
import type { ParamSpec, ParamValue } from '../../src/core/run/params.js';
import { parseExpectation } from '../../src/metrics/expect.js';
import { refusalsOf } from '../helpers/refusal.js';

const SPECS: readonly ParamSpec[] = [
  {
    path: 'microcompact.timeBased.gapMinutes',
    kind: { type: 'integer', min: 1, max: 1_440 },
    default: 60,
    unit: 'minutes',
    help: 'Gap that triggers a clearing.',
  },
  {
    path: 'microcompact.timeBased.keepRecent',
    kind: { type: 'integer', min: 1, max: 100 },
    default: 5,
    unit: 'results',
    help: 'Results that stay.',
  },
  { path: 'compact.enabled', kind: { type: 'switch' }, default: true, unit: null, help: 'Any compaction.' },
  {
    path: 'auto.enabled',
    kind: { type: 'switch' },
    default: true,
    unit: null,
    help: 'Automatic compaction.',
  },
  {
    path: 'auto.percent',
    kind: { type: 'number', min: 0, max: 100, nullable: true },
    default: null,
    unit: 'percent',
    help: 'Share of the window.',
  },
  {
    path: 'window.told',
    kind: { type: 'integer', min: 1_000, max: 10_000_000, nullable: true },
    default: null,
    unit: 'tokens',
    help: 'Window the client assumes.',
  },
];

const PATHS = SPECS.map((spec) => spec.path);
const POLICIES = ['none', 'claude-code/2026', 'tidy'];
const MODELS = ['claude-sonnet-4-5', 'claude-opus-4-5'];

/** A small world for scenarios: three policies, six parameters, two models. */
export const smallContext: ScenarioContext = {
  policies: {
    names: POLICIES,
    specs: SPECS,
    resolve(name, set) {
      if (!POLICIES.includes(name)) throw unknownName('policy', name, POLICIES);
      const values: Record<string, ParamValue> = {};
      for (const spec of SPECS) values[spec.path] = spec.default;
      for (const [path, value] of Object.entries(set)) {
        if (!PATHS.includes(path)) throw unknownName('policy parameter', path, PATHS);
        if (path.endsWith('Minutes') && (typeof value !== 'number' || value < 1 || value > 1_440)) {
          throw new CcbenchError('bad-value', `${path} must be a whole number from 1 to 1440`);
        }
        values[path] = value as ParamValue;
      }
      return values;
    },
    plan: (name, set) => ({ name, params: smallContext.policies.resolve(name, set) }),
    reads: () => true,
    assumedWindow: (params) => (params['window.told'] as number | null) ?? 200_000,
  },
  overrides: {
    autoCompactPercent: { path: 'auto.percent', whenTrue: null },
    disableCompact: { path: 'compact.enabled', whenTrue: false },
    disableAutoCompact: { path: 'auto.enabled', whenTrue: false },
    contextWindow: { path: 'window.told', whenTrue: null },
  },
  providers: { check: () => {} },
  models: {
    check(name) {
      if (!MODELS.includes(name)) throw unknownName('model', name, MODELS);
    },
  },
  metrics: { parse: (text) => parseExpectation(text, null) },
  workloads: ['bugfix', 'refactor'],
};

/** Compiles a text as `s.yaml` in the small world. */
export function compileYaml(text: string, ...set: readonly string[]): CompiledScenario {
  return compileScenario({ text, file: 's.yaml', set }, smallContext);
}

/** The problems of a text, each as `place: sentence`. */
export function problemsOf(text: string, ...set: readonly string[]): readonly string[] {
  return errorsOf(text, ...set).map(
    (problem) => `${problem.place === null ? '' : formatPlace(problem.place)}: ${problem.message}`,
  );
}

/** The problems of a text. */
export function errorsOf(text: string, ...set: readonly string[]): readonly CcbenchError[] {
  return refusalsOf(() => compileYaml(text, ...set));
}

/** The shortest scenario over a generated session, with further lines. */
export function synthetic(...lines: readonly string[]): string {
  return ['name: a', 'transcript: { synthetic: { workload: bugfix } }', ...lines, ''].join('\n');
}

/** The shortest scenario over a recording, with further lines. */
export function recorded(...lines: readonly string[]): string {
  return ['name: a', 'transcript: { file: x.jsonl }', ...lines, ''].join('\n');
}
