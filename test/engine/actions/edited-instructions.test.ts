import { describe, expect, it } from 'vitest';
import { runSent, type Sent, sentFor } from '../../helpers/capture.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { mainRequests, planOf } from '../../helpers/plan.js';
import { sessionsOf } from '../../helpers/recordings/sessions.js';

const PATH = '/repo/CLAUDE.md';
const set = { ...COMPACTION_ONLY, 'context.memoryFiles': { [PATH]: 500 } };

/** The session rewrites the file with 8,000 characters: 2,000 tokens; then one more request. */
const writing = (ids = '', isError = false) =>
  new Conversation({ ids })
    .human(100)
    .tools([
      {
        tool: 'Write',
        tokens: 20,
        callTokens: 2_020,
        path: PATH,
        effect: { kind: 'write', chars: 8_000 },
        ...(isError && { facts: { isError } }),
      },
    ])
    .answer(10);

/** Tokens of the file as the context map shows it in each main request. */
const shown = (sent: readonly Sent[]) =>
  sentFor(sent, 'main').map(
    ({ blocks }) => blocks!.find(({ facts }) => facts.path === PATH && facts.attachment === 'memory')!.tokens,
  );
const run = (talk: Conversation) => runSent(planOf({ policy: 'claude-code/2026', set }), talk.transcript());

describe('C50 an instruction file that the session edits', () => {
  it('C50 stays in the context as it was until the next compaction', () => {
    const talk = writing()
      .turn(10, 10)
      .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));
    const { sent, entries } = run(talk.turn(10, 10));
    expect(shown(sent)).toEqual([500, 500, 500, 2_000]);
    expect(mainRequests(entries)[2]!.read).toBe(mainRequests(entries)[1]!.prompt);
  });

  it('C50 grows by an edit, and not by a call that failed', () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Edit', tokens: 20, path: PATH, effect: { kind: 'edit', chars: 400 } }])
      .tools([{ tool: 'Edit', tokens: 20, path: '/repo/a.ts', effect: { kind: 'edit', chars: 4_000 } }])
      .answer(10)
      .event((at) => ({ kind: 'clear', at }));
    expect(shown(run(talk.turn(10, 10)).sent)).toEqual([500, 500, 500, 600]);
    const failed = writing('', true).event((at) => ({ kind: 'clear', at }));
    expect(shown(run(failed.turn(10, 10)).sent)).toEqual([500, 500, 500]);
  });

  it('C50 is read as it is now by the next session', () => {
    const second = new Conversation({ ids: 'b-' }).turn(10, 10);
    const transcript = sessionsOf([
      { name: 'a', talk: writing('a-') },
      { name: 'b', talk: second, afterHours: 1 },
    ]);
    const { sent } = runSent(planOf({ policy: 'claude-code/2026', set }), transcript);
    expect(shown(sent)).toEqual([500, 500, 2_000]);
  });
});
