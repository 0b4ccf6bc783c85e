import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Envelope, MessageBus, mailbox } from '../../../../src/agent/client/message-bus.js';
import { createFiles } from '../../../../src/core/base/files.js';
import type { AgentMessage, MessageRoute } from '../../../../src/core/model/transcript.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import type { AgentMessageSpec } from '../../../../src/transcripts/synthetic/spec.js';
import { forAll } from '../../../helpers/for-all.js';
import { bugfixSession } from '../../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor } from '../../../helpers/plan.js';
import { actionsOf, sessionsOf } from '../../../helpers/recordings/sessions.js';

const POLICY = 'claude-code/2026';
const message = (change: Partial<AgentMessage> = {}): AgentMessage => ({
  to: 'b',
  way: 'process',
  subject: 'message',
  tokens: 10,
  ...change,
});

function bus() {
  const made = new MessageBus();
  const files = createFiles();
  made.register('s/a', 's', true);
  made.register('s/b', 's', false);
  made.register('s/c', 's', false);
  made.register('t/main', 't', true);
  return { made, files };
}

describe('messages between agents', () => {
  it('AGT-4 by name in the process: queued until the other one asks', () => {
    const { made, files } = bus();
    expect(made.send('s/a', message(), files, 5)).toBe(1);
    expect(files.list('/mail')).toEqual([]);
    expect(made.take('s/c', files, 6, 100).envelopes).toEqual([]);
    expect(made.take('s/b', files, 6, 100).envelopes).toMatchObject([{ from: 's/a', to: 's/b' }]);
    expect(made.take('s/b', files, 7, 100).envelopes).toEqual([]);
  });

  it('AGT-4 to a team: through a file of the recipient', () => {
    const { made, files } = bus();
    made.send('s/a', message({ way: 'team' }), files, 5);
    expect(files.list('/mail')).toEqual([mailbox('s/b')]);
    expect(made.take('s/b', files, 5, 100)).toMatchObject({ envelopes: [{ way: 'team' }], rest: '' });
  });

  it('AGT-4 across sessions: through the bridge, to the main agent there', () => {
    const { made, files } = bus();
    expect(made.send('s/b', message({ way: 'bridge', to: 't' }), files, 5)).toBe(1);
    expect(made.take('t/main', files, 5, 100).envelopes).toHaveLength(1);
    expect(made.send('s/b', message({ way: 'process', to: 't/main' }), files, 5)).toBe(0);
  });

  it('AGT-4 broadcast: to everybody else', () => {
    const { made, files } = bus();
    expect(made.send('s/a', message({ to: '*' }), files, 5)).toBe(2);
    expect(made.send('s/a', message({ to: '*', way: 'bridge' }), files, 5)).toBe(1);
  });

  it('AGT-4 a request to shut down or to approve a plan is answered', () => {
    const { made } = bus();
    const envelope = { id: 1, from: 's/a', to: 's/b', way: 'process', tokens: 10, sentMs: 0 } as const;
    const answer = (change: Partial<Envelope> & Pick<Envelope, 'subject'>) =>
      made.replyTo({ ...envelope, ...change });
    expect(answer({ subject: 'shutdown-request' })).toMatchObject({ subject: 'shutdown-response' });
    expect(answer({ subject: 'plan-request' })).toMatchObject({ to: 's/a', subject: 'plan-response' });
    expect(answer({ subject: 'shutdown-response' })).toBeNull();
    const subjects = [1, 2, 3].map(() => answer({ subject: 'plan-request', rejections: 2 })?.subject);
    expect(subjects).toEqual(['plan-rejection', 'plan-rejection', 'plan-response']);
  });

  it('AGT-4 to somebody who has ended: kept in the mailbox; to nobody: returned; neither is lost', () => {
    const { made, files } = bus();
    made.send('s/a', message(), files, 1);
    made.leave('s/b', files, 2);
    made.send('s/a', message(), files, 3);
    made.send('s/a', message({ to: 'nobody' }), files, 4);
    expect(made.totals(files)).toMatchObject({ sent: 3, delivered: 0, waiting: 2, returned: 1, lost: 0 });
    files.remove(mailbox('s/b'));
    expect(made.totals(files).lost).toBe(2);
  });

  it('AGT-4 a half-written message stays where it is and is counted once; the whole ones are delivered', () => {
    const { made, files } = bus();
    made.send('s/a', message({ way: 'team' }), files, 1);
    files.write(mailbox('s/b'), `${files.read(mailbox('s/b'))!.text}{"id":99,"fr`, 2);
    const taken = made.take('s/b', files, 3, 100);
    expect(taken).toMatchObject({ envelopes: [{ id: 1 }], broken: 1, rest: '{"id":99,"fr' });
    files.write(mailbox('s/b'), taken.rest!, 3);
    expect(made.take('s/b', files, 4, 100)).toMatchObject({ envelopes: [], broken: 0, rest: null });
    expect(made.totals(files)).toMatchObject({ delivered: 1, lost: 0, broken: 1 });
  });

  it('AGT-4 nothing is ever lost, in whatever order agents write, read and leave', () => {
    const agents = ['s/a', 's/b', 's/c', 't/main'];
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('send' as const),
        from: fc.constantFrom(...agents),
        to: fc.constantFrom('a', 'b', 'c', '*', 's', 't', 'nobody'),
        way: fc.constantFrom<MessageRoute>('process', 'team', 'bridge'),
      }),
      fc.record({
        kind: fc.constantFrom('take' as const, 'leave' as const),
        from: fc.constantFrom(...agents),
      }),
    );
    forAll(fc.array(step, { maxLength: 40 }), (steps) => {
      const { made, files } = bus();
      for (const [now, it] of steps.entries()) {
        if (it.kind === 'send') made.send(it.from, message({ to: it.to, way: it.way }), files, now);
        else if (it.kind === 'leave') made.leave(it.from, files, now);
        else {
          const { rest } = made.take(it.from, files, now, 5);
          if (rest !== null) files.write(mailbox(it.from), rest, now);
        }
      }
      const { sent, delivered, waiting, returned, lost } = made.totals(files);
      expect(lost).toBe(0);
      expect(delivered + waiting + returned).toBe(sent);
    });
  });
});

describe('messages in a run', () => {
  const children = (messages: readonly AgentMessageSpec[]) =>
    bugfixSession(6, {
      steady: { gapSeconds: 10, outputTokens: 50, resultTokens: 500 },
      forks: [{ afterTurn: 3, children: 3, turns: 5, messages }],
    });

  it('AGT-4 join the context of the recipient before its next request', () => {
    const entries = logFor({ policy: POLICY }, children([{ afterTurn: 1, to: 'fork-3-2', tokens: 77 }]));
    const [delivery] = actionsOf(entries, 'agents').filter((entry) => entry.action === 'deliver');
    expect(delivery).toMatchObject({ thread: 'fork-3-2', details: { late: 0 } });
    expect(delivery!.trueAfter - delivery!.trueBefore).toBe(77 * (delivery!.details.delivered as number));
    // A child does not write to itself, so two of the three messages are for it.
    expect(metricValues(foldLog(entries))).toMatchObject({
      messagesSent: 3,
      messagesDelivered: 2,
      messagesLost: 0,
    });
  });

  it('AGT-4 to the main agent while it waits are delivered when it goes on', () => {
    const entries = logFor({ policy: POLICY }, children([{ afterTurn: 4, to: 'main' }]));
    const deliveries = actionsOf(entries, 'agents').filter((entry) => entry.action === 'deliver');
    expect(deliveries).toMatchObject([{ thread: 'main', turn: 4, details: { delivered: 3 } }]);
  });

  it('AGT-4 are late when the other one is away for long', () => {
    const entries = logFor(
      { policy: POLICY, set: { 'agents.lateSeconds': 0 } },
      children([{ afterTurn: 1, to: 'main' }]),
    );
    expect(metricValues(foldLog(entries)).messagesLate).toBe(3);
  });

  it('AGT-4 a plan that waits for approval is answered, and the answer delivered', () => {
    const messages = [{ afterTurn: 1, to: 'fork-3-1', subject: 'plan-request' as const }];
    const entries = logFor({ policy: POLICY }, children(messages));
    const subjects = actionsOf(entries, 'agents').flatMap(
      (entry) => (entry.details.subjects as string[]) ?? [],
    );
    expect(subjects.filter((subject) => subject === 'plan-request')).toHaveLength(2);
    expect(subjects.filter((subject) => subject === 'plan-response')).toHaveLength(2);
  });

  it('AGT-4 cross the bridge to a session that starts later', () => {
    const sender = new Conversation()
      .human(10)
      .event((at) => ({
        kind: 'agent-message',
        at,
        message: { to: 'tue', way: 'bridge', subject: 'message', tokens: 40 },
      }))
      .answer(10);
    const entries = logFor(
      { policy: POLICY },
      sessionsOf([
        { name: 'mon', talk: sender },
        { name: 'tue', talk: new Conversation().turn(10, 10), afterHours: 20 },
      ]),
    );
    expect(metricValues(foldLog(entries))).toMatchObject({
      messagesDelivered: 1,
      messagesLate: 1,
      messagesLost: 0,
    });
    expect(actionsOf(entries, 'agents')[0]).toMatchObject({ thread: 'tue/main' });
  });
});
