import { describe, expect, it } from 'vitest';
import { compactionHistory } from '../../../../src/agent/layers/auto-compact/history.js';
import { rulesLayer } from '../../../../src/agent/layers/rules/rules-layer.js';
import { layerParams } from '../../../../src/agent/layers/support/param-reader.js';
import { readPolicyFile } from '../../../../src/config/files/policy-file.js';
import { createBlock } from '../../../../src/core/model/block.js';
import type { Message } from '../../../../src/core/model/message.js';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import type { LayerContext } from '../../../../src/core/run/layer.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { runSent } from '../../../helpers/capture.js';
import { callBlock, LayerDriver, resultBlock } from '../../../helpers/drive/drive-layer.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { mainRequests, ofType, type PlanInit, runLog } from '../../../helpers/plan.js';
import { planUnder } from '../../../helpers/plan-under.js';
import { sessionsOf } from '../../../helpers/recordings/sessions.js';

const INIT: PlanInit = { window: 200_000, summaryTokens: 1_000 };

const logOf = (policy: string, transcript: Transcript, init: PlanInit = {}): readonly LogEntry[] =>
  runLog(planUnder(policy, { ...INIT, ...init }), transcript);

const compactions = (log: readonly LogEntry[]) =>
  ofType(log, 'layer').filter(({ action, outcome }) => action === 'compact' && outcome === 'done');

/** A prefix of 5,000 tokens, and rounds of 1,000 tokens of results. */
function rounds(talk: Conversation, n: number, tokens = 1_000): Conversation {
  for (let i = 0; i < n; i++) talk.tools([{ tool: 'Read', tokens, path: `/${i}` }]);
  return talk;
}
const begin = () => new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(100);

const COMPACT = 'select: { what: history, keep: { last: 1 round } }, ask: { shape: own }';

describe('at: prompt', () => {
  it('asks once for each prompt, before its first request', () => {
    const talk = rounds(begin(), 8).answer(10).human(100);
    const transcript = rounds(talk, 8).answer(10).turn(100, 10).transcript();
    const every = logOf(`rules: [{ when: { tokens: ">= 9k" }, ${COMPACT} }]`, transcript);
    const once = logOf(`rules: [{ when: { tokens: ">= 9k", at: prompt }, ${COMPACT} }]`, transcript);
    // Prompts begin with the calls 1, 10 and 19.
    expect(compactions(once).map(({ turn }) => turn)).toEqual([10, 19]);
    expect(compactions(every).length).toBeGreaterThan(2);
  });

  it('is the whole first turn, however often the rule is asked in it', () => {
    const clear = 'select: { what: tool-results }, replace: { with: placeholder }';
    const { read } = readPolicyFile(`rules: [{ when: { tokens: ">= 1", at: prompt }, ${clear} }]`, 'p.yaml');
    const layers = new LayerDriver([rulesLayer], {}, 200_000, { rules: read!.rules });
    for (const [turn, id] of [...'abc'].entries()) {
      layers.turn = Math.max(1, turn);
      layers.exchange(id);
      layers.ask();
    }
    expect(layers.cleared()).toEqual(['a', 'b']);
  });
});

describe('a counter of a rule', () => {
  it('decides for this rule alone', () => {
    const transcript = rounds(begin(), 30).answer(10).transcript();
    const policy = `
count: { source: tokenizer }
rules:
  - { name: other, when: { tokens: ">= 190k" }, ${COMPACT} }
  - { name: twice, count: { source: estimate, scale: 2, includes: [] }, when: { tokens: ">= 40k" }, ${COMPACT} }
`;
    const [first] = compactions(logOf(policy, transcript));
    expect(first!.details.rule).toBe('twice');
    // It sees the messages twice and no prefix: 20,000 tokens of messages behind 5,000, and up to a round of 1,020 more.
    expect(first!.trueBefore).toBeGreaterThanOrEqual(25_000);
    expect(first!.trueBefore).toBeLessThan(26_100);
  });
});

describe('growth', () => {
  it('is measured from the latest compaction on', () => {
    const transcript = rounds(begin(), 40).answer(10).transcript();
    const log = logOf(`rules: [{ when: { growth: "> 10k since last" }, ${COMPACT} }]`, transcript);
    const turns = compactions(log).map(({ turn }) => turn);
    // After the first a compaction needs ten rounds and more of 1,000 tokens.
    expect(turns.length).toBeGreaterThan(2);
    for (let i = 1; i < turns.length; i++) expect(turns[i]! - turns[i - 1]!).toBeGreaterThanOrEqual(9);
  });

  it('is measured from what is left behind what a rule cleared', () => {
    const transcript = rounds(begin(), 40).answer(10).transcript();
    const rule =
      'when: { growth: "> 10k since last" }, select: { what: tool-results, keep: { last: 2 } }, replace: { with: placeholder }';
    const log = logOf(`rules: [{ ${rule} }]`, transcript);
    const turns = ofType(log, 'layer').map(({ turn }) => turn);
    // The prompts have 5,100 tokens and 1,020 more for each round; then it takes ten rounds each time.
    expect(turns).toEqual([6, 16, 26, 36]);
  });
});

describe('cache.key', () => {
  const two = (more: { readonly resumes?: string } = {}) =>
    sessionsOf([
      { name: 'a', talk: begin().answer(10) },
      { name: 'b', talk: begin().answer(10), afterHours: 0.02, ...more },
    ]);
  const RULES = 'rules: [{ when: { tokens: ">= 190k" }, ask: { shape: own } }]';
  const reads = (cache: string, transcript = two()) =>
    mainRequests(logOf(`cache: { ${cache} }\n${RULES}`, transcript)).map(({ read }) => read > 0);

  it('session: another session does not find the prefix that both have, one that takes it up does', () => {
    expect(reads('key: none')).toEqual([false, true]);
    expect(reads('key: session')).toEqual([false, false]);
    expect(reads('key: session', two({ resumes: 'a' }))).toEqual([false, true]);
  });
});

describe('cache.warmBefore', () => {
  it('writes a lost entry before a summary is asked for, which then reads it', () => {
    const transcript = rounds(begin(), 12).answer(10).wait(900).turn(100, 10).transcript();
    const policy = (cache: string, shape: string) =>
      `${cache}rules: [{ when: { idle: ">= 10m" }, select: { what: history }, ask: { shape: ${shape} }, layout: [summary, last-prompt] }]`;
    const beside = (cache: string) =>
      ofType(logOf(policy(cache, 'extend'), transcript), 'request').filter(
        ({ purpose }) => purpose !== 'main',
      );
    const [cold] = beside('');
    expect([cold!.purpose, cold!.read]).toEqual(['compact', 0]);
    const [warming, warm, ...more] = beside('cache: { warmBefore: ask }\n');
    expect([warming!.purpose, warming!.read, more.length]).toEqual(['keep_alive', 0, 0]);
    expect(warming!.write5m).toBeGreaterThan(17_000);
    expect([warm!.purpose, warm!.read]).toEqual(['compact', warming!.prompt]);
    // a request of a shape of its own does not read that entry, whatever another rule would do
    const other = '{ when: { tokens: ">= 190k" }, select: { what: history }, ask: { shape: extend } }';
    const mixed = policy('cache: { warmBefore: ask }\n', 'own').replace(/\]$/, `, ${other}]`);
    const asked = ofType(logOf(mixed, transcript), 'request').filter(({ purpose }) => purpose !== 'main');
    expect(asked.map(({ purpose }) => purpose)).toEqual(['compact']);
  });
});

describe('breaker.scope', () => {
  it('rule: one rule gives up and another goes on', () => {
    const transcript = rounds(begin(), 20).answer(10).transcript();
    const policy = (scope: string) => `
rules:
  - { name: small, when: { tokens: ">= 9k" }, ${COMPACT} }
  - { name: large, when: { tokens: ">= 15k" }, ${COMPACT} }
guards: { breaker: { after: 2, until: session, scope: ${scope} } }
`;
    const faults = [{ call: 'compact', error: 'invalid_request' }] as const;
    const failures = (scope: string) =>
      ofType(logOf(policy(scope), transcript, { faults }), 'layer').map(({ details }) => details.rule);
    expect(failures('policy')).toEqual(['small', 'small']);
    expect(failures('rule')).toEqual(['small', 'small', 'large', 'large']);
  });
});

describe('what of the history stays', () => {
  const history = (policy: string, transcript: Transcript) =>
    runSent(planUnder(policy, INIT), transcript).replaced[0]!.after;

  it('a summary at an index stands behind this many messages', () => {
    const transcript = rounds(begin(), 12).answer(10).transcript();
    const after = history(
      'rules: [{ when: { tokens: ">= 12k" }, select: { what: history, keep: { last: 1 round } }, replace: { with: summary, where: { at: 1 } }, ask: { shape: own } }]',
      transcript,
    );
    expect(after.slice(0, 2).map(({ origin }) => origin)).toEqual(['human', 'summary']);
  });

  it('the newest images come back', () => {
    const talk = begin();
    for (let i = 0; i < 4; i++) talk.image(1_500).answer(10);
    const transcript = rounds(talk.human(10), 12).answer(10).transcript();
    const after = history(
      'rules: [{ when: { tokens: ">= 14k" }, ask: { shape: own }, layout: [summary, { images: 3 }, last-prompt] }]',
      transcript,
    );
    expect(after.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'image'))).toHaveLength(3);
  });

  it('no message stands for images where there were none', () => {
    const after = history(
      'rules: [{ when: { tokens: ">= 12k" }, ask: { shape: own }, layout: [summary, { images: 3 }, last-prompt] }]',
      rounds(begin(), 12).answer(10).transcript(),
    );
    expect(after.map(({ origin }) => origin)).toEqual(['summary', 'human']);
  });

  it('boundary: thinking-loop parts no loop of calls in which the model thinks', () => {
    const talk = begin().answer(10).human(100);
    for (let i = 0; i < 12; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }], { thinking: 50 });
    const transcript = talk.answer(10).transcript();
    const thoughts = (messages: readonly Message[]) =>
      messages.filter(({ blocks }) => blocks.some(({ kind }) => kind === 'thinking')).length;
    const lost = (boundary: string) => {
      const policy = `rules: [{ when: { tokens: ">= 14k" }, select: { what: history, keep: { last: 2 messages }, boundary: ${boundary}, move: back }, ask: { shape: own } }]`;
      const { before, after } = runSent(planUnder(policy, INIT), transcript).replaced[0]!;
      return [thoughts(before) > 3, thoughts(before) - thoughts(after)];
    };
    expect(lost('thinking-loop')).toEqual([true, 0]);
    expect(lost('pair')[1]).toBeGreaterThan(2);
  });

  it('keep.last of results counts what it says: items, messages, rounds, turns', () => {
    const talk = begin();
    for (let prompt = 0; prompt < 3; prompt++) {
      for (let i = 0; i < 4; i++)
        talk.tools([
          { tool: 'Read', tokens: 500 },
          { tool: 'Read', tokens: 500 },
        ]);
      talk.answer(10).human(10);
    }
    const transcript = talk.answer(10).transcript();
    const kept = (last: string) => {
      const policy = `rules: [{ when: { tokens: ">= 15k", at: prompt }, select: { what: tool-results, keep: { last: ${last} } }, replace: { with: placeholder } }]`;
      const final = runSent(planUnder(policy, INIT), transcript).sent.at(-1)!.blocks!;
      return final.filter(({ kind, facts }) => kind === 'tool_result' && facts.replaces !== 'cleared').length;
    };
    // 13,500 tokens at the third prompt, 17,700 at the fourth: before it stand an answer, and two results a round.
    expect(['3', '2 messages', '2 rounds', '2 turns'].map(kept)).toEqual([3, 0, 2, 8]);
  });
});

describe('a copy of a thread', () => {
  const SUMMARY = 'select: { what: history }, ask: { shape: own }';
  const CLEAR = 'select: { what: tool-results, keep: { last: 1 } }, replace: { with: placeholder }';
  const EACH = CLEAR.replace('placeholder', 'placeholder, sticky: false');
  const always = (guards: string): string =>
    `rules: [{ when: { toolResults: ">= 1" }, ${SUMMARY} }]\nguards: { ${guards} }`;

  type Restorable = { readonly context: LayerContext; restoreFrom(other: unknown): void };
  const historyOf = ({ context }: Restorable) => compactionHistory(context.shared);

  /** Rounds of a thread under a policy; a minute each, with all that a rule may be asked at. */
  function live(driver: LayerDriver, from: number, to: number): void {
    for (let n = from; n < to; n++) {
      driver.turn = n;
      driver.now = n * 60_000;
      driver.exchange(`call-${n}`, { tokens: 1_000 });
      driver.respond([createBlock({ kind: 'image', role: 'assistant', tokens: 9 })]);
      driver.ask('after-response');
      driver.now += 30_000;
      driver.ask('wake');
      driver.ask();
      driver.ask('refused');
    }
  }

  // Summaries never come: each attempt is a failure.
  it.each([
    [`rules: [{ when: { messages: ">= 14" }, ${CLEAR} }]`],
    [`rules: [{ when: { turns: ">= 9" }, ${CLEAR} }]`],
    [`rules: [{ when: { images: ">= 5" }, ${CLEAR} }]`],
    [`rules: [{ when: { growth: ">= 2500" }, ${CLEAR} }]`],
    [`rules: [{ when: { prunable: ">= 10k chars" }, ${CLEAR} }]`],
    [`rules: [{ when: { prunable: ">= 2500" }, ${CLEAR.replace('tool-results', 'pairs')} }]`],
    [`rules: [{ when: { piled: ">= 3500" }, ${CLEAR} }]`],
    [`rules: [{ when: { tokens: ">= 3k" }, ${EACH} }]`],
    [`rules: [{ when: { event: prefix-change }, ${CLEAR} }]`],
    [`rules: [{ when: { messages: ">= 1", at: prompt }, ${CLEAR.replace(', keep: { last: 1 }', '')} }]`],
    [`rules: [{ when: { event: refused }, ${SUMMARY} }]`],
    [always('breaker: { after: 4, until: session, scope: rule }')],
    [always('breaker: { after: 1, until: 2min }')],
    [always('breaker: { after: 1, until: 2min, scope: rule }')],
    [always('perTurn: 1')],
    [always('cooldown: [1min, 2min, 5min]')],
    [always('spend: { calls: 5, per: 30min, rest: 1h }')],
    [`cache: { keepAlive: { every: 30s, times: 2 } }\nrules: [{ when: { tokens: ">= 190k" }, ${SUMMARY} }]`],
  ])('goes on as the thread itself would: %s', (policy) => {
    const { read, problems } = readPolicyFile(policy, 'p.yaml');
    expect(problems).toEqual([]);
    const params = ['rules', 'core', 'full-compact'].flatMap(layerParams);
    const layer = { ...rulesLayer, params };
    const driven = () => new LayerDriver([layer], {}, 200_000, { rules: read!.rules });
    for (const half of [1, 2, 3, 4, 5]) {
      const [own, copy] = [driven(), driven()];
      live(own, 1, half + 1);
      const { turn, now, lastResponseMs } = own;
      own.respond([callBlock('more')]);
      own.lastResponseMs = lastResponseMs;
      own.ask('end-of-loop');
      const { messages } = own;
      Object.assign(copy, { messages: [...messages], turn, now, lastResponseMs, count: messages.length });
      const [source, target] = [own, copy].map(({ layers }) => layers[0] as unknown as Restorable);
      Object.assign(historyOf(target!), historyOf(source!));
      target!.restoreFrom(source!);
      const before = own.actions.length;
      for (const one of [own, copy]) {
        one.now += 30_000;
        for (const point of ['wake', 'refused'] as const) one.ask(point);
        // The second of these has a result already.
        one.receive(['more', `call-${half}`].map((id) => resultBlock(id, { tokens: 200 })));
        one.ask();
        live(one, half + 1, 9);
      }
      expect(copy.actions).toEqual(own.actions.slice(before));
      expect(own.actions).not.toEqual([]);
    }
  });
});
