import { CcbenchError, type Path } from '../core/base/errors.js';
import { getOrMake } from '../core/base/once.js';
import {
  DEFAULT_FAULTS,
  type FaultsPlan,
  type HomePlan,
  PLAN_DEFAULTS,
  type RunPlan,
} from '../core/run/run-plan.js';
import { DEFAULT_FAKE_LLM } from '../provider/fake-llm/fake-llm.js';
import type { SessionPart } from '../transcripts/sessions/merge-sessions.js';
import { DEFAULT_MODEL } from '../transcripts/synthetic/spec.js';
import type { ScenarioDocument } from './files/document.js';
import type { FileRef, FindRecordings, SyntheticRef } from './files/transcript-ref.js';
import {
  PLAN_SETTINGS,
  type Scenario,
  type ScenarioSession,
  type ScenarioSettings,
  type ScenarioTranscript,
  type ScenarioVariant,
} from './schema/schema.js';
import type { NormalSynthetic } from './schema/schema-synthetic.js';

/** A session of a scenario: when it takes place, and where its transcript is. */
export interface SessionRef extends SessionPart {
  readonly transcript: FileRef | SyntheticRef;
}

/** Several sessions on one clock. */
export interface SessionsRef {
  readonly kind: 'sessions';
  readonly sessions: readonly SessionRef[];
}

/** What is replayed, with nothing left open. */
export type TranscriptRef = FileRef | SyntheticRef | SessionsRef;

/** Overrides with nothing left open. */
export interface NormalOverrides {
  readonly autoCompactPercent: number | null;
  readonly disableCompact: boolean;
  readonly disableAutoCompact: boolean;
  readonly contextWindow: number | null;
}

/** Where summaries of a model come from. */
export interface SummarySource {
  readonly mode: 'live' | 'cassette';
  /** File of answers, seen from where the scenario's own path is seen. */
  readonly cassette: string;
  readonly budgetUsd: number;
}

/** Every setting of runs, with nothing left open; what their plan has in the same words is as there. */
export interface NormalSettings
  extends Omit<RunPlan, 'name' | 'seed' | 'policy' | 'ownProvider' | 'plugins' | 'models'> {
  /** null for the base. */
  readonly variant: string | null;
  readonly description: string;
  readonly policy: { readonly name: string; readonly set: Readonly<Record<string, unknown>> };
  readonly overrides: NormalOverrides;
  /** Whether a lifetime is written, or left to the policy. */
  readonly lifetime: 'written' | 'default';
  /** Null if the fake LLM writes the summaries. */
  readonly summaries: SummarySource | null;
  readonly expect: readonly string[];
}

/** One run. Those that differ in nothing but their transcripts have the same settings. */
export interface NormalRun {
  readonly transcript: TranscriptRef;
  readonly settings: NormalSettings;
}

/** A scenario with nothing left open: for each transcript the base run, then its variants in order. */
export interface NormalScenario {
  readonly name: string;
  readonly description: string;
  readonly seed: number;
  readonly runs: readonly NormalRun[];
}

interface WrittenPolicy {
  readonly use: string | null;
  readonly set: Readonly<Record<string, unknown>>;
}

function writtenPolicy(policy: ScenarioSettings['policy']): WrittenPolicy {
  if (typeof policy === 'string') return { use: policy, set: {} };
  return { use: policy?.use ?? null, set: policy?.set ?? {} };
}

/** A variant that names a policy starts from that policy's own numbers; one that does not keeps what the base has set. */
function mergePolicy(base: WrittenPolicy, variant: ScenarioVariant): WrittenPolicy {
  const own = writtenPolicy(variant.policy);
  const start = own.use === null ? base : { use: own.use, set: {} };
  return { use: start.use, set: { ...start.set, ...own.set, ...variant.set } };
}

/** Groups merge key by key, lists and single values replace. */
function mergeSettings(base: ScenarioSettings, variant: ScenarioVariant): ScenarioSettings {
  const { name: _name, description: _description, set: _set, ...own } = variant;
  return {
    ...base,
    ...own,
    overrides: { ...base.overrides, ...own.overrides },
    cache: { ...base.cache, ...own.cache },
    ...(base.faults === undefined && own.faults === undefined
      ? {}
      : { faults: { ...base.faults, ...own.faults } }),
    llm: { ...base.llm, ...own.llm, fake: { ...base.llm?.fake, ...own.llm?.fake } },
  };
}

const PREFERRED_POLICY = 'claude-code/2026';

/** The policy of a scenario that names none. */
export function defaultPolicy(names: readonly string[]): string {
  return names.includes(PREFERRED_POLICY) ? PREFERRED_POLICY : 'none';
}

/** What a plan has under the same name as a scenario; null stands for the default. */
function planSettings(settings: ScenarioSettings): Partial<Pick<RunPlan, (typeof PLAN_SETTINGS)[number]>> {
  const written = PLAN_SETTINGS.map((key) => [key, settings[key]] as const);
  return Object.fromEntries(written.filter(([, value]) => value != null));
}

/** Settings with every default filled in; a recording answers for its own model and lifetimes, a generated session cannot. */
function normaliseSettings(
  kind: ReturnType<typeof kindOf>,
  variant: Pick<NormalSettings, 'variant' | 'description'>,
  settings: ScenarioSettings,
  policy: WrittenPolicy,
  policyNames: readonly string[],
  home: HomePlan | undefined,
  summaries: SummarySource | null,
): NormalSettings {
  const { overrides, cache, llm, hooks, faults, mode, expect = [] } = settings;
  const isRecorded = kind === 'file';
  const ttl = isRecorded ? 'recorded' : '5m';
  const faultsPlan = faultsOf(faults);
  return {
    ...PLAN_DEFAULTS,
    model: isRecorded ? null : DEFAULT_MODEL,
    ...planSettings(settings),
    ...(mode === 'predict' ? { mode } : {}),
    ...(faultsPlan === undefined ? {} : { faults: faultsPlan }),
    ...(home === undefined ? {} : { home }),
    ...(hooks === undefined || hooks.length === 0 ? {} : { hooks }),
    ...variant,
    policy: { name: policy.use ?? defaultPolicy(policyNames), set: policy.set },
    overrides: {
      autoCompactPercent: null,
      disableCompact: false,
      disableAutoCompact: false,
      contextWindow: null,
      ...overrides,
    },
    cache: { mode: 'on', ttl, subagentTtl: ttl, fade: 'client', ...cache },
    lifetime: cache?.ttl === undefined ? 'default' : 'written',
    llm: {
      fake: { ...DEFAULT_FAKE_LLM, ...llm?.fake },
      faults: llm?.faults ?? [],
      ...(summaries === null ? {} : { cassette: { model: llm?.model ?? null } }),
    },
    summaries,
    expect,
  };
}

/** What differs from the default; undefined if nothing does. */
function faultsOf(written: ScenarioSettings['faults']): FaultsPlan | undefined {
  const { survival, refetch } = DEFAULT_FAULTS;
  const plan = { survival: written?.survival ?? survival, refetch: written?.refetch ?? refetch };
  return plan.survival === survival && plan.refetch === refetch ? undefined : plan;
}

/** Paths that start at the root, on a drive or in the home folder. */
const ABSOLUTE = /^(?:[/\\]|[A-Za-z]:[/\\]|~(?:[/\\]|$))/;

/** A path written in a file, seen from where that file's own path is seen. */
function besideFile(file: string, path: string): string {
  if (ABSOLUTE.test(path)) return path;
  const folder = /^.*[/\\]/.exec(file)?.[0] ?? '';
  return `${folder}${path.replace(/^(?:\.\/)+/, '')}`;
}

/** What all answers of a cassette may cost together unless the scenario says otherwise. */
const BUDGET_USD = 1;

/** Where the summaries of a run come from; the file of a variant is written in it or in the base. */
function summariesOf(
  scenario: Scenario,
  settings: ScenarioSettings,
  document: ScenarioDocument,
  at: Path,
): SummarySource | null {
  const { mode = 'fake', cassette, budgetUsd = BUDGET_USD } = settings.llm ?? {};
  if (mode === 'fake') return null;
  const source = { mode, budgetUsd };
  if (cassette === undefined)
    return { ...source, cassette: besideFile(document.file, `${scenario.name}.cassette.jsonl`) };
  const { file, line } = document.placeOf([...at, 'llm', 'cassette']);
  return { ...source, cassette: line === undefined ? cassette : besideFile(file, cassette) };
}

function transcriptRefs(
  written: ScenarioTranscript,
  at: Path,
  document: ScenarioDocument,
  seed: number,
  model: string | null | undefined,
  find: FindRecordings,
): readonly (FileRef | SyntheticRef)[] {
  if (written.synthetic !== undefined) {
    return [{ kind: 'synthetic', spec: { ...written.synthetic, seed, model: model ?? DEFAULT_MODEL } }];
  }
  const one = typeof written.file === 'string';
  const files: readonly string[] = typeof written.file === 'string' ? [written.file] : (written.file ?? []);
  return files.flatMap((file, i) => {
    const place = document.placeOf(one ? [...at, 'file'] : [...at, 'file', i]);
    const named = place.line === undefined ? file : besideFile(place.file, file);
    return find(named, place).map(
      (path): FileRef => ({ kind: 'file', path, written: path === named ? file : path, place }),
    );
  });
}

/** Tools and system prompt that sessions have in common unless they say otherwise: the median first prompt (E6). */
const SHARED_PREFIX_TOKENS = 34_700;

/** A generated session as one of several: content of its own, tools and system prompt in common with the others. */
function asSession(spec: NormalSynthetic, name: string): NormalSynthetic {
  const { seed, prefixTokens = SHARED_PREFIX_TOKENS } = spec;
  return { ...spec, seed: `${seed}/${name}`, prefixSeed: seed, prefixTokens };
}

/** Sessions on one clock are one transcript. */
function sessionsRef(
  written: readonly ScenarioSession[],
  refs: (item: ScenarioTranscript, at: Path) => readonly (FileRef | SyntheticRef)[],
  document: ScenarioDocument,
): SessionsRef {
  const sessions = written.map((session, i): SessionRef => {
    const at: Path = ['sessions', i];
    const [ref, ...others] = refs(session.transcript, [...at, 'transcript']) as [FileRef | SyntheticRef];
    if (others.length > 0) {
      throw new CcbenchError(
        'bad-scenario',
        `there are ${others.length + 1} recordings where one is needed`,
        {
          place: document.placeOf([...at, 'transcript', 'file']),
          hint: 'name one file for each session',
        },
      );
    }
    const { name, at: atMs, startsAfter: afterMs = 0, resume = null, end, project, checkout } = session;
    return {
      name,
      start: atMs === undefined ? { afterMs } : { atMs },
      resumes: resume,
      ending: end,
      ...(project === undefined ? {} : { project }),
      ...(checkout === undefined ? {} : { checkout }),
      place: document.placeOf([...at, resume === null ? 'name' : 'resume']),
      transcript: ref.kind === 'file' ? ref : { kind: 'synthetic', spec: asSession(ref.spec, name) },
    };
  });
  return { kind: 'sessions', sessions };
}

/** A recording answers for its own model and lifetimes, as long as nothing generated stands beside it. */
function kindOf(ref: TranscriptRef): 'file' | 'synthetic' {
  if (ref.kind !== 'sessions') return ref.kind;
  return ref.sessions.every(({ transcript }) => transcript.kind === 'file') ? 'file' : 'synthetic';
}

/** Fills in every default and expands transcripts × (base + variants). */
export function normaliseScenario(
  scenario: Scenario,
  document: ScenarioDocument,
  policyNames: readonly string[],
  find: FindRecordings,
): NormalScenario {
  const { seed = 1, description = '' } = scenario;
  const base = writtenPolicy(scenario.policy);
  const refs = (item: ScenarioTranscript, at: Path) =>
    transcriptRefs(item, at, document, seed, scenario.model, find);
  const transcripts: readonly TranscriptRef[] = [
    ...(scenario.transcript === undefined ? [] : refs(scenario.transcript, ['transcript'])),
    ...(scenario.transcripts ?? []).flatMap((item, i) => refs(item, ['transcripts', i])),
    ...(scenario.sessions === undefined ? [] : [sessionsRef(scenario.sessions, refs, document)]),
  ];
  const home = scenario.home ?? undefined;
  const settingsOf = (kind: ReturnType<typeof kindOf>): readonly NormalSettings[] => [
    normaliseSettings(
      kind,
      { variant: null, description: '' },
      scenario,
      base,
      policyNames,
      home,
      summariesOf(scenario, scenario, document, []),
    ),
    ...(scenario.variants ?? []).map((variant, i) => {
      const merged = mergeSettings(scenario, variant);
      const at = variant.llm?.cassette === undefined ? [] : ['variants', i];
      return normaliseSettings(
        kind,
        { variant: variant.name, description: variant.description ?? '' },
        merged,
        mergePolicy(base, variant),
        policyNames,
        home,
        summariesOf(scenario, merged, document, at),
      );
    }),
  ];
  const byKind = new Map<string, readonly NormalSettings[]>();
  const runs = transcripts.flatMap((transcript) => {
    const kind = kindOf(transcript);
    return getOrMake(byKind, kind, () => settingsOf(kind)).map((settings) => ({ transcript, settings }));
  });
  return { name: scenario.name, description, seed, runs };
}
