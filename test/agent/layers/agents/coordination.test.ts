import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LETTER_SUBJECTS } from '../../../../src/core/model/transcript.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { unfinishedText } from '../../../../src/report/text/as-recorded.js';
import { completenessOf } from '../../../../src/study/completeness.js';
import type { AgentMessageSpec } from '../../../../src/transcripts/synthetic/spec.js';
import { forAll } from '../../../helpers/for-all.js';
import { bugfixSession } from '../../../helpers/generators/bugfix-session.js';
import { ofType, planOf, runLog } from '../../../helpers/plan.js';

const plan = (set: Readonly<Record<string, unknown>> = {}) => planOf({ policy: 'claude-code/2026', set });

/**
 * A main agent that makes a call every minute and starts a child with its third, at 120 s. The child works beside it from 150 s
 * on: calls of six seconds that start at 150, 157, 164 …; a tool takes a second.
 */
const team = (
  messages: readonly AgentMessageSpec[],
  childMessages: readonly AgentMessageSpec[],
  children = 1,
) =>
  bugfixSession(8, {
    steady: { gapSeconds: 60, outputTokens: 50, resultTokens: 500 },
    forks: [{ afterTurn: 3, children, turns: 20, parent: 'goes-on', messages: childMessages }],
    messages,
  });

const startsOf = (entries: readonly LogEntry[], purpose = 'subagent') =>
  ofType(entries, 'request')
    .filter((entry) => entry.purpose === purpose)
    .map(({ t }) => t / 1_000);

const noticesOf = (entries: readonly LogEntry[]) =>
  ofType(entries, 'notice').filter(({ what }) => what.startsWith('plan-') || what === 'shut-down');

describe('a shutdown request', () => {
  /** Sent when the fourth turn of the main agent is over, at 240 s, in the child's 13th call (234 to 240) or right behind it. */
  const shutDown = team([{ afterTurn: 4, to: 'fork-3-1', subject: 'shutdown-request' }], []);

  it('C36 ends the child after its current call: the 13 it began are made, the other 7 of 20 are not', () => {
    const entries = runLog(plan(), shutDown);
    expect(startsOf(entries)).toEqual(Array.from({ length: 13 }, (_, i) => 150 + 7 * i));
    expect(ofType(entries, 'ended')).toMatchObject([{ thread: 'fork-3-1', calls: 7 }]);
    expect(ofType(entries, 'lost')).toEqual([]);
  });

  it('C36 is no loss: the run is finished, and is compared with one in which nobody was ended', () => {
    const facts = foldLog(runLog(plan(), shutDown));
    const values = metricValues(facts);
    expect(values).toMatchObject({
      callsAnswered: 8 + 13,
      callsNotMade: 7,
      callsLost: 0,
      finishedShare: 1,
      agentsShutDown: 1,
    });
    expect(unfinishedText(facts)).toBeNull();
    const deaf = metricValues(foldLog(runLog(plan({ 'agents.enabled': false }), shutDown)));
    expect(deaf).toMatchObject({ callsAnswered: 8 + 20, callsNotMade: 0, finishedShare: 1 });
    const variants = [values, deaf].map((record, i) => ({
      name: `v${i}`,
      byTranscript: new Map([['s', record]]),
    }));
    const standings = completenessOf(variants).variants.map(({ standing }) => standing);
    expect(standings).toEqual(['ranked', 'ranked']);
  });

  it('C36 is answered, and what the child would have written later is not sent', () => {
    const messages = [{ afterTurn: 15, to: 'main' }];
    const entries = runLog(
      plan(),
      team([{ afterTurn: 4, to: 'fork-3-1', subject: 'shutdown-request' }], messages),
    );
    const subjects = ofType(entries, 'layer').flatMap(({ thread, details }) =>
      thread === 'main' ? ((details.subjects as string[] | undefined) ?? []) : [],
    );
    expect(subjects).toEqual(['shutdown-response']);
  });
});

describe('a plan', () => {
  const PLAN = { afterTurn: 2, to: 'main', subject: 'plan-request' } as const;

  it('C36 waits for its approval: sent at 164 s, answered with the request of 180 s', () => {
    const entries = runLog(plan(), team([], [PLAN]));
    expect(startsOf(entries).slice(0, 4)).toEqual([150, 157, 180, 187]);
    expect(noticesOf(entries)).toMatchObject([
      { what: 'plan-approved', t: 180_000, details: { waitedMs: 16_000, calls: 0 } },
    ]);
    expect(metricValues(foldLog(entries))).toMatchObject({ approvalWaitMs: 16_000, plansRejected: 0 });
    const deaf = runLog(plan({ 'agents.enabled': false }), team([], [PLAN]));
    expect(startsOf(deaf).slice(0, 4)).toEqual([150, 157, 164, 171]);
  });

  it('C36 that is rejected costs its planning again, on top of what is there', () => {
    const entries = runLog(plan(), team([], [{ ...PLAN, rejections: 1 }]));
    // Rejected at 180 s; two calls again, sent again at 194 s, approved with the request of 240 s.
    expect(startsOf(entries, 'plan_again')).toEqual([180, 187]);
    expect(startsOf(entries).slice(0, 4)).toEqual([150, 157, 240, 247]);
    expect(foldLog(entries).byPurpose.plan_again.calls).toBe(2);
    const prompts = (purpose: string) =>
      ofType(entries, 'request')
        .filter((entry) => entry.purpose === purpose)
        .map(({ prompt }) => prompt);
    const [first] = prompts('subagent');
    // A round is 291 + 599 tokens, the message 60.
    expect(prompts('plan_again')).toEqual([first! + 2 * 890 + 60, first! + 3 * 890 + 60]);
    expect(prompts('subagent')[2]).toBe(first! + 4 * 890 + 2 * 60);
    expect(metricValues(foldLog(entries))).toMatchObject({
      plansRejected: 1,
      approvalWaitMs: 16_000 + 46_000,
      callsAnswered: 28,
      finishedShare: 1,
      messagesLost: 0,
    });
  });

  it('C36 that nobody is left to answer does not hold the child for ever', () => {
    const entries = runLog(plan(), LATE);
    expect(noticesOf(entries)).toMatchObject([{ what: 'plan-unanswered' }]);
    expect(metricValues(foldLog(entries))).toMatchObject({ finishedShare: 1, messagesLost: 0 });
  });

  /** The main agent has ended at 150 s + 5 turns; the child asks in its 100th call. */
  const LATE = bugfixSession(5, {
    steady: { gapSeconds: 60, outputTokens: 50, resultTokens: 500 },
    forks: [
      { afterTurn: 3, children: 1, turns: 120, parent: 'goes-on', messages: [{ ...PLAN, afterTurn: 100 }] },
    ],
  });

  it('C36 whose author is told to shut down while it waits goes no further', () => {
    const entries = runLog(
      plan(),
      team([{ afterTurn: 4, to: 'fork-3-1', subject: 'shutdown-request' }], [{ ...PLAN, rejections: 5 }]),
    );
    expect(ofType(entries, 'ended')).toHaveLength(1);
    expect(metricValues(foldLog(entries))).toMatchObject({ finishedShare: 1, agentsShutDown: 1 });
    // Rejected at 180 s, planned again and sent at 194 s; the message of 240 s finds it waiting.
    expect(noticesOf(entries).map(({ what, t }) => `${what} ${t / 1_000}`)).toEqual([
      'plan-rejected 180',
      'plan-shut-down 240',
      'shut-down 240',
    ]);
  });
});

describe('whatever agents write to each other', () => {
  it('is counted at the end, if it is anything', () => {
    const told = (messages: readonly AgentMessageSpec[]) =>
      ofType(runLog(plan(), team(messages, [])), 'notice')
        .filter(({ what }) => what === 'messages')
        .map(({ details }) => [details.sent, details.delivered, details.lost]);
    expect(told([])).toEqual([]);
    expect(told([{ afterTurn: 4, to: 'fork-3-1' }])).toEqual([[1, 1, 0]]);
  });

  it('C36 every call is answered or ended by somebody, and no message is lost', () => {
    const subject = fc.constantFrom(...LETTER_SUBJECTS);
    const message = fc.record({
      afterTurn: fc.integer({ min: 1, max: 7 }),
      to: fc.constantFrom('main', 'fork-3-1', 'fork-3-2', '*', 'nobody'),
      subject,
      way: fc.constantFrom('process' as const, 'team' as const),
      rejections: fc.integer({ min: 0, max: 2 }),
    });
    const messages = fc.array(message, { maxLength: 4 });
    forAll(
      { numRuns: 40 },
      messages,
      messages,
      fc.constantFrom('recorded' as const, 'think-time' as const),
      (a, b, timing) => {
        const transcript = team(a, b, 2);
        const entries = runLog({ ...plan(), timing }, transcript);
        const values = metricValues(foldLog(entries));
        expect(values.callsAnswered! + values.callsNotMade!).toBe(8 + 40);
        expect(values).toMatchObject({ finishedShare: 1, callsLost: 0, messagesLost: 0 });
      },
    );
  });
});
