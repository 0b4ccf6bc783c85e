import { describe, expect, it } from 'vitest';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { ThreadRun } from '../../../src/engine/thread/thread-run.js';
import { inNewForm } from '../../../src/engine/thread/thread-start.js';
import { userText } from '../../helpers/blocks.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf } from '../../helpers/plan.js';
import { sessionsOf } from '../../helpers/recordings/sessions.js';

const POLICY = 'claude-code/2026';

/** A prompt with a call that starts an agent, and a second prompt; the agent works beside it from two seconds on. */
function withAgent(): { readonly main: Conversation; run(init: PlanInit): LogEntry[] } {
  const main = new Conversation()
    .human(100)
    .tools([{ tool: 'Task', tokens: 50 }])
    .wait(60)
    .answer(10)
    .turn(20, 10);
  const agent = new Conversation()
    .wait(5)
    .human(30)
    .tools([{ tool: 'Read', tokens: 5 }])
    .answer(10);
  const threads = [main.thread(), agent.thread('agent', 'main')];
  return { main, run: (init) => logFor(init, main.transcript({ threads })) };
}

const requestsOf = (entries: readonly LogEntry[], thread: string) =>
  ofType(entries, 'request').filter((entry) => entry.thread === thread);

describe('an agent that a thread starts', () => {
  it('does nothing where the prompt that would have started it has failed', () => {
    const { run } = withAgent();
    expect(requestsOf(run({}), 'agent')).toHaveLength(2);
    const entries = run({ faults: [{ call: 'main', error: 'invalid_request', nth: 1 }] });
    expect(requestsOf(entries, 'agent')).toEqual([]);
    expect(ofType(entries, 'lost').find(({ thread }) => thread === 'agent')).toMatchObject({
      calls: 2,
      reason: 'the prompt that started this agent failed',
    });
  });

  it('begins as much later as its parent is', () => {
    // The first call is refused twice and waits between: all of the session moves.
    const { run } = withAgent();
    const late = run({
      policy: POLICY,
      faults: [{ call: 'main', error: 'overloaded', to: 2 }],
    });
    const [first, second] = mainRequests(late);
    expect(first!.t).toBeGreaterThan(0);
    expect(requestsOf(late, 'agent')[0]!.t).toBe(5_000 + first!.t);
    expect(second!.t).toBe(61_000 + first!.t);
  });

  it('is logged with its parent, its tokens in front and its window', () => {
    const [main, agent] = ofType(withAgent().run({}), 'thread');
    expect(main).toMatchObject({ thread: 'main', parent: null, t: 0, prefixTokens: 15_000, window: 200_000 });
    expect(agent).toMatchObject({ thread: 'agent', parent: 'main', t: 5_000, prefixTokens: 15_000 });
  });
});

describe('children of one turn', () => {
  const forked = (children: number) =>
    bugfixSession(8, {
      steady: { gapSeconds: 20, outputTokens: 500, resultTokens: 2_500 },
      forks: [{ afterTurn: 5, children, turns: 1 }],
    });

  it('AGT-3 are as many as the client starts at most, and no more', () => {
    const entries = logFor({ policy: POLICY, set: { 'agents.maxChildren': 2 } }, forked(3));
    const started = ofType(entries, 'request').filter(({ purpose }) => purpose === 'subagent');
    expect(started.map(({ thread }) => thread)).toEqual(['fork-5-1', 'fork-5-2']);
    expect(ofType(entries, 'notice').filter(({ what }) => what === 'fork-refused')).toMatchObject([
      { thread: 'fork-5-3', message: 'a turn starts at most 2 children' },
    ]);
    expect(ofType(entries, 'lost')).toMatchObject([{ thread: 'fork-5-3', calls: 1 }]);
  });

  it('AGT-1 say how much they have in common with their parent: its request and its response', () => {
    const entries = logFor({ policy: POLICY }, forked(2));
    const parent = mainRequests(entries).find(({ turn }) => turn === 5)!;
    const children = ofType(entries, 'thread').filter(({ parent: of }) => of === 'main');
    expect(children.map(({ sharedTokens }) => sharedTokens)).toEqual([parent.context, parent.context]);
    expect(ofType(entries, 'thread')[0]).not.toHaveProperty('sharedTokens');
  });
});

describe('a conversation in another form', () => {
  const text = (words: string) => userText(5, { text: words });
  const message = (id: string, role: Message['role'], ...words: readonly string[]): Message =>
    createMessage({ id, role, origin: role === 'user' ? 'human' : 'model', blocks: words.map(text), at: 0 });

  it('has other bytes in its first words alone, and the same tokens', () => {
    const messages = [
      message('boundary', 'user'),
      message('a', 'assistant', 'hello'),
      message('b', 'user', 'first', 'more'),
      message('c', 'user', 'second'),
    ];
    const changed = inNewForm(messages);
    expect(changed.map(({ id }) => id)).toEqual(['boundary', 'a', 'b', 'c']);
    const same = changed.map(({ blocks }, i) =>
      blocks.map(({ digest }, b) => digest === messages[i]!.blocks[b]!.digest),
    );
    expect(same).toEqual([[], [true], [false, true], [true]]);
    expect(changed[2]!.blocks[0]!.tokens).toBe(5);
  });
});

describe('a session that takes up another', () => {
  const short = (ids = '') => new Conversation({ ids }).turn(3_000, 10);

  it('DRM-2 is alive from its first step to its last, one after the other', () => {
    const transcript = sessionsOf([
      { name: 'a', talk: short() },
      { name: 'b', talk: short('b-'), resumes: 'a', afterHours: 0.05 },
    ]);
    const seen: string[] = [];
    const runs = new Set<ThreadRun>();
    const { advance } = ThreadRun.prototype;
    ThreadRun.prototype.advance = function (this: ThreadRun) {
      runs.add(this);
      seen.push([...runs].map(({ session }) => `${session.name} ${session.state}`).join(', '));
      advance.call(this);
    };
    try {
      logFor({ policy: 'none' }, transcript);
    } finally {
      ThreadRun.prototype.advance = advance;
    }
    expect(new Set(seen)).toEqual(new Set(['a running', 'a ended, b running']));
    expect([...runs].map(({ session }) => session.state)).toEqual(['ended', 'ended']);
  });

  it('FLT-5 holds the context map once, and what layers have taken out of the other stays out', () => {
    const long = new Conversation({ ids: 'a-' })
      .human(100)
      .tools([{ tool: 'Bash', tokens: 30_000 }])
      .answer(10);
    const transcript = sessionsOf([
      { name: 'a', talk: long },
      { name: 'b', talk: short('b-'), resumes: 'a', afterHours: 0.05 },
    ]);
    const set = { 'context.memoryFiles': { '/a.md': 500 }, 'autoMemory.enabled': false };
    const { entries, sent } = runSent(planOf({ policy: POLICY, set }), transcript);
    const last = sentFor(sent, 'main').at(-1)!;
    expect(last.blocks!.filter(({ facts }) => facts.path === '/a.md')).toHaveLength(1);
    const stored = ofType(entries, 'layer').find(({ action }) => action === 'store')!;
    expect(stored.saved).toBeGreaterThan(0);
    const [first, second] = ofType(entries, 'thread');
    expect(first).not.toHaveProperty('takenOut');
    expect(second!.takenOut).toEqual({ storage: stored.saved });
    const request = mainRequests(entries).at(-1)!;
    expect(request.uncompactedTokens! - request.prompt).toBe(stored.saved);
  });

  it('goes on with its conversation, which counts as sent, from the time the other has come to', () => {
    const transcript = sessionsOf([
      { name: 'a', talk: short() },
      { name: 'b', talk: short('b-'), resumes: 'a', afterHours: 0.05 },
    ]);
    const { entries, sent } = runSent(planOf({ policy: 'none' }), transcript);
    const [first, second] = mainRequests(entries);
    expect(second!.prompt).toBe(first!.prompt + 10 + 3_000);
    expect(second!.read).toBe(first!.prompt);
    expect(second!.newTokens).toBe(3_010);
    expect(second!.rewritten).toBe(0);
    expect(sent[1]!.prefixes.slice(0, 3)).toEqual(sent[0]!.prefixes);
    expect(ofType(entries, 'notice').map(({ what }) => what)).toEqual(['resume']);
  });
});
