import { describe, expect, it } from 'vitest';
import { formatPlace } from '../../src/base/errors.js';
import { policyValues, withPolicyValue } from '../../src/parts/paths.js';
import { policySentences } from '../../src/parts/sentences.js';
import { compactsAt } from '../../src/parts/triggers.js';
import { planPolicy } from '../../src/policies/catalogue.js';
import { readPolicyFile } from '../../src/scenario/policy-file.js';

const SOUND = `name: mine
base: { from: window, minus: 33k }
rules:
  - name: clear
    when: { prunable: ">= 20k" }
    select: { what: tool-results, keep: { tokens: 40k } }
    replace: { with: placeholder }
  - name: compact
    when: [{ tokens: ">= 1·B" }, { event: refused }]
    select: { what: history, keep: { last: 2 rounds } }
    ask: { shape: [extend, own], output: 20k }
    fail: { else: { truncate: { keep: 0.5 } } }
guards: { breaker: { after: 3, until: success } }
`;

function problemsOf(text: string): readonly string[] {
  const { problems } = readPolicyFile(text, 'p.yaml');
  return problems.map(
    ({ place, message, hint }) =>
      `${formatPlace(place!)}: ${message}${hint === null ? '' : ` (${hint.split(' known:')[0]})`}`,
  );
}

const warningsOf = (text: string): readonly string[] =>
  readPolicyFile(text, 'p.yaml').warnings.map(({ place, message }) => `${formatPlace(place!)}: ${message}`);

describe('a policy file', () => {
  it('is read whole, with what it leaves open filled in', () => {
    const { policy, problems, warnings } = readPolicyFile(SOUND, 'folder/my-agent.yaml');
    expect([problems, warnings]).toEqual([[], []]);
    const { parts, name } = planPolicy(policy!, {});
    expect(name).toBe('mine');
    expect(compactsAt(parts!, { window: 200_000, maxOutput: 32_000 })).toBe(167_000);
    expect(parts!.rules[1]!.layout.map(({ kind }) => kind)).toEqual(['summary', 'tail']);
    expect(parts!.rules[1]!.when.map(({ at }) => at)).toEqual([['before-request'], ['refused']]);
  });

  it('says in words what it will do, with the tokens on usual windows', () => {
    const { read } = readPolicyFile(SOUND, 'p.yaml');
    const [clear, compact, breaker] = policySentences(read!.parts);
    expect(clear).toContain('when at least 20,000 tokens would be freed');
    expect(clear).toContain('all tool results but the newest 40,000 tokens');
    // W − 33,000 on each window.
    expect(compact).toContain('at least 95,000 of 128K, 167,000 of 200K and 967,000 of 1M tokens');
    expect(compact).toContain('the latest 2 rounds');
    expect(breaker).toBe('After 3 failed summaries in a row no more are asked for until one succeeds.');
  });

  it.each([
    [
      'an unknown key',
      SOUND.replace('prunable:', 'prunible:'),
      'p.yaml:5:13: unknown key `prunible` (did you mean `prunable`?',
    ],
    [
      'an unknown word',
      SOUND.replace('placeholder', 'placehodler'),
      'p.yaml:7:22: "placehodler" is not known here (did you mean `placeholder`?',
    ],
    [
      'a bad amount, at its character',
      SOUND.replace('1·B', '1·Q'),
      'p.yaml:9:28: `Q` is not known in an amount',
    ],
    [
      'D8 an amount below nothing',
      SOUND.replace('">= 1·B"', '-3'),
      'p.yaml:9:22: an amount from 0 on is wanted here, not -3',
    ],
    [
      'a rule that is not there',
      SOUND.replace('{ truncate: { keep: 0.5 } }', 'compactt'),
      'p.yaml:12:19: no rule is called `compactt` (did you mean `compact`?',
    ],
    [
      'a rule without a condition',
      SOUND.replace('    when: { prunable: ">= 20k" }\n', ''),
      'p.yaml:4:5: `when` is missing',
    ],
    [
      'two rules of one name',
      SOUND.replace('name: compact', 'name: clear'),
      'p.yaml:8:11: two rules are called `clear`',
    ],
    [
      'a setting without effect',
      SOUND.replace('    fail:', '    until: { freed: 3k }\n    fail:'),
      'p.yaml:12:5: `until` has no effect where the history is replaced',
    ],
    [
      'what nothing replaces',
      SOUND.replace('    replace: { with: placeholder }\n', ''),
      'p.yaml:4:5: tool-results are selected, and `replace` does not say what stands there afterwards',
    ],
    [
      'an event at another point',
      SOUND.replace('{ event: refused }', '{ event: refused, at: before-request }'),
      'p.yaml:9:34: `event: refused` and `at: before-request` exclude each other',
    ],
    [
      'a time without its unit',
      SOUND.replace('prunable: ">= 20k"', 'idle: ">= 60"'),
      'p.yaml:5:23: a time is wanted here, not "60"',
    ],
    [
      'a piece that is not kept',
      SOUND.replace('    fail:', '    layout: [files, summary, tail]\n    fail:'),
      'p.yaml:12:5: `files` stands in the layout, and `select.keep.recent-files` does not say what it is',
    ],
  ])('refuses %s with file, line and column', (_name, text, message) => {
    const found = problemsOf(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toContain(message);
  });

  it('warns of rules that never act', () => {
    expect(warningsOf(SOUND.replace('">= 1·B"', '">= 1.2·W"'))).toEqual([
      'p.yaml:9:12: `compact` never acts by itself: 1.2·W is more than the window, and the API refuses before',
    ]);
    expect(warningsOf(SOUND.replace('{ prunable: ">= 20k" }', 'never'))).toEqual([
      'p.yaml:5:11: `clear` never acts: it has no condition, and no rule falls back on it',
    ]);
    expect(warningsOf(SOUND.replace('{ prunable: ">= 20k" }', '{ idle: ">= 2h", warm: true }'))).toHaveLength(
      1,
    );
  });

  it('has a path for every number, and a bound keeps its sign when its number changes', () => {
    const { policy } = readPolicyFile(SOUND, 'p.yaml');
    const paths = policyValues(policy!.written!).map(({ path }) => path);
    expect(paths).toContain('rules.clear.when.prunable');
    expect(paths).toContain('rules.compact.when.0.tokens');
    expect(paths).toContain('guards.breaker.after');
    const changed = planPolicy(policy!, { 'rules.compact.when.0.tokens': 120_000 });
    expect(compactsAt(changed.parts!, { window: 200_000, maxOutput: 32_000 })).toBe(120_000);
    expect(() => withPolicyValue(policy!.written!, 'rules.compact.when.tokenz', 1)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('rules.compact.when.0.tokens') }),
    );
    expect(() => planPolicy(policy!, { 'rules.clear.select.keep.tokens': '40x' })).toThrow(
      /rules\[0\]\.select\.keep\.tokens/,
    );
  });
});
