import { describe, expect, it } from 'vitest';
import { MessageBus } from '../../../../src/agent/client/message-bus.js';
import { AgentMemory, Progress } from '../../../../src/agent/layers/agents/agents.js';
import { layerParams } from '../../../../src/agent/layers/support/param-reader.js';
import { createFiles } from '../../../../src/core/base/files.js';
import type { Message } from '../../../../src/core/model/message.js';
import { type SessionContext, soloSession } from '../../../../src/core/model/transcript.js';
import type { Outcome } from '../../../../src/core/run/action.js';
import type { ParamValues } from '../../../../src/core/run/params.js';
import {
  drive,
  layerContext,
  modelMessage,
  moment,
  notesAnswer,
  only,
  userMessage,
  viewOf,
  words,
} from '../../../helpers/drive/drive-session-memory.js';

const DEFAULTS = Object.fromEntries(
  [...layerParams('agents'), ...layerParams('auto-memory')].map((spec) => [spec.path, spec.default]),
);

describe('AGT-5 the memory of an agent', () => {
  const memory = (scope: string, thread = 'main/reviewer-2', session: Partial<SessionContext> = {}) =>
    new AgentMemory({
      ...layerContext({ ...DEFAULTS, 'agents.memory': scope }),
      thread,
      session: { ...soloSession(), ...session },
    });

  it('lies where its scope says, for all agents of a kind', () => {
    const own = { project: 'shop', checkout: 'left' };
    expect(memory('user', undefined, own).path).toBe('/user/agent-memory/reviewer/MEMORY.md');
    expect(memory('project', undefined, own).path).toBe('/shop/.agents/memory/reviewer/MEMORY.md');
    expect(memory('local', undefined, own).path).toBe(
      '/shop/checkouts/left/.agents/memory-local/reviewer/MEMORY.md',
    );
    expect(memory('local').path).toBe('/repo/.agents/memory-local/reviewer/MEMORY.md');
    expect(memory('none').path).toBeNull();
    const kind = (thread: string) => /memory\/(.*)\/MEMORY/.exec(memory('user', thread).path!)![1];
    expect(['plan', 's/plan-1-2', 'a/b/plan9', '17', 's/-3'].map(kind)).toEqual([
      'plan',
      'plan',
      'plan',
      'agent',
      'agent',
    ]);
  });

  it('joins the context once, before the first request, where there is one', () => {
    const files = createFiles();
    const agent = memory('user');
    expect(agent.isWaiting(files)).toBe(false);
    expect(memory('none').isWaiting(files)).toBe(false);
    files.write(agent.path!, '- a line\n', 0);
    expect(agent.isWaiting(files)).toBe(true);
    const view = viewOf([], 0, files);
    const loaded = drive(agent.load(view, moment(7)), files);
    expect(only(loaded, 'attach')[0]!.message).toMatchObject({
      id: 'agent-memory',
      role: 'user',
      origin: 'attachment',
      at: 7,
      // Nine characters at 2.75.
      blocks: [{ tokens: 4, facts: { attachment: 'agent_memory', path: agent.path } }],
    });
    expect(only(loaded, 'report')[0]!.entry).toMatchObject({
      action: 'recall',
      outcome: 'done',
      details: { scope: 'user', path: agent.path, tokens: 4 },
    });
    expect(agent.isWaiting(files)).toBe(false);
    expect(drive(agent.load(view, moment(8)), files).actions).toEqual([]);
    // One that comes later is not for this agent any more.
    const early = memory('user');
    const empty = createFiles();
    expect(drive(early.load(viewOf([], 0, empty), moment()), empty).actions).toEqual([]);
    empty.write(early.path!, '- a line\n', 0);
    expect(early.isWaiting(empty)).toBe(false);
    // A file without a line says nothing.
    files.write(agent.path!, '\n', 0);
    expect(drive(memory('user').load(view, moment()), files).actions).toEqual([]);
  });

  it('gets a line more when the agent has finished; binary content stays as it is', () => {
    const files = createFiles();
    const agent = memory('user');
    const line = '- main/reviewer-2 finished its task in turn 4\n';
    const kept = drive(agent.keep(viewOf([], 0, files), moment(0, { turn: 4 })), files);
    expect(files.read(agent.path!)!.text).toBe(line);
    expect(only(kept, 'report')[0]!.entry).toMatchObject({
      action: 'remember',
      details: { tokens: Math.ceil(line.length / 2.75) },
    });
    drive(agent.keep(viewOf([], 0, files), moment(0, { turn: 4 })), files);
    expect(files.read(agent.path!)!.text).toBe(line + line);
    files.write(agent.path!, '\u0000', 0);
    expect(drive(agent.keep(viewOf([], 0, files), moment()), files).actions).toEqual([]);
    expect(drive(memory('none').keep(viewOf([], 0, files), moment()), files).actions).toEqual([]);
  });
});

describe('AGT-5 C35 words on the progress of a child', () => {
  const ON: ParamValues = {
    ...DEFAULTS,
    'agents.coordinator': true,
    'agents.progressSeconds': 30,
    'agents.progressModel': 'child',
  };
  const TALK: readonly Message[] = [
    userMessage('u', [words(9)]),
    modelMessage('a', [words(9, 'assistant')]),
    modelMessage('b', [words(9, 'assistant')]),
  ];
  const told = (progress: Progress, now: number, outcome: Outcome = notesAnswer('reads files', now)) => {
    const driven = drive(progress.report(moment(now), viewOf(TALK, 0)), createFiles(), outcome);
    return { asks: only(driven, 'ask'), reports: only(driven, 'report').map(({ entry }) => entry) };
  };

  it('every half minute from its first call on; what passed in a pause is not told', () => {
    const progress = new Progress(ON);
    expect(progress.isDue(1e9)).toBe(false);
    progress.callOpens(1_000);
    expect([30_999, 31_000].map((now) => progress.isDue(now))).toEqual([false, true]);
    expect(told(progress, 91_000).asks).toHaveLength(3);
    expect([progress.isDue(120_999), progress.isDue(121_000)]).toEqual([false, true]);
    // A call that opens at 200 seconds: 121, 151 and 181 have passed, 211 is next.
    progress.callOpens(200_000);
    expect([progress.isDue(210_999), progress.isDue(211_000)]).toEqual([false, true]);
    progress.callOpens(211_000);
    expect(progress.isDue(211_000)).toBe(true);
  });

  it('from what the open call had sent, on the model of the child unless another is named', () => {
    const progress = new Progress(ON);
    progress.callOpens(0);
    const [ask] = told(progress, 30_000).asks;
    expect(ask!.request).toMatchObject({
      purpose: 'agent_summary',
      shape: { kind: 'fork' },
      write: 'read-only',
      retries: 0,
      mode: 'background',
      answer: { kind: 'short', tokens: 8 },
    });
    expect(ask!.request.messages.map(({ id }) => id)).toEqual(['u']);
    expect(ask!.request.instruction).toMatchObject({ id: 'progress-1', blocks: [{ tokens: 40 }] });
    expect(ask!.request).not.toHaveProperty('model');
    expect(told(progress, 60_000).asks[0]!.request.instruction.id).toBe('progress-2');
    const named = new Progress({ ...ON, 'agents.progressModel': 'small' });
    named.callOpens(0);
    expect(told(named, 30_000).asks[0]!.request.model).toBe('small');
  });

  it('says the words, or why there are none', () => {
    const progress = new Progress(ON);
    progress.callOpens(0);
    expect(told(progress, 30_000).reports).toMatchObject([
      { action: 'progress', outcome: 'done', failure: null, details: { words: 'reads files' } },
    ]);
    const failed = { kind: 'failed', failure: { reason: 'overloaded', message: '', gapTokens: null } };
    expect(told(progress, 60_000, failed as unknown as Outcome).reports).toMatchObject([
      { outcome: 'failed', failure: 'overloaded', details: { words: '' } },
    ]);
    expect(told(progress, 90_000, { kind: 'done' }).reports).toMatchObject([
      { outcome: 'done', failure: null, details: { words: '' } },
    ]);
  });

  it('none without a coordinator', () => {
    const off = new Progress({ ...ON, 'agents.coordinator': false });
    off.callOpens(0);
    expect(off.isDue(1e9)).toBe(false);
    expect(told(off, 1e9).asks).toEqual([]);
  });
});

describe('AGT-4 the post bus', () => {
  it('nobody who is not known arrives, leaves or is registered twice', () => {
    const bus = new MessageBus();
    const files = createFiles();
    bus.leave('ghost', files, 0);
    bus.arrive('ghost');
    bus.register('s/a', 's', true);
    bus.register('s/b', 's', false);
    bus.leave('s/b', files, 0);
    bus.register('s/b', 's', false);
    // Still closed: what is sent to it goes to its mailbox.
    bus.send('s/a', { to: 'b', way: 'process', subject: 'message', tokens: 1 }, files, 0);
    expect(files.list('/mail')).toHaveLength(1);
    expect(bus.hasMail('s/b', files)).toBe(true);
    expect(bus.hasMail('s/a', files)).toBe(false);
  });

  it('a message is late after its time, not at it', () => {
    const late = (waited: number) => {
      const bus = new MessageBus();
      const files = createFiles();
      bus.register('s/a', 's', true);
      bus.register('s/b', 's', false);
      bus.arrive('s/b');
      bus.send('s/a', { to: 'b', way: 'process', subject: 'message', tokens: 1 }, files, 0);
      const taken = bus.take('s/b', files, waited, 100);
      return [taken.late, bus.totals(files).late, bus.totals(files).delivered];
    };
    expect([late(100), late(101)]).toEqual([
      [0, 0, 1],
      [1, 1, 1],
    ]);
  });

  it('answers to plans and requests to shut down let somebody go on, told once', () => {
    const bus = new MessageBus();
    const files = createFiles();
    bus.register('s/a', 's', true);
    bus.register('s/b', 's', false);
    for (const subject of ['message', 'plan-request', 'plan-response', 'shutdown-request'] as const)
      bus.send('s/a', { to: 'b', way: 'process', subject, tokens: 1 }, files, 7);
    expect(bus.takeAnswers()).toEqual([
      { to: 's/b', subject: 'plan-response', atMs: 7 },
      { to: 's/b', subject: 'shutdown-request', atMs: 7 },
    ]);
    expect(bus.takeAnswers()).toEqual([]);
  });
});
