import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { ProblemList } from '../../src/core/base/errors.js';
import { forAll } from '../helpers/for-all.js';
import { propertyRuns } from '../helpers/generators/property-runs.js';
import { thrownBy } from '../helpers/refusal.js';

const REFERENCE = readFileSync(resolve(import.meta.dirname, '../../scenarios/reference.yaml'), 'utf8');
const LINES = REFERENCE.split('\n').filter((line) => line !== '' && !/^\s*#/.test(line));

function failureOf(text: string, set: readonly string[] = []): unknown {
  return thrownBy(() => compileScenario({ text, file: 's.yaml', set }, builtinContext));
}

function expectProblemsOrNothing(error: unknown): void {
  if (error === null) return;
  expect(error).toBeInstanceOf(ProblemList);
  const { problems } = error as ProblemList;
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) {
    expect(problem.place).not.toBeNull();
    expect(problem.message).not.toMatch(/undefined|\[object/);
  }
}

it('answers any damage to a scenario with problems that have places', () => {
  const damage = fc.record({
    line: fc.nat({ max: LINES.length - 1 }),
    at: fc.nat({ max: 60 }),
    remove: fc.nat({ max: 12 }),
    insert: fc.constantFrom(
      '',
      ':',
      ' ',
      '  ',
      '\t',
      '[',
      ']',
      '{',
      '}',
      '"',
      '&a ',
      '*a',
      '- ',
      '? ',
      '!x ',
      '1',
      'x',
      '<<: ',
      '#',
      '\n',
      '|',
      '~',
    ),
  });
  forAll(
    { numRuns: propertyRuns(150), seed: 11 },
    fc.array(damage, { minLength: 1, maxLength: 3 }),
    (changes) => {
      const lines = [...LINES];
      for (const { line, at, remove, insert } of changes) {
        const text = lines[line]!;
        lines[line] = text.slice(0, at) + insert + text.slice(at + remove);
      }
      expectProblemsOrNothing(failureOf(lines.join('\n')));
    },
  );
});

it('answers any value at any key with problems that have places', () => {
  const paths = [
    'name',
    'transcript',
    'transcript.synthetic',
    'transcript.synthetic.idle',
    'transcript.synthetic.steady',
    'policy',
    'policy.set',
    'overrides',
    'cache.ttl',
    'llm.fake',
    'llm.faults',
    'variants',
    'expect',
    'seed',
  ];
  forAll(
    { numRuns: propertyRuns(200), seed: 12 },
    fc.constantFrom(...paths),
    fc.jsonValue({ maxDepth: 3 }),
    (path, value) => {
      expectProblemsOrNothing(failureOf(LINES.join('\n'), [`${path}=${JSON.stringify(value)}`]));
    },
  );
});

it('answers nesting without end with a problem', () => {
  expect(failureOf(`name: ${'['.repeat(20_000)}`)).toBeInstanceOf(ProblemList);
  expect(failureOf('name: &a [*a]\nvariants: &v [*v]\n')).toBeInstanceOf(ProblemList);
});
