import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../../src/config/compile.js';
import { builtinContext } from '../../../src/config/context.js';
import { openRef } from '../../../src/config/files/open-ref.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { replay } from '../../../src/engine/run/replay.js';
import { ROOT } from '../../helpers/architecture/tree.js';
import { sharedData } from '../../helpers/recordings/shared.js';

const WRITTEN = 'scenarios/policies/claude-code-2.1.112.yaml';
/** Without what policy files have no words for: how the summary request marks, thinks and is worded, and what files say on disk. */
const MEASURED =
  '{ use: claude-code/2.1.112, set: { compact.forkMark: last, compact.ownBudget: [], compact.promptTokens: null, restore.order: used, restore.referenceOverTokens: null } }';

/** The log of a scenario's run under a policy. */
function logOf(policy: string, rest: string): readonly LogEntry[] {
  const source = {
    text: `name: same\npolicy: ${policy}\n${rest}`,
    file: 'same.yaml',
    set: [],
    readPolicy: (file: string) => ({ text: readFileSync(join(ROOT, file), 'utf8'), file }),
  };
  const [run] = compileScenario(source, builtinContext).runs;
  const entries: LogEntry[] = [];
  replay(run!.plan, openRef(run!.transcript, { cwd: ROOT }), { write: (entry) => void entries.push(entry) });
  return entries;
}

/** Entries without the plan, and without the words a layer chooses: its name, its reason, the name of the rule. */
function comparable(entries: readonly LogEntry[]): readonly unknown[] {
  return entries.slice(1).map((entry) => {
    const text = JSON.stringify(entry, (key, value) => {
      if (key === 'digest' || key === 'reason' || key === 'rule' || key === 'partial' || key === 'takenOut')
        return undefined;
      return key === 'layer' && value === 'rules' ? 'full-compact' : value;
    });
    return JSON.parse(text) as unknown;
  });
}

function expectSame(rest: string): void {
  const measured = logOf(MEASURED, rest);
  expect(measured.filter(({ type }) => type === 'layer').length).toBeGreaterThan(0);
  expect(comparable(logOf(WRITTEN, rest))).toEqual(comparable(measured));
}

describe('claude-code/2.1.112 as rules gives the log of the hand-written layers', () => {
  it.each([
    ['a refactoring', 'transcript: { synthetic: { workload: refactor, turns: 300 } }'],
    ['the mix of recorded sessions', 'transcript: { synthetic: { workload: bugfix, turns: 300 } }'],
    ['huge outputs', 'transcript: { synthetic: { workload: huge-outputs, turns: 120 } }'],
    ['idle times', 'transcript: { synthetic: { workload: long-idle, turns: 200 } }'],
    [
      'a window that fills up again at once (thrash)',
      'window: 60000\ntranscript: { synthetic: { workload: bugfix, turns: 60 } }',
    ],
    [
      'summaries that are too long, empty or refused',
      'window: 100000\ntranscript: { synthetic: { workload: refactor, turns: 200 } }\nllm: { faults: [{ call: compact, error: prompt_too_long, every: 2 }, { call: compact, error: empty_summary, every: 3 }, { call: compact, error: overloaded, every: 5 }] }',
    ],
    [
      'a breaker that trips',
      'window: 100000\ntranscript: { synthetic: { workload: refactor, turns: 200 } }\nllm: { faults: [{ call: compact, error: empty_summary }] }',
    ],
  ])('%s', (_name, rest) => {
    expectSame(rest);
  });

  it.skipIf(!sharedData.present).each(sharedData.sessions.slice(3, 11))('recorded %s', (_name, file) => {
    const rest = `transcript: { file: ${JSON.stringify(file)} }`;
    expect(comparable(logOf(WRITTEN, rest))).toEqual(comparable(logOf(MEASURED, rest)));
  });
});
