import { describe, expect, it } from 'vitest';
import { RUNS, runName, SETTINGS } from '../../scripts/clients/plan.mjs';
import { simulatedClock } from '../../scripts/clients/run-client.mjs';
import { placesOf, predictionOf, scorePair, summaryOf, tableOf } from '../../scripts/clients/score.mjs';
import { simulatedTimes, truthOf } from '../../scripts/clients/truth.mjs';
import { promptsOf, scriptOf, WORKLOADS } from '../../scripts/clients/workloads.mjs';
import { readScriptFile } from '../../src/cli/commands/serve/start-server.js';

it('a transcript gets the times that the server had: each prompt but the first comes behind a pause', () => {
  const toSimulated = simulatedClock([1_000, 2_000], [400]);
  expect([toSimulated(1_500), toSimulated(2_500)]).toEqual([1_500, 402_500]);
  const line =
    '{"timestamp":"1970-01-01T00:00:02.500Z","text":"\\"timestamp\\":\\"1970-01-01T00:00:02.500Z\\""}';
  expect(simulatedTimes(line, toSimulated)).toBe(
    '{"timestamp":"1970-01-01T00:06:42.500Z","text":"\\"timestamp\\":\\"1970-01-01T00:00:02.500Z\\""}',
  );
});

it.each(Object.entries(WORKLOADS))('%s is a script that the server takes', (_name, workload) => {
  const script = readScriptFile(JSON.stringify(scriptOf(workload, '/work')), 'script.yaml');
  expect(script.steps).toHaveLength(workload.steps.length);
  const ends = script.steps.filter(({ calls }) => calls.length === 0);
  expect(ends).toHaveLength(promptsOf(workload).length);
  expect(ends.map(({ waitMs }) => waitMs)).toEqual([...workload.gaps.map((gap) => gap * 1_000), 0]);
  const agents = script.steps.filter(
    ({ calls: [call] }) => call !== undefined && 'action' in call && call.action === 'agent',
  );
  expect(script.agents).toHaveLength(agents.length);
});

const row = (kind: string, main: number, tokens: number, given: object = {}) => ({
  kind,
  main,
  tokens,
  cacheRead: 0,
  cleared: 0,
  costUsd: 1,
  ...given,
});

it('the truth names the first main request after something was taken away', () => {
  const truth = truthOf([
    row('main', 1, 100),
    row('side', 1, 5),
    row('main', 2, 200),
    { kind: 'main', error: 'too long' },
    row('summary', 2, 210),
    row('main', 3, 50),
    row('main', 4, 30, { cleared: 2 }),
    row('main', 5, 40, { cleared: 2 }),
  ]);
  expect(truth).toMatchObject({
    costUsd: 7,
    mainUsd: 5,
    sideUsd: 1,
    mainRequests: 5,
    refused: 1,
  });
  expect(truth.compactions).toMatchObject([
    { main: 3, promptBefore: 200, promptAfter: 50, refusedBefore: 1 },
  ]);
  expect(truth.microcompactions).toMatchObject([{ main: 4, cleared: 2 }]);
});

it('places are read from the events of the main thread', () => {
  const csv = [
    'timeMs,thread,turn,event,name,action,trigger,outcome,reason,failure',
    '1,main,11,layer,full-compact,compact,auto,done,"a, b",',
    '2,main,12,layer,full-compact,compact,auto,failed,,',
    '3,agent,3,layer,full-compact,compact,auto,done,,',
    '4,main,15,layer,microcompact,clear,auto,done,,',
    '5,main,16,status,warning,,,,,',
  ].join('\n');
  expect(placesOf(csv)).toEqual({ compactions: [11], microcompactions: [15] });
  expect(placesOf('')).toEqual({ compactions: [], microcompactions: [] });
});

describe('a prediction', () => {
  const variant = (name: string, costUsd: number, given: object = {}) => ({
    name,
    metrics: { costUsd, costUsdMain: costUsd / 2 },
    ...given,
  });
  const change = { key: 'window.percent', from: 'null', to: '50' };

  it('is the difference of the variants unless the answer names it', () => {
    const variants = [
      variant('as recorded', 9),
      variant('window.percent=null', 4),
      variant('window.percent=50', 6),
    ];
    expect(predictionOf({ variants }, change)).toEqual({ baseUsd: 4, deltaUsd: 2, mainDeltaUsd: 1 });
    const named = [variant('base', 4), variant('window.percent=50', 6, { deltaUsd: 3 })];
    expect(predictionOf({ variants: named }, change)?.deltaUsd).toBe(3);
    expect(predictionOf({ variants: [variant('base', 4)] }, change)).toBeNull();
  });

  const truth = (costUsd: number, compactions: readonly number[], micro: readonly number[] = []) => ({
    costUsd,
    mainUsd: costUsd / 2,
    compactions: compactions.map((main) => ({ main })),
    microcompactions: micro.map((main) => ({ main })),
  });

  it('is judged in percent of the true cost of the base', () => {
    const score = (deltaUsd: number, compactions: number[], microcompactions: number[] = []) =>
      scorePair({
        name: 'pair',
        base: truth(4, []),
        variant: truth(5, [7, 9], [12]),
        prediction: { baseUsd: 5, deltaUsd, mainDeltaUsd: 0 },
        places: { compactions, microcompactions },
      });
    expect(score(0.5, [7, 9], [9, 12])).toMatchObject({
      truePercent: 25,
      predictedPercent: 12.5,
      errorPercent: 12.5,
      baseErrorPercent: 25,
      isSignRight: true,
      isPlacesRight: true,
    });
    expect(score(-0.5, [7], [12])).toMatchObject({ isSignRight: false, isPlacesRight: false });
    const rows = [score(0.5, [7, 9], [12]), score(-0.5, [7])];
    expect(summaryOf(rows)).toBe(
      'sign right in 1 of 2 pairs above 2 %; median error of the difference 25.0 % of the base cost; places exact in 1 of 2',
    );
    expect(tableOf(rows).split('\n')[2]).toContain(
      '| 25.0 | 12.5 | 12.5 | 0.0 | 25.0 | yes | yes | 7 9; micro 12 |',
    );
  });

  it('that cannot be made is counted apart', () => {
    const alone = scorePair({
      name: 'pair',
      base: truth(4, []),
      variant: truth(5, []),
      prediction: null,
      places: null,
    });
    expect(summaryOf([alone])).toContain('1 without a counterpart');
    expect(tableOf([alone])).toContain('| pair | 25.0 | - |');
  });
});

it('every run has a name of its own, and every setting is known', () => {
  expect(new Set(RUNS.map(runName)).size).toBe(RUNS.length);
  expect(RUNS.filter(({ setting }) => !(setting in SETTINGS))).toEqual([]);
});
