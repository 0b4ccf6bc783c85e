import { describe, expect, it } from 'vitest';
import { runSent, sentFor } from '../../helpers/capture.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf } from '../../helpers/plan.js';

const PREFIX = 15_000;

describe('a change of tools or system prompt', () => {
  const changed = (what: 'tools' | 'system') => {
    const talk = new Conversation().turn(100, 10);
    talk.event((at) => ({ kind: 'prefix-change', at, what, label: 'another one' }));
    return runSent(planOf(), talk.turn(20, 10).transcript());
  };

  it('BRD-2 is found by its bytes and has the same tokens: a system prompt keeps the tools, tools keep nothing', () => {
    for (const [what, kept] of [
      ['system', 1],
      ['tools', 0],
    ] as const) {
      const { entries, sent } = changed(what);
      const [first, second] = sentFor(sent, 'main');
      const same = second!.prefixes.findIndex((digest, i) => digest !== first!.prefixes[i]);
      expect(same).toBe(kept);
      expect(second!.tokens).toBe(PREFIX + 130);
      expect(mainRequests(entries)[1]).toMatchObject({ read: 0, cause: what, rewritten: PREFIX + 100 });
      expect(ofType(entries, 'notice')).toMatchObject([
        { what: 'prefix-change', message: `the ${what} changes: another one` },
      ]);
    }
  });
});

describe('what a recording did by itself', () => {
  it('C2 a microcompaction of the recording is not this run’s', () => {
    const talk = new Conversation().human(100).tools([{ tool: 'Read', tokens: 500 }]);
    talk.event((at) => ({
      kind: 'recorded-microcompact',
      at,
      trigger: 'auto',
      preTokens: null,
      tokensSaved: 400,
      toolUseIds: ['response2-0'],
    }));
    const entries = logFor({}, talk.answer(10));
    expect(mainRequests(entries)[1]!.prompt).toBe(PREFIX + 100 + 20 + 500);
    expect(ofType(entries, 'notice')).toEqual([]);
  });
});

describe('a message', () => {
  const message = (to: string) =>
    bugfixSession(8, {
      steady: { gapSeconds: 60, outputTokens: 50, resultTokens: 500 },
      forks: [{ afterTurn: 3, children: 1, turns: 5, parent: 'goes-on' }],
      messages: [{ afterTurn: 4, to }],
    });
  const noticesOf = (to: string, agents = true) =>
    ofType(
      logFor({ policy: 'claude-code/2026', set: { 'agents.enabled': agents } }, message(to)),
      'notice',
    ).filter(({ what }) => what === 'message-returned' || what === 'messages');

  it('AGT-4 comes back where nobody has the name, and goes nowhere without the layer that carries it', () => {
    expect(noticesOf('nobody').filter(({ what }) => what === 'message-returned')).toMatchObject([
      { thread: 'main', message: 'nobody is called nobody: the message comes back' },
    ]);
    expect(noticesOf('fork-3-1').map(({ what }) => what)).toEqual(['messages']);
    expect(noticesOf('nobody', false)).toEqual([]);
    expect(noticesOf('fork-3-1', false)).toEqual([]);
  });
});

describe('a resume that finds the record shorter', () => {
  it('K12 BRD-3 announces the break that it makes', () => {
    const talk = new Conversation().human(100).tools([
      { tool: 'Read', tokens: 5_000 },
      { tool: 'Read', tokens: 5_000 },
    ]);
    talk.answer(10).turn(20, 10);
    talk.event((at) => ({ kind: 'resume', at, reason: 'restart', lostIds: ['result3'] })).turn(50, 10);
    const set = { 'client.use': 'none', 'client.record': 'parent-chain' };
    const entries = logFor({ policy: 'unbounded', set }, talk);
    expect(ofType(entries, 'break')).toMatchObject([{ cause: 'messages', expected: true }]);
  });
});

describe('a resume that finds the record as it was', () => {
  it('K3 BRD-3 announces nothing: what the new process breaks comes unexpected', () => {
    const talk = new Conversation().turn(5_000, 10).turn(20, 10);
    talk.event((at) => ({ kind: 'resume', at, reason: 'restart' })).turn(50, 10);
    const set = { 'client.use': 'none', 'client.newProcess': 'as-first' };
    const breaks = ofType(logFor({ policy: 'unbounded', set }, talk), 'break');
    expect(breaks).toMatchObject([{ expected: false }]);
    expect(breaks[0]!.cause).not.toBe('messages');
  });
});
