import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/core/model/transcript.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { Context } from '../../../src/engine/context/context.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf } from '../../helpers/plan.js';

const PREFIX = 15_000;
const repairsOf = (entries: readonly LogEntry[]) =>
  ofType(entries, 'notice').filter(({ what }) => what === 'repaired');

/** The same steps without the messages of some ids. */
const without = (talk: Conversation, ...ids: readonly string[]): readonly Step[] =>
  talk.steps.filter((step) => step.kind !== 'message' || !ids.includes(step.message.id));

function run(steps: readonly Step[]) {
  const talk = new Conversation();
  talk.steps.push(...steps);
  return runSent(planOf(), talk.transcript());
}

describe('what had to be mended so that the API takes a request', () => {
  const work = () =>
    new Conversation()
      .human(100)
      .tools([
        { tool: 'Read', tokens: 30 },
        { tool: 'Read', tokens: 40 },
      ])
      .answer(10)
      .turn(20, 10);

  it('FLT-4 C37 a call without a result is answered by a mark of twelve tokens, once', () => {
    const { entries, sent } = run(without(work(), 'result3'));
    expect(repairsOf(entries)).toMatchObject([
      {
        message: '1 calls without a result were answered',
        details: { orphanResults: 0, missingResults: 1, leadingMarkers: 0, addedPrompts: 0 },
      },
    ]);
    expect(sentFor(sent, 'main')[1]!.tokens).toBe(PREFIX + 100 + 40 + 40 + 12);
    expect(ofType(entries, 'warning').map(({ code }) => code)).not.toContain('unprompted-request');
  });

  it('FLT-4 C37 a result without a call is left out', () => {
    const stray = new Conversation({ ids: 'x-' }).tools([{ tool: 'Read', tokens: 99 }]).steps.slice(1);
    const { entries, sent } = run([...work().steps.slice(0, 1), ...stray, ...work().steps.slice(1)]);
    expect(repairsOf(entries)).toMatchObject([
      {
        message: '1 results without a call were left out',
        details: { orphanResults: 1, missingResults: 0, leadingMarkers: 0, addedPrompts: 0 },
      },
    ]);
    expect(sentFor(sent, 'main')[0]!.tokens).toBe(PREFIX + 100);
  });

  it('FLT-4 C37 a session that begins with a response gets a prompt in front, and says what else it lacks', () => {
    const { entries, sent } = run(without(work(), 'human1', 'result3', 'result4'));
    expect(repairsOf(entries)[0]!.details).toMatchObject({ leadingMarkers: 0, addedPrompts: 1 });
    expect(repairsOf(entries).map(({ message }) => message)).toEqual([
      '1 short prompts were put in where nothing asks for a response',
      '2 calls without a result were answered',
    ]);
    expect(ofType(entries, 'warning').filter(({ code }) => code === 'unprompted-request')).toHaveLength(1);
    // Nine tokens of a prompt in front, then the calls with a mark each.
    expect(sentFor(sent, 'main').map(({ tokens }) => tokens)).toEqual([
      PREFIX + 9,
      PREFIX + 9 + 40 + 24,
      PREFIX + 9 + 40 + 24 + 10 + 20,
    ]);
  });
});

describe('a request that the API would not take', () => {
  it('INV-1 is never sent: a call without its result is a fault of the program', () => {
    const { seal } = Context.prototype;
    Context.prototype.seal = () => {};
    try {
      const talk = new Conversation()
        .human(100)
        .tools([{ tool: 'Read', tokens: 30 }])
        .turn(5, 10);
      expect(() => run(without(talk, 'result3'))).toThrow(/INV-1/);
    } finally {
      Context.prototype.seal = seal;
    }
  });
});

describe('a request of the loop', () => {
  it('takes as long as it was recorded, or as long as its model takes where think time counts', () => {
    const talk = new Conversation().turn(100, 10).transcript();
    const [recorded] = mainRequests(logFor({}, talk));
    const [modelled] = mainRequests(logFor({ timing: 'think-time' }, talk));
    expect(recorded!.latencyMs).toBe(1_000);
    expect(modelled!.latencyMs).not.toBe(1_000);
  });

  it('says what of the session is still in it, and what no layer has taken out', () => {
    const talk = new Conversation().turn(100, 10).turn(20, 10);
    const [first, second] = mainRequests(logFor({}, talk));
    expect(first).toMatchObject({
      kept: 1,
      uncompactedTokens: PREFIX + 100,
      estimatedTokens: 100,
      purpose: 'main',
      turn: 1,
    });
    expect(second).toMatchObject({ kept: 1, uncompactedTokens: PREFIX + 130, newTokens: 30, turn: 2, n: 2 });
  });

  it('that changes what was sent before says from where on', () => {
    const talk = new Conversation().turn(3_000, 10).turn(3_000, 10).turn(10, 10);
    talk.event((at) => ({ kind: 'rewind', at, lastId: 'response2' })).turn(30, 10);
    const entries = logFor({}, talk);
    // Behind tools, system, the first prompt and its answer.
    expect(ofType(entries, 'break')).toMatchObject([{ n: 4, cause: 'messages', position: 4 }]);
    expect(mainRequests(entries).at(-1)!.read).toBe(PREFIX + 3_000);
  });
});
