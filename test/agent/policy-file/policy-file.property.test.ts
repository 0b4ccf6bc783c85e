import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { planPolicy } from '../../../src/agent/policies/plan-policy.js';
import { policyThresholds } from '../../../src/agent/policies/shown-limits.js';
import { compactsAt } from '../../../src/agent/policy-file/check-rules.js';
import { isPolicyPath, policyValues, withPolicyValue } from '../../../src/agent/policy-file/paths.js';
import { type ReadPolicy, readPolicy } from '../../../src/agent/policy-file/read-policy.js';
import { policySentences } from '../../../src/agent/policy-file/sentences.js';
import { readPolicyFile } from '../../../src/config/files/policy-file.js';
import { canonicalJson } from '../../../src/core/base/digest.js';
import type { FaultRule, RunPlan } from '../../../src/core/run/run-plan.js';
import { runSent } from '../../helpers/capture.js';
import { type CheckedRun, INVARIANT_CHECKS } from '../../helpers/drive/check-invariants.js';
import { forAll } from '../../helpers/for-all.js';
import { policyFiles, type Written } from '../../helpers/generators/arbitrary-policy-file.js';
import {
  anyWindow,
  buildSession,
  faultRules,
  type SessionStep,
  sessionSteps,
} from '../../helpers/generators/arbitrary-session.js';
import { damaged } from '../../helpers/generators/damage-policy.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { must } from '../../helpers/must.js';
import { mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';
import { Reached } from '../../helpers/reached.js';

const OUTPUT = { maxOutput: 64_000, whose: 'as given' };
const TIMEOUT_MS = Math.max(300_000, propertyRuns(0) * 200);

function readOf(written: Written): ReadPolicy {
  const problems: string[] = [];
  const read = readPolicy(written, { name: 'generated' }, ({ path, message, weight }) => {
    if (weight === 'error') problems.push(`${path.join('.')}: ${message}`);
  });
  expect(problems).toEqual([]);
  return read!;
}

/** INV-9 is about one request that gets shorter, not about summaries of several calls. */
function asksInPieces({ policy: { rules: parts } }: RunPlan): boolean {
  return parts!.rules.some(({ ask }) => ask !== null && ask.calls.kind !== 'one');
}

/** Checks every invariant of a run. */
function checkAll(run: CheckedRun): void {
  for (const [id, check] of Object.entries(INVARIANT_CHECKS))
    if (id !== 'INV-9' || !asksInPieces(run.plan)) check(run);
}

const read = (tokens: number) => ({ tool: 'Read', tokens, file: 0 });

type Case = [Written, readonly SessionStep[], number, readonly Partial<FaultRule>[]];

/** A counter-example of INV-9 as it once was: a restart while a summary is waited for, then a longer request. */
const RESTARTED_WHILE_ASKED: Case = [
  {
    rules: [
      {
        name: 'behind',
        when: [{ toolChars: '> 20k' }],
        select: { what: 'history' },
        ask: { shape: 'extend', run: 'background' },
        fail: { shrink: { 'drop-oldest': 'item' } },
      },
    ],
    guards: {},
  },
  [
    { do: 'tools', results: [read(15_683)], thinking: 0 },
    { do: 'tools', results: [read(854), read(19_072)], thinking: 0 },
    { do: 'tools', results: [read(2001), read(6332)], thinking: 0 },
    { do: 'answer', tokens: 671 },
    { do: 'resume' },
    { do: 'answer', tokens: 1 },
    { do: 'resume' },
    { do: 'tools', results: [read(1)], thinking: 0 },
  ],
  60_000,
  [],
];

describe('generated policy files', () => {
  it('are read, and mean the same as text and with every value set to itself', () => {
    forAll({ numRuns: propertyRuns(60) }, policyFiles, (written) => {
      const { rules: parts } = readOf(written);
      const file = readPolicyFile(stringify(written), 'p.yaml');
      expect(file.problems).toEqual([]);
      expect(file.read!.rules).toEqual(parts);
      expect(readOf(JSON.parse(JSON.stringify(written))).rules).toEqual(parts);
      const whole = canonicalJson(written);
      for (const { path, value } of policyValues(written)) {
        must(isPolicyPath(path), () => `${path} is no path of a policy`);
        must(canonicalJson(withPolicyValue(written, path, value)) === whole, () => `${path} is not itself`);
      }
      for (const sentence of policySentences(parts, OUTPUT))
        expect(sentence).not.toMatch(/undefined|NaN|null/);
    });
  });

  it('run with every invariant, and the same twice', { timeout: TIMEOUT_MS }, () => {
    const reached = new Reached();
    forAll(
      { numRuns: propertyRuns(50), examples: [RESTARTED_WHILE_ASKED] },
      policyFiles,
      sessionSteps,
      anyWindow,
      faultRules,
      (written, steps, window, faults) => {
        const plan = planUnder(written, { window, faults });
        const transcript = buildSession(steps);
        const run = { ...runSent(plan, transcript), plan, transcript };
        checkAll(run);
        expect(canonicalJson(runLog(plan, transcript))).toBe(canonicalJson(run.entries));
        reached.add(ofType(run.entries, 'layer').map(({ action, outcome }) => `${action} ${outcome}`));
      },
    );
    for (const state of ['compact done', 'compact failed', 'truncate done', 'clear done'])
      expect(reached.share(state), state).toBeGreaterThan(0.02);
  });
});

/** Rules that go by size alone, each before every request. */
const bySize: fc.Arbitrary<Written> = fc
  .tuple(
    policyFiles,
    fc.constantFrom('>= 0.6·B', '> 0.6·B', '35k', '> 41,017', 'W - 21k', '>= 0.45·W'),
    fc.constantFrom('>= 0.7·B', '50k'),
  )
  .map(([{ count, base }, first, second]) => ({
    ...(count === undefined ? {} : { count }),
    ...(base === undefined ? {} : { base }),
    rules: [
      { name: 'late', when: { tokens: second }, ask: { shape: 'own' }, layout: ['summary', 'last-prompt'] },
      {
        name: 'early',
        when: { tokens: first },
        ask: { shape: 'extend' },
        layout: ['summary', 'last-prompt'],
      },
    ],
  }));

describe('the tokens that `policies show` gives for the first compaction', () => {
  it('are where a rule fires in a run', { timeout: TIMEOUT_MS }, () => {
    let fired = 0;
    forAll({ numRuns: propertyRuns(50) }, bySize, sessionSteps, anyWindow, (written, steps, window) => {
      const { policy } = readPolicyFile(stringify(written), 'p.yaml');
      const plan = { ...planOf({ window, model: 'claude-sonnet-4-5' }), policy: planPolicy(policy!, {}) };
      const log = runLog(plan, buildSession(steps.filter((item) => item.do !== 'compact')));
      const { autoCompact } = policyThresholds(policy!, plan.policy, { window, maxOutput: 64_000 });
      const at = log.findIndex((entry) => entry.type === 'layer' && entry.action === 'compact');
      for (const { estimatedTokens: seen } of mainRequests(at < 0 ? log : log.slice(0, at)))
        expect(seen).toBeLessThan(autoCompact!);
      if (at < 0) return;
      fired++;
      const [first] = ofType([log[at]!], 'layer');
      expect(first!.estimatedBefore).toBeGreaterThanOrEqual(autoCompact!);
    });
    expect(fired).toBeGreaterThan(30);
  });
});

describe('a damaged policy file', () => {
  it('is a policy, or every problem has line and column', { timeout: TIMEOUT_MS }, () => {
    let refused = 0;
    forAll(
      { numRuns: propertyRuns(120) },
      policyFiles.chain((written) => damaged(written)),
      (written) => {
        const { policy, read, problems, warnings } = readPolicyFile(stringify(written), 'p.yaml');
        for (const { place, message } of [...problems, ...warnings]) {
          must((place?.line ?? 0) >= 1 && (place?.column ?? 0) >= 1, () => `${message} has no place`);
          must(!/undefined|NaN|\[object/.test(message), () => message);
        }
        if (problems.length > 0) refused++;
        else {
          planPolicy(policy!, {});
          policySentences(read!.rules, OUTPUT);
          compactsAt(read!.rules, { window: 200_000, maxOutput: 32_000 });
        }
      },
    );
    expect(refused).toBeGreaterThan(40);
  });

  it('is reported at its place where a character of its text is lost or doubled', {
    timeout: TIMEOUT_MS,
  }, () => {
    const cut = policyFiles.chain((written) => {
      const text = stringify(written);
      return fc
        .tuple(fc.nat(text.length - 1), fc.nat(4), fc.constantFrom('', ':', '"', '[', '\t', '- ', '·'))
        .map(([at, length, put]) => text.slice(0, at) + put + text.slice(at + length));
    });
    forAll({ numRuns: propertyRuns(80) }, cut, (text) => {
      const { policy, problems } = readPolicyFile(text, 'p.yaml');
      expect(policy !== null || problems.length > 0).toBe(true);
      for (const { place } of problems) expect([place?.line, place?.column]).not.toContain(undefined);
    });
  });
});
