import { describe, expect, it } from 'vitest';
import { paramSpecs, paramsOf, policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { planPolicy, resolvePolicy } from '../../../src/agent/policies/plan-policy.js';
import type { Policy } from '../../../src/agent/policies/policy.js';
import { checkParam } from '../../../src/agent/policies/policy-params.js';
import { CcbenchError } from '../../../src/core/base/errors.js';
import type { ParamSpec, ParamValue } from '../../../src/core/run/params.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { VARIED_POLICIES } from '../../helpers/generators/varied-policies.js';
import { planOf, runLog } from '../../helpers/plan.js';
import { refusalOf } from '../../helpers/refusal.js';

/** The refusal of a setting; null when it is taken. */
function refusal(policy: string, set: Readonly<Record<string, unknown>>): CcbenchError | null {
  return refusalOf(() => resolvePolicy(policy, set));
}

const pathsOf = (name: string): readonly string[] =>
  paramsOf(policyRegistry.get(name)).map(({ path }) => path);

describe('a parameter of a layer that the policy does not have', () => {
  it('C39 is refused with its layers and the policies that have one of them', () => {
    const error = refusal('claude-code/2026', { 'microcompact.token.keepRecent': 5 });
    expect(error?.code).toBe('no-effect');
    expect(error?.message).toBe(
      'microcompact.token.keepRecent has no effect under claude-code/2026: it belongs to microcompact-token, which this policy does not have',
    );
    expect(error?.hint).toBe(
      'remove it, or set it under a policy that has the layer: claude-code/2.0, claude-code/2.1, claude-code/2.0.76, claude-code/2.1.7',
    );
  });

  it.each([
    ['none', 'window.explicit', 100_000],
    ['unbounded', 'window.percent', 50],
    ['none', 'compact.enabled', false],
    ['claude-code/2.0', 'window.blockingOffset', 1_000],
    ['claude-code/2.1.112', 'reactive.maxPerTurn', 2],
    ['claude-code/2.1.112', 'sessionMemory.enabled', true],
    ['baselines/summarise', 'compact.scratchpad', 'keep'],
    ['baselines/truncate', 'window.compactOffset', 1],
    ['baselines/mask', 'counter.newContent', 'none'],
    ['baselines/mask', 'restore.files', 1],
    ['none', 'autoMemory.indexLines', 10],
    ['claude-code/2.1.112', 'autoMemory.lineChars', 100],
  ])('C39 is refused: %s %s', (policy, path, value) => {
    expect(refusal(policy, { [path]: value })?.code).toBe('no-effect');
    expect(pathsOf(policy)).not.toContain(path);
  });

  it.each([
    ['baselines/truncate', 'window.explicit', 100_000],
    ['baselines/summarise', 'compact.quoteTokens', 900],
    ['none', 'client.retries', 0],
    ['none', 'agents.layout', 'own-results'],
    ['claude-code/2026', 'autoMemory.indexLines', 10],
    ['claude-code/2026', 'dreaming.hours', 12],
  ])('C39 is taken where another layer or the client reads it: %s %s', (policy, path, value) => {
    expect(refusal(policy, { [path]: value })).toBeNull();
    expect(pathsOf(policy)).toContain(path);
  });

  it('FLG-1 snip and collapse are off in every profile, and can be turned on where their layers are', () => {
    for (const name of policyRegistry.names) {
      const params = resolvePolicy(name, {});
      expect([params['snip.enabled'], params['collapse.enabled']]).toEqual([false, false]);
    }
    expect(pathsOf('claude-code/2026')).toEqual(expect.arrayContaining(['snip.enabled', 'collapse.enabled']));
    expect(refusal('claude-code/2.1.112', { 'snip.enabled': true })?.code).toBe('no-effect');
  });
});

/** Another value that a parameter may take. */
function other({ kind, default: value }: ParamSpec): ParamValue {
  switch (kind.type) {
    case 'switch':
      return value !== true;
    case 'choice':
      return kind.values.find((item) => item !== value)!;
    case 'names':
      return ['Glob'];
    case 'table':
      return { Glob: 1 };
    case 'text':
    case 'model':
      return 'claude-opus-4-5';
    default:
      return Math.min(kind.max, Math.max(kind.min, typeof value === 'number' ? value * 2 + 1 : 7));
  }
}

/** A session in which every layer has something to do. */
const BUSY = generateTranscript({
  workload: 'huge-outputs',
  turns: 220,
  seed: 3,
  text: 'filler',
  idle: [{ afterTurn: 60, minutes: 75 }],
  compactAt: [{ afterTurn: 40 }],
  resumeAt: [{ afterTurn: 80 }],
  forks: [{ afterTurn: 100, children: 3, turns: 2 }],
  messages: [{ afterTurn: 30, to: '*' }],
  subagents: { everyTurns: 50, turns: 4 },
});

/** The log of a busy session, without the plan. */
function logOf(policy: Policy, changes: Readonly<Record<string, ParamValue>>): string {
  const plan = planOf({ policy: policy.name, home: { memories: 3, files: [], lock: null } });
  const params = { ...plan.policy.params, ...changes };
  const entries = runLog({ ...plan, policy: { ...plan.policy, params } }, BUSY);
  return JSON.stringify(entries.filter(({ type }) => type !== 'run'));
}

describe('the parameters that are refused', () => {
  it.each(VARIED_POLICIES)('C39 change nothing under %s', (name) => {
    const policy = policyRegistry.get(name);
    const listed = new Set(paramsOf(policy));
    const changes = Object.fromEntries(
      paramSpecs()
        .filter((spec) => !listed.has(spec) && !Object.hasOwn(policy.set, spec.path))
        .map((spec) => [spec.path, other(spec)]),
    );
    expect(Object.keys(changes).length).toBeGreaterThan(name === 'claude-code/2026' ? 5 : 20);
    expect(logOf(policy, changes)).toBe(logOf(policy, {}));
  });

  it('C39 the check would notice one that does', () => {
    const policy = policyRegistry.get('claude-code/2.1.112');
    expect(logOf(policy, { 'window.compactOffset': 20_000 })).not.toBe(logOf(policy, {}));
  });
});

describe('the value of a parameter', () => {
  const messageOf = (path: string, value: unknown): string | null => {
    try {
      expect(checkParam(path, value)).toBe(value);
      return null;
    } catch (error) {
      if (error instanceof CcbenchError && error.code === 'bad-value') return error.message;
      throw error;
    }
  };

  it.each(paramSpecs())('$path is within its bounds', ({ path, kind }) => {
    const found = (value: unknown) => `; found ${JSON.stringify(value)}`;
    const refused = (wanted: string, ...values: readonly unknown[]) => {
      for (const value of values)
        expect(messageOf(path, value)).toBe(`${path} must be ${wanted}${found(value)}`);
    };
    const taken = (...values: readonly unknown[]) => {
      for (const value of values) expect(messageOf(path, value)).toBeNull();
    };
    if (kind.type === 'switch') {
      taken(true, false);
      refused('true or false', 1, 'true', null);
    } else if (kind.type === 'choice') {
      taken(...kind.values);
      refused(`one of ${kind.values.join(', ')}`, 'nobody', 1, null);
    } else if (kind.type === 'text') {
      taken('none');
      refused('a text', 1, null, ['a']);
    } else if (kind.type === 'model') refused('the name of a model', 1, null);
    else if (kind.type === 'names') {
      taken([], ['a', 'b']);
      refused('a list of names', 'a', ['a', 1], null);
    } else if (kind.type === 'table') {
      const { min = 0, max = 1e300 } = kind;
      const range = kind.max === undefined ? '' : ` from ${min} to ${max}`;
      taken({}, { a: min, b: max });
      refused(`a table of names and numbers${range}`, { a: min, b: min - 1 }, { a: '1' }, [min], null, 1);
      if (kind.max !== undefined) refused(`a table of names and numbers${range}`, { a: max + 1 });
    } else {
      const { type, min, max, minIs, nullable = false } = kind;
      const range = minIs === 'excluded' ? `above ${min} and at most ${max}` : `from ${min} to ${max}`;
      const wanted = `a ${type === 'integer' ? 'whole ' : ''}number ${range}${nullable ? ', or null' : ''}`;
      taken(max, ...(minIs === 'excluded' ? [] : [min]), ...(nullable ? [null] : []));
      refused(wanted, min - 1, max + 1, `${min}`, Number.NaN, ...(nullable ? [] : [null]));
      if (minIs === 'excluded') refused(wanted, min);
      if (type === 'integer') refused(wanted, min + 0.5);
      else taken((min + max) / 2);
    }
  });

  it('is written without the sign of its unit', () => {
    const hintOf = (value: unknown) => refusal('claude-code/2.1.112', { 'window.percent': value })?.hint;
    expect(hintOf('62.5 %')).toBe('write 62.5, without the sign');
    expect(hintOf('half')).not.toContain('without the sign');
  });
});

it('the same changes are planned once, and a number that is none is not taken for null', () => {
  const policy = policyRegistry.get('claude-code/2.1.112');
  expect(planPolicy(policy, { 'window.percent': 50 })).toBe(planPolicy(policy, { 'window.percent': 50 }));
  expect(planPolicy(policy, { 'window.percent': 51 }).params['window.percent']).toBe(51);
  expect(planPolicy(policy, { 'window.explicit': null }).params['window.explicit']).toBeNull();
  expect(() => planPolicy(policy, { 'window.explicit': Number.NaN })).toThrow('must be a whole number');
  planPolicy(policy, {});
  expect(() => planPolicy(policy, { 'window.explicit': undefined })).toThrow('must be a whole number');
  // Many others in between: it is planned again, to the same end.
  for (let percent = 1; percent <= 99; percent += 0.5) planPolicy(policy, { 'window.percent': percent });
  expect(planPolicy(policy, { 'window.percent': 51 }).params['window.percent']).toBe(51);
});
