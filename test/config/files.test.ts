import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { starterText } from '../../src/cli/commands/starter.js';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { policyTexts } from '../../src/config/files/policy-text.js';
import { FILE_SCHEMAS, scenarioJsonSchema } from '../../src/config/schema/json-schema.js';
import { scenarioPaths } from '../../src/config/schema/schema.js';
import { CcbenchError } from '../../src/core/base/errors.js';
import type { SchemaNode } from '../../src/core/base/schema.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { tempFolder } from '../cli/cli.js';
import { expectGenerated } from '../helpers/pages/generated.js';
import { refusalsOf } from '../helpers/refusal.js';

const FOLDER = resolve(import.meta.dirname, '../../scenarios');
const MODELINE = '# yaml-language-server: $schema=../schema/scenario.schema.json\n';

function compile(text: string) {
  return compileScenario({ text, file: 's.yaml', set: [] }, builtinContext);
}

function read(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

describe('reference.yaml', () => {
  it('equals the defaults of the code', () => {
    const bare = 'name: reference\ntranscript: { synthetic: {} }\n';
    expect(compile(read('reference.yaml'))).toEqual(compile(bare));
  });

  it('mentions every key of the schema', () => {
    const text = read('reference.yaml');
    const keys = scenarioPaths().flatMap((path) => path.split('.').at(-1)!.replaceAll('[]', '').split(' '));
    const missing = [...new Set(keys)].filter((key) => !new RegExp(`\\b${key}\\b`).test(text));
    expect(missing).toEqual(['p', 'v'].filter((key) => missing.includes(key)));
  });

  it('sets every key outside of its examples', () => {
    const lines = read('reference.yaml').split('\n');
    const uncommented = lines.filter((line) => !/^\s*#/.test(line)).join('\n');
    const paths = scenarioPaths().filter((path) => !path.includes('[]'));
    const examples =
      /^(transcript\.file|transcripts|sessions|home\.|policy\.|transcript\.synthetic\.(overrides|subagents|steady)\.)/;
    for (const path of paths.filter((candidate) => !examples.test(candidate))) {
      expect(uncommented, path).toMatch(new RegExp(`(^|[\\s{,])${path.split('.').at(-1)}:`, 'm'));
    }
  });
});

describe('scenarios that come with ccbench', () => {
  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.yaml')))(
    '%s names its schema and compiles',
    (name) => {
      expect(read(name).startsWith(MODELINE)).toBe(true);
      expect(compile(read(name)).name).toBe(name.replace('.yaml', ''));
    },
  );

  it('quickstart is a session of 200 calls with a pause of 75 minutes', () => {
    const { transcript } = compile(read('quickstart.yaml')).runs[0]!;
    if (transcript.kind !== 'synthetic') throw new Error('not synthetic');
    const calls = generateTranscript(transcript.spec).threads[0]!.steps.flatMap((step) =>
      step.kind === 'call' ? [step.call] : [],
    );
    expect(calls).toHaveLength(200);
    expect(calls[120]!.startMs - calls[119]!.endMs).toBeGreaterThanOrEqual(75 * 60_000);
  });
});

describe('template', () => {
  it('compiles under any name', () => {
    const { name, runs } = compile(starterText('scenario', 'my-first'));
    expect(name).toBe('my-first');
    expect(runs.map((run) => run.plan.cache.ttl)).toEqual(['5m', '1h']);
  });
});

describe('JSON Schema', () => {
  it('is the committed one', () => {
    for (const [kind, schema] of Object.entries(FILE_SCHEMAS))
      expectGenerated(
        `schema/${kind}.schema.json`,
        `${JSON.stringify(schema(), null, 2)}
`,
      );
  });

  it('describes every key', () => {
    const schema = scenarioJsonSchema() as SchemaNode;
    const bare: string[] = [];
    const visit = (node: SchemaNode, path: string): void => {
      for (const [key, value] of Object.entries(node.properties ?? {})) {
        const target = value.$ref === undefined ? value : schema.$defs?.[value.$ref.replace('#/$defs/', '')];
        if (value.description === undefined && target?.description === undefined) bare.push(`${path}.${key}`);
        visit(value, `${path}.${key}`);
      }
      for (const option of node.anyOf ?? []) visit(option, path);
      if (node.items !== undefined) visit(node.items, `${path}[]`);
    };
    visit(schema, '');
    for (const [name, node] of Object.entries(schema.$defs ?? {})) visit(node, name);
    expect(bare).toEqual([]);
  });

  it('knows policies, workloads and parameters by name', () => {
    const { $defs } = scenarioJsonSchema() as SchemaNode;
    expect(JSON.stringify($defs?.PolicyName)).toContain('"none"');
    expect($defs?.Synthetic?.properties?.workload?.enum).toContain('refactor');
    expect($defs?.ParamSet?.properties?.['window.bounded']).toMatchObject({
      type: 'boolean',
      default: true,
    });
  });
});

it('a policy file is named as it was written, behind the folder of the scenario that it stands beside', () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, 'cases'));
  for (const folder of [cwd, join(cwd, 'cases')]) writeFileSync(join(folder, 'mine.yaml'), 'name: mine\n');
  const named = (scenario: string, written: string) =>
    policyTexts(scenario, cwd)(written, { file: scenario }).file;
  expect(named('cases/s.yaml', './mine.yaml')).toBe('cases/mine.yaml');
  expect(named('cases/s.yaml', join(cwd, 'mine.yaml'))).toBe(join(cwd, 'mine.yaml'));
  expect(named('s.yaml', './mine.yaml')).toBe('./mine.yaml');
});

describe('a policy file of a scenario', () => {
  const text = 'name: s\ntranscript: { synthetic: { turns: 3 } }\npolicy: ./mine.yaml\nseed: one\n';
  const problemsWith = (readPolicy: () => { readonly text: string; readonly file: string }) =>
    refusalsOf(() => compileScenario({ text, file: 's.yaml', set: [], readPolicy }, builtinContext)).map(
      ({ message }) => message,
    );

  it('is refused where its name is taken', () => {
    expect(problemsWith(() => ({ text: 'name: none\nrules: []\n', file: 'mine.yaml' }))).toContain(
      'another policy is already called "none"',
    );
  });

  it('that cannot be read is one problem of several; what else goes wrong is thrown', () => {
    const missing = () => {
      throw new CcbenchError('bad-usage', 'there is no mine.yaml');
    };
    expect(problemsWith(missing)).toEqual([expect.stringContaining('seed'), 'there is no mine.yaml']);
    const broken = () => {
      throw new RangeError('a fault of the program');
    };
    expect(() => problemsWith(broken)).toThrow(RangeError);
  });
});
