import { describe, expect, it } from 'vitest';
import {
  type Behaviour,
  behavioursOf,
  CLIENT_PARAMS,
  clientRegistry,
} from '../../src/agent/client/client.js';
import { BARE_API } from '../../src/agent/client/clients.generated.js';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { refusalsOf } from '../helpers/refusal.js';

const POLICY = 'claude-code/2.1.112';
const text = (set: string) =>
  `name: w\ntranscript: { synthetic: { turns: 5 } }\npolicy:\n  use: ${POLICY}\n  set: { ${set} }\n`;

function behavioursFor(set: string) {
  const { runs } = compileScenario({ text: text(set), file: 's.yaml', set: [] }, builtinContext);
  return behavioursOf(runs[0]!.plan.policy.params, { version: null, driver: 'person' });
}

function problems(set: string): readonly string[] {
  return refusalsOf(() => behavioursFor(set)).map(
    ({ place, message, hint }) => `${place?.line}:${place?.column} ${message} ${hint}`,
  );
}

describe('the client of a scenario', () => {
  const usual = behavioursFor('');

  it('is its policy’s unless it names one; none is the bare API', () => {
    expect(usual.breakpoints).toBe('system+last');
    expect(usual.lifetimes).toBe('observed');
    expect(behavioursFor('client.use: none')).toEqual(BARE_API);
    expect(behavioursFor('client.use: recorded')).toEqual(BARE_API);
    expect(behavioursFor('client.use: claude-code/2.1.91').toolLoading).toBe('first-search');
  });

  it.each(
    CLIENT_PARAMS.flatMap(({ path, kind }) =>
      kind.type === 'choice' ? kind.values.map((value) => [path, value] as const) : [],
    ),
  )('%s: %s replaces that behaviour alone', (path, value) => {
    const behaviour = path.slice('client.'.length) as Behaviour;
    expect(behavioursFor(`${path}: ${value}`)).toEqual({
      ...usual,
      [behaviour]: value === 'client' ? usual[behaviour] : value,
    });
  });

  it('has each behaviour switched off by the value of the bare API', () => {
    const off = Object.entries(BARE_API).map(([behaviour, value]) => `client.${behaviour}: ${value}`);
    expect(behavioursFor(off.join(', '))).toEqual(BARE_API);
  });

  it('of an unknown name is an error at its place that lists the known ones', () => {
    const [problem, ...others] = problems('client.use: claude-code/2.1.93');
    expect(others).toEqual([]);
    expect(problem).toMatch(/^5:\d+ .*unknown client "claude-code\/2\.1\.93"/);
    for (const name of [...clientRegistry.names, 'recorded']) expect(problem).toContain(name);
  });

  it('has no behaviours but the known ones, and no other values', () => {
    expect(problems('client.suggestion: off')[0]).toMatch(/^5:\d+ /);
    expect(problems('client.suggestions: often')[0]).toMatch(/^5:\d+ /);
  });
});
