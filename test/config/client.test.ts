import { describe, expect, it } from 'vitest';
import { CLIENT_PARAMS, clientRegistry, type Habit, habitsOf } from '../../src/agent/client/client.js';
import { BARE_API } from '../../src/agent/client/clients.generated.js';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { ProblemList } from '../../src/core/base/errors.js';

const POLICY = 'claude-code/2.1.112';
const text = (set: string) =>
  `name: w\ntranscript: { synthetic: { turns: 5 } }\npolicy:\n  use: ${POLICY}\n  set: { ${set} }\n`;

function habitsFor(set: string) {
  const { runs } = compileScenario({ text: text(set), file: 's.yaml', set: [] }, builtinContext);
  return habitsOf(runs[0]!.plan.policy.params, null);
}

function problems(set: string): readonly string[] {
  try {
    habitsFor(set);
  } catch (error) {
    if (error instanceof ProblemList)
      return error.problems.map(
        ({ place, message, hint }) => `${place?.line}:${place?.column} ${message} ${hint}`,
      );
    throw error;
  }
  return [];
}

describe('the client of a scenario', () => {
  const usual = habitsFor('');

  it('is its policy’s unless it names one; none is the bare API', () => {
    expect(usual.suggestions).toBe('end-of-turn');
    expect(habitsFor('client.use: none')).toEqual(BARE_API);
    expect(habitsFor('client.use: recorded')).toEqual(BARE_API);
    expect(habitsFor('client.use: claude-code/2.1.91').toolLoading).toBe('first-search');
  });

  it.each(
    CLIENT_PARAMS.flatMap(({ path, kind }) =>
      kind.type === 'choice' ? kind.values.map((value) => [path, value] as const) : [],
    ),
  )('%s: %s replaces that habit alone', (path, value) => {
    const habit = path.slice('client.'.length) as Habit;
    expect(habitsFor(`${path}: ${value}`)).toEqual({
      ...usual,
      [habit]: value === 'client' ? usual[habit] : value,
    });
  });

  it('has each habit switched off by the value of the bare API', () => {
    const off = Object.entries(BARE_API).map(([habit, value]) => `client.${habit}: ${value}`);
    expect(habitsFor(off.join(', '))).toEqual(BARE_API);
  });

  it('of an unknown name is an error at its place that lists the known ones', () => {
    const [problem, ...others] = problems('client.use: claude-code/2.1.93');
    expect(others).toEqual([]);
    expect(problem).toMatch(/^5:\d+ .*unknown client "claude-code\/2\.1\.93"/);
    for (const name of [...clientRegistry.names, 'recorded']) expect(problem).toContain(name);
  });

  it('has no habits but the known ones, and no other values', () => {
    expect(problems('client.suggestion: off')[0]).toMatch(/^5:\d+ /);
    expect(problems('client.suggestions: often')[0]).toMatch(/^5:\d+ /);
  });
});
