import { isGroup, type Path, type Problems, problemAt, watchProblems } from '../../core/base/errors.js';
import { readBy } from '../../core/base/schema-problems.js';
import {
  DONE,
  EMPTY_STEP,
  type Script,
  type ScriptCall,
  type ScriptFile,
  type ScriptStep,
  SUMMARY_TOKENS,
} from './script.js';
import {
  scriptSchema,
  type WrittenCall,
  type WrittenLoop,
  type WrittenScript,
  type WrittenStep,
} from './script-schema.js';

/** Most steps that loops may come to. */
const MOST_STEPS = 100_000;

/** Words that stand for something in the steps of a loop; null if an inner loop gives them another meaning. */
interface Names {
  readonly n: string | null;
  readonly item: string | null;
}

function filled(value: unknown, names: Names): unknown {
  if (typeof value === 'string') {
    let text = value;
    for (const name of ['n', 'item'] as const)
      if (names[name] !== null) text = text.replaceAll(`\${${name}}`, () => names[name]!);
    return text;
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, names));
  if (!isGroup(value)) return value;
  const inside = { n: null, item: value.each === undefined ? names.item : null };
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, filled(inner, key === 'steps' ? inside : names)]),
  );
}

function callsOf(written: WrittenCall): readonly ScriptCall[] {
  const { read, run, edit, write, agent, call } = written;
  return [
    ...(read === undefined ? [] : [{ action: 'read', values: { file: read } } as const]),
    ...(run === undefined ? [] : [{ action: 'run', values: { command: run } } as const]),
    ...(edit === undefined ? [] : [{ action: 'edit', values: edit } as const]),
    ...(write === undefined ? [] : [{ action: 'write', values: write } as const]),
    ...(agent === undefined ? [] : [{ action: 'agent', values: { prompt: agent } } as const]),
    ...(call === undefined ? [] : [{ tool: call.tool, input: call.input ?? null }]),
  ];
}

function stepOf(written: WrittenStep): ScriptStep {
  return {
    ...EMPTY_STEP,
    thinking: written.thinking ?? null,
    texts: written.text === undefined ? [] : [written.text],
    calls: [...callsOf(written), ...(written.calls ?? []).flatMap(callsOf)],
    stop: written.stop ?? null,
    outputTokens: written.outputTokens ?? null,
    latencyMs: written.latency ?? null,
    usage: written.usage ?? {},
    waitMs: written.wait ?? 0,
  };
}

/** The steps in the order in which they come, loops gone through; `full` when there are more than may be. */
function unrolled(written: readonly WrittenLoop[], into: ScriptStep[] = []): ScriptStep[] | 'full' {
  for (const step of written) {
    if (into.length > MOST_STEPS) return 'full';
    if (step.steps === undefined) {
      into.push(stepOf(step));
      continue;
    }
    const times = (step.repeat ?? 1) * (step.each?.length ?? 1);
    for (let i = 0; i < times; i++) {
      const item = step.each === undefined ? null : step.each[i % step.each.length]!;
      const inner = filled(step.steps, { n: String(i + 1), item }) as readonly WrittenLoop[];
      if (unrolled(inner, into) === 'full') return 'full';
    }
  }
  return into;
}

function filesOf(written: WrittenScript['files'] = {}): readonly ScriptFile[] {
  return Object.entries(written).flatMap(([name, { chars, count = 1, begins = '' }]) =>
    Array.from({ length: count }, (_, i) => ({ path: name.replaceAll('*', String(i + 1)), chars, begins })),
  );
}

/** What stands in a text of a step and has no meaning where it stands. */
function checkNames(value: unknown, path: Path, known: readonly string[], report: Problems): void {
  if (typeof value === 'string') {
    for (const name of ['n', 'item'])
      if (!known.includes(name) && value.includes(`\${${name}}`))
        report(
          problemAt(path, `\${${name}} has no meaning here`, {
            hint: name === 'n' ? 'it counts inside the `steps` of a loop' : 'it needs a loop with `each`',
          }),
        );
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) checkNames(item, [...path, i], known, report);
  } else if (isGroup(value)) {
    const inside = [...known, 'n', ...(value.each === undefined ? [] : ['item'])];
    for (const [key, inner] of Object.entries(value))
      checkNames(inner, [...path, key], key === 'steps' && path.length > 0 ? inside : known, report);
  }
}

/** Reads a written script; null when it cannot be used. What is wrong goes to `problems`. */
export function readScript(value: unknown, report: Problems): Script | null {
  const { problems, isSound } = watchProblems(report);
  const written = readBy(scriptSchema, value, problems);
  if (written === undefined) return null;
  checkNames(value, [], [], problems);
  const open = (list: readonly WrittenLoop[], path: Path): readonly ScriptStep[] => {
    const opened = unrolled(list);
    if (opened !== 'full') return opened;
    problems(problemAt(path, `the loops come to more than ${MOST_STEPS} steps`, { hint: 'repeat less' }));
    return [];
  };
  const script: Script = {
    folder: written.folder ?? null,
    files: filesOf(written.files),
    summary: written.summary ?? SUMMARY_TOKENS,
    steps: open(written.steps, ['steps']),
    agents: (written.agents ?? []).map((list, i) => open(list, ['agents', i])),
    when: (written.when ?? []).map(({ prompt = null, result = null, times, consumes, answer }) => ({
      prompt,
      result,
      times: times ?? Number.POSITIVE_INFINITY,
      consumes: consumes === true ? 'step' : 'nothing',
      answer: stepOf(answer),
    })),
    otherwise: written.otherwise === undefined ? DONE : stepOf(written.otherwise),
  };
  return isSound() ? script : null;
}
