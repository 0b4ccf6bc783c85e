import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paramsOf, policyRegistry } from '../../../src/agent/policies/catalogue.js';
import type { Policy } from '../../../src/agent/policies/policy.js';
import { PolicySettings } from '../../../src/config/check/policy-settings.js';
import { compileScenario } from '../../../src/config/compile.js';
import { builtinContext } from '../../../src/config/context.js';
import { forAll } from '../../helpers/for-all.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';

const scenario = (rest: string): string =>
  `name: study\ntranscript: { synthetic: { workload: bugfix, turns: 4 } }\nmodel: claude-sonnet-4-5\n${rest}`;

const sourceOf = (text: string, set: readonly string[] = []) => ({ text, file: 'a.yaml', set });

/** What a scenario compiles to with changes; null where it is refused. */
function compiled(text: string, changes: readonly string[]): unknown {
  try {
    return compileScenario({ ...sourceOf(text, changes), varied: changes, runs: 'base' }, builtinContext)
      .runs;
  } catch {
    return null;
  }
}

/** One or two changes of what a policy reads: mostly near the default, sometimes out of range. */
function settingsOf(policy: Policy): fc.Arbitrary<readonly string[]> {
  const other = fc.oneof(
    fc.integer({ min: -2, max: 120 }).map(String),
    fc.constantFrom('true', 'false', 'null', '0.5', '5m'),
  );
  const one = fc
    .tuple(
      fc.constantFrom(...paramsOf(policy)),
      fc.integer({ min: 5, max: 15 }),
      fc.integer({ min: 0, max: 4 }),
      other,
    )
    .map(([{ path, default: value }, tenths, kind, far]) =>
      kind > 0 && typeof value === 'number'
        ? `${path}=${value < 5 ? value * tenths : Math.round((value * tenths) / 10)}`
        : kind > 0 && typeof value === 'boolean'
          ? `${path}=${!value}`
          : `${path}=${far}`,
    );
  return fc.array(one, { minLength: 1, maxLength: 2 });
}

describe('settings of a policy that are changed without reading the scenario again', () => {
  it('compile to the runs that the scenario compiles to, for every policy and parameter', () => {
    let taken = 0;
    let cases = 0;
    forAll(
      { numRuns: propertyRuns(400) },
      fc.constantFrom(
        '',
        'overrides: { autoCompactPercent: 70 }\n',
        'window: 150000\n',
        'cache: { ttl: 1h }\n',
      ),
      fc
        .constantFrom(...policyRegistry.all())
        .chain((policy) => fc.tuple(fc.constant(policy.name), settingsOf(policy))),
      (rest, [policy, changes]) => {
        const text = scenario(`policy: ${policy}\n${rest}`);
        const runs = new PolicySettings(sourceOf(text), builtinContext).runsWith(changes);
        const expected = compiled(text, changes);
        cases++;
        if (runs === null) return;
        taken++;
        expect(runs).toEqual(expected);
        expect(JSON.stringify(runs)).toBe(JSON.stringify(expected));
      },
    );
    expect(taken / cases).toBeGreaterThan(0.05);
  });

  it.each([
    ['of the scenario', scenario('policy: claude-code/2026\n'), 'cache.ttl=1h'],
    [
      'that decides which window is assumed',
      scenario('policy: claude-code/2026\n'),
      'window.explicit=150000',
    ],
    ['out of range', scenario('policy: claude-code/2026\n'), 'window.percent=101'],
    ['that the policy does not read', scenario('policy: none\n'), 'window.percent=50'],
    [
      'that an override hides',
      scenario('policy: claude-code/2026\noverrides: { autoCompactPercent: 70 }\n'),
      'window.percent=50',
    ],
    [
      'beside a window that is written',
      scenario('policy: claude-code/2026\noverrides: { contextWindow: 150000 }\n'),
      'window.percent=50',
    ],
    ['of a scenario with a mistake', scenario('polcy: none\n'), 'window.percent=50'],
  ])('leave to the scenario a setting %s', (_which, text, change) => {
    expect(new PolicySettings(sourceOf(text), builtinContext).runsWith([change])).toBeNull();
  });

  it('are taken where nothing stands in the way, a policy written in place included', () => {
    const inPlace = scenario(
      'policy:\n  rules:\n    - { name: compact, when: [{ tokens: ">= 100k" }], select: { what: history, keep: { tokens: 4000 } }, ask: { shape: extend }, layout: [summary, tail] }\n',
    );
    for (const [text, change] of [
      [scenario('policy: claude-code/2026\n'), 'window.percent=50'],
      [scenario('policy: peers/zed\n'), 'rules.compact.when.0.tokens=">= 90000"'],
      [inPlace, 'rules.compact.when.tokens=">= 90000"'],
    ] as const) {
      const expected = compiled(text, [change]);
      expect(expected).not.toBeNull();
      expect(new PolicySettings(sourceOf(text), builtinContext).runsWith([change])).toEqual(expected);
    }
  });
});
