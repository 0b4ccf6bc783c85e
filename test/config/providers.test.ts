import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { policyTexts } from '../../src/config/files/policy-text.js';
import { CcbenchError, formatPlace } from '../../src/core/base/errors.js';
import { planDigest } from '../../src/engine/run/replay.js';
import { evaluateExpectation } from '../../src/metrics/expect.js';
import { foldLog } from '../../src/metrics/fold.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { ROOT } from '../helpers/architecture/tree.js';
import { mainRequests, runLog } from '../helpers/plan.js';
import { refusalsOf } from '../helpers/refusal.js';

const OWN = [
  'source: a test',
  'doubts: ["Nobody knows."]',
  'label: Mine',
  'serves: openai',
  'model: gpt-5.4',
  'match: prefix',
  'lookback: null',
  'grain: 128',
  'minimum: 0',
  'written: every-grain',
  'visibleAfter: response-start',
  'lifetime: { idle: 5min, refresh: on-hit }',
  'hit: always',
  'price: null',
].join('\n');

function compile(lines: readonly string[], files: Readonly<Record<string, string>>) {
  const text = [
    'name: a',
    'transcript: { synthetic: { workload: bugfix, turns: 30, text: none } }',
    'policy: none',
    ...lines,
  ].join('\n');
  const readPolicy = (written: string) => {
    const found = files[written];
    if (found === undefined) throw new CcbenchError('file-missing', `there is no file ${written}`);
    return { text: found, file: written.replace('./', '') };
  };
  return compileScenario({ text, file: 's.yaml', set: [], readPolicy }, builtinContext).runs;
}

function problemsWith(...given: Parameters<typeof compile>): readonly string[] {
  return refusalsOf(() => compile(...given)).map(
    ({ place, message, hint }) => `${place === null ? '' : formatPlace(place)}: ${message} (${hint})`,
  );
}

describe('a provider file that a scenario names', () => {
  it('is in the plan and in its digest, and rules the run', () => {
    const runOf = (file: string) => compile(['provider: ./mine.yaml'], { './mine.yaml': file })[0]!;
    const { plan, transcript } = runOf(OWN);
    expect(plan).toMatchObject({ provider: 'mine', ownProvider: { name: 'mine', label: 'Mine' } });
    const other = runOf(OWN.replace('grain: 128', 'grain: 1000'));
    expect(planDigest(other.plan)).not.toBe(planDigest(plan));
    if (transcript.kind !== 'synthetic') throw new Error('not synthetic');
    const session = generateTranscript(transcript.spec);
    const log = runLog(plan, session);
    const reads = mainRequests(log).map(({ read, model }) => [read % 128, model]);
    expect(reads).toEqual(reads.map(() => [0, 'gpt-5.4']));
    expect(mainRequests(runLog(other.plan, session)).every(({ read }) => read % 1_000 === 0)).toBe(true);
    const said = log.flatMap((entry) => (entry.type === 'warning' ? [entry.message] : []));
    expect(said).toContain('Mine: Nobody knows.');
    expect(said).toContain('Mine does not serve claude-sonnet-4-5: gpt-5.4 stands for it');
  });

  it('may differ by variant, and a model of the scenario may be its own', () => {
    const runs = compile(
      [
        'models: { mine-1: { provider: mine, prices: { input: 1, output: 2 } } }',
        'provider: deepseek',
        'variants: [{ name: own, provider: ./mine.yaml }]',
      ],
      { './mine.yaml': OWN.replace('serves: openai\nmodel: gpt-5.4', 'model: mine-1') },
    );
    expect(runs.map(({ plan }) => [plan.provider, plan.ownProvider?.defaultModel])).toEqual([
      ['deepseek', undefined],
      ['mine', 'mine-1'],
    ]);
  });

  it.each([
    [
      'an unknown key',
      `${OWN}\nlokback: 1`,
      'mine.yaml:15:1: unknown key `lokback` (did you mean `lookback`?',
    ],
    [
      'an unknown word',
      OWN.replace('prefix', 'prefx'),
      'mine.yaml:6:8: expected breakpoint, prefix, unit or object, got "prefx"',
    ],
    ['no effect', OWN.replace('lookback: null', 'lookback: 20'), 'mine.yaml:7:11: `lookback` has no effect'],
    ['an unknown model', OWN.replace('gpt-5.4', 'gpt-9'), 'mine.yaml:5:8: `gpt-9` is in no table'],
    ['a model of others', OWN.replace('gpt-5.4', 'glm-5'), 'mine.yaml:5:8: `glm-5` is a model of glm'],
    [
      'a name that is taken',
      `${OWN}\nname: kimi`,
      'mine.yaml:15:7: another provider is already called "kimi"',
    ],
    ['nothing', '', 'mine.yaml:1:1: the provider is empty'],
  ])('is refused with its own place: %s', (_what, file, problem) => {
    const found = problemsWith(['provider: ./mine.yaml'], { './mine.yaml': file });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(problem);
  });

  it('that is not there is said once', () => {
    expect(problemsWith(['provider: ./mine.yaml'], {})).toEqual([': there is no file ./mine.yaml (null)']);
  });
});

describe('scenarios/own-provider', () => {
  it('holds what it expects', () => {
    const file = join(ROOT, 'scenarios/own-provider/own-provider.yaml');
    const source = { text: readFileSync(file, 'utf8'), file, set: [], readPolicy: policyTexts(file, ROOT) };
    const { runs } = compileScenario(source, builtinContext);
    expect(runs.map(({ plan }) => plan.provider)).toEqual(['anthropic', 'own-gateway']);
    for (const { plan, transcript, expectations } of runs) {
      if (transcript.kind !== 'synthetic') throw new Error('not synthetic');
      const facts = foldLog(runLog(plan, generateTranscript(transcript.spec)));
      for (const each of expectations) expect(evaluateExpectation(each, facts).passed).toBe(true);
    }
  });
});

/** The log of a generated session with pauses beyond five minutes. */
function logUnder(...lines: readonly string[]) {
  const text = [
    'name: a',
    'transcript: { synthetic: { turns: 8, prefixTokens: 10000, steady: { gapSeconds: 1200, tokensPerTurn: 2000 } } }',
    'policy: none',
    ...lines,
  ].join('\n');
  const readPolicy = () => expect.unreachable('there is no file');
  const [run] = compileScenario({ text, file: 's.yaml', set: [], readPolicy }, builtinContext).runs;
  if (run!.transcript.kind !== 'synthetic') throw new Error('not synthetic');
  return runLog(run!.plan, generateTranscript(run!.transcript.spec));
}

const told = (log: ReturnType<typeof logUnder>) =>
  log.flatMap((entry) => (entry.type === 'warning' ? [entry.message] : []));

describe('a model that a scenario names beside a provider', () => {
  it('is used where the provider serves it, under its own name too', () => {
    // Bedrock serves the models of Anthropic, and those of Amazon by its own name.
    const log = logUnder('provider: bedrock', 'model: nova-pro');
    expect(new Set(mainRequests(log).map(({ model }) => model))).toEqual(new Set(['nova-pro']));
    expect(told(log).some((message) => message.includes('stands for'))).toBe(false);
  });

  it('is said to be replaced, by name, where the provider does not', () => {
    const log = logUnder('provider: deepseek', 'model: gpt-5.4');
    expect(told(log)).toContain('DeepSeek does not serve gpt-5.4: deepseek-v4-pro stands for it');
  });
});

describe('an hour that a scenario asks for', () => {
  it.each([
    ['nova-pro', 'nova-pro has no lifetime of an hour: its entries live five minutes'],
    ['minimax-m2.5', 'minimax-m2.5 has no lifetime of an hour: its entries live five minutes'],
    ['kimi-k3', 'Kimi: entries live as long as its rules say, and cache.ttl has no say in it'],
  ])('is not had for nothing of %s, and that is said', (model, sentence) => {
    const costs = ['5m', '1h'].map((ttl) => {
      const log = logUnder(`model: ${model}`, `cache: { ttl: ${ttl} }`);
      expect(told(log).includes(sentence)).toBe(ttl === '1h');
      return foldLog(log).cost.total;
    });
    expect(costs[1]).toBe(costs[0]);
  });

  it('is had of Claude, at its price', () => {
    const log = logUnder('model: claude-sonnet-4-5', 'cache: { ttl: 1h }');
    expect(
      mainRequests(log)
        .slice(1)
        .every(({ read, write5m }) => read > 0 && write5m === 0),
    ).toBe(true);
    expect(told(log).some((message) => message.includes('hour'))).toBe(false);
  });
});
