import { describe, expect, it } from 'vitest';
import { renderMemory } from '../../../../src/core/model/memory.js';
import type { RunPlan } from '../../../../src/core/run/run-plan.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { messageFrom, userText } from '../../../helpers/blocks.js';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { ofType, type PlanInit, planOf, runLog } from '../../../helpers/plan.js';
import { actionsOf, sessionsOf } from '../../../helpers/recordings/sessions.js';

const LAYER = 'auto-memory';

function plan(init: PlanInit = {}): RunPlan {
  return planOf({ policy: 'claude-code/2026', ...init });
}

/** Two loops: one with a tool call, one without. */
const talk = () =>
  new Conversation()
    .human(50, 'Please always write the tests first.')
    .tools([{ tool: 'Read', tokens: 500, path: '/repo/a.ts' }])
    .answer(20)
    .wait(120)
    .human(50, 'Never push without asking me.')
    .answer(20)
    .wait(120)
    .turn(5, 5);

describe('auto memory', () => {
  it('AUT-1 runs a fork at the end of each loop, not between tool calls', () => {
    const entries = runLog(plan(), talk().transcript());
    const starts = actionsOf(entries, LAYER).filter((entry) => entry.action === 'read');
    expect(starts.map((entry) => entry.turn)).toEqual([2, 3, 4]);
  });

  it('AUT-1 the fork shares the prefix of the loop: it reads what the last request wrote', () => {
    const { sent, entries } = runSent(plan(), talk().transcript());
    const [first] = sentFor(sent, 'auto_memory');
    const main = sentFor(sent, 'main')[1]!;
    expect(first!.prefixes.slice(0, main.prefixes.length)).toEqual(main.prefixes);
    const request = ofType(entries, 'request').find((entry) => entry.purpose === 'auto_memory')!;
    expect(request.read).toBe(main.tokens);
  });

  it('AUT-4 takes two requests: all reads, then all writes', () => {
    const entries = runLog(plan(), talk().transcript());
    const requests = ofType(entries, 'request').filter((entry) => entry.purpose === 'auto_memory');
    // What was written in two of the loops is handed back once more; the last loop had nothing to keep.
    expect(actionsOf(entries, LAYER).map((entry) => entry.action)).toEqual([
      ...['read', 'extract', 'write', 'close'],
      ...['read', 'extract', 'write', 'close'],
      ...['read', 'extract', 'write'],
      'quality',
    ]);
    expect(requests).toHaveLength(3 + 3 + 2);
    // The second goes out when the first is answered, and carries its results.
    expect(requests[1]!.t).toBe(requests[0]!.t + requests[0]!.latencyMs);
    expect(requests[1]!.prompt).toBeGreaterThan(requests[0]!.prompt);
  });

  it('AUT-1 FLG-2 stands back when the main agent wrote to the memory directory itself', () => {
    const built = new Conversation()
      .human(50)
      .tools([{ tool: 'Write', tokens: 10, path: '/memory/user-likes-tabs.md' }])
      .answer(20)
      .wait(60)
      .turn(50, 20);
    const actions = actionsOf(runLog(plan(), built.transcript()), LAYER);
    expect(actions[0]).toMatchObject({ turn: 2, outcome: 'declined', details: { skipped: 'main-wrote' } });
    expect(actions[1]).toMatchObject({ turn: 3, action: 'read', details: { memories: 1 } });
  });

  it('AUT-1 a write elsewhere, or a read there, is no reason to stand back', () => {
    const built = new Conversation()
      .human(50)
      .tools([
        { tool: 'Write', tokens: 10, path: '/repo/memory/a.md' },
        { tool: 'Read', tokens: 10, path: '/memory/a.md' },
      ])
      .answer(20);
    expect(actionsOf(runLog(plan(), built.transcript()), LAYER)[0]).toMatchObject({ action: 'read' });
  });

  it('C32 AUT-2 writes what the user states, by its type, each once', () => {
    const built = new Conversation()
      .human(50, "I'm a data scientist. Fix the parser. Thanks!")
      .answer(20)
      .wait(120)
      .human(50, 'We use Postgres 15 in production. The runbook is in the wiki.')
      .answer(20)
      .wait(120)
      .human(50, 'Never push without asking me. We use Postgres 15 in production.')
      .answer(20);
    const writes = actionsOf(runLog(plan(), built.transcript()), LAYER).filter((e) => e.action === 'write');
    expect(writes.map((entry) => entry.details.types)).toEqual([
      { user: 1 },
      { project: 1, reference: 1 },
      { feedback: 1 },
    ]);
  });

  it('C32 a session of tasks, thanks, listings and logs leaves no memory', () => {
    const built = new Conversation();
    for (const words of [
      'Please add a unit test for the date helper.',
      'Thanks, that looks great!',
      'src/a.ts src/b.ts',
      'Error: Cannot find module always',
    ])
      built.human(20, words).answer(20).wait(120);
    const entries = runLog(plan(), built.transcript());
    expect(metricValues(foldLog(entries)).memoriesWritten).toBe(0);
  });

  it('C32 what the instruction file says already is not kept', () => {
    const said = 'Always run the linter before you stop.';
    const file = userText(20, {
      text: '# Rules\n- Always run the linter before you stop a task.\n',
      facts: { attachment: 'nested_memory', path: '/repo/CLAUDE.md' },
    });
    const attachment = messageFrom('attachment', 'rules', [file]);
    const without = new Conversation().human(20, said).answer(20);
    const withFile = new Conversation().human(20, said);
    withFile.steps.push({ kind: 'message', message: attachment });
    withFile.answer(20);
    const written = (built: Conversation) =>
      metricValues(foldLog(runLog(plan(), built.transcript()))).memoriesWritten;
    expect([written(without), written(withFile)]).toEqual([1, 0]);
  });

  it('C32 a transcript without text: the layer says that it cannot act', () => {
    const built = talk().transcript({ carries: ['timestamps', 'tools'] });
    const entries = runLog(plan(), built);
    expect(ofType(entries, 'skipped').map(({ what, needs }) => [what, needs])).toEqual(
      expect.arrayContaining([
        ['layer auto-memory', 'text'],
        ['layer dreaming', 'text'],
      ]),
    );
    expect(actionsOf(entries, LAYER)).toEqual([]);
  });

  it.each([
    '/srv/dev/.claude/projects/-srv-dev-repo/memory/user-likes-tabs.md',
    'C:\\Users\\dev\\.claude\\projects\\C--repo\\memory\\user-likes-tabs.md',
  ])('C32 AUT-1 a write of the main agent is recognised at the recorded place: %s', (path) => {
    const built = new Conversation()
      .human(50)
      .tools([{ tool: 'Write', tokens: 10, path }])
      .answer(20)
      .wait(60)
      .turn(50, 20);
    const actions = actionsOf(runLog(plan(), built.transcript()), LAYER);
    expect(actions[0]).toMatchObject({ turn: 2, outcome: 'declined', details: { skipped: 'main-wrote' } });
    expect(actions[1]).toMatchObject({ turn: 3, action: 'read', details: { memories: 1 } });
  });

  it('C33 the session ends with what its memories are worth', () => {
    const memory = (name: string, body: string, hoursAgo = 48) => ({
      path: `/memory/${name}.md`,
      text: renderMemory({ name, description: 'd', type: 'project', body }),
      hoursAgo,
    });
    const home = {
      memories: 0,
      files: [
        memory('one', 'We use Postgres 15 in production.'),
        memory('same', 'We use Postgres in production.'),
        memory('other', 'We use MySQL in production.', 72),
        memory('thanks', 'Thanks, that works now.'),
        { path: '/memory/MEMORY.md', text: '- [one](one.md): d\n- [same](same.md): d\n', hoursAgo: 48 },
      ],
      lock: null,
    };
    const entries = runLog({ ...plan(), home }, new Conversation().turn(5, 5).transcript());
    const quality = actionsOf(entries, LAYER).find((entry) => entry.action === 'quality')!;
    expect(quality.details).toEqual({ kept: 4, duplicate: 1, contradicted: 1, polluted: 1, offIndex: 2 });
    expect(metricValues(foldLog(entries))).toMatchObject({
      memoriesKept: 4,
      memoriesDuplicate: 1,
      memoriesPolluted: 1,
      memoriesOffIndex: 2,
    });
  });

  it('AUT-3 the index of one session is in the system prompt of the next; the same index gives the same bytes', () => {
    const again = () => new Conversation().turn(5, 5);
    const { sent, entries } = runSent(
      plan({ set: { 'dreaming.enabled': false } }),
      sessionsOf([
        { name: 'a', talk: talk() },
        { name: 'b', talk: again(), afterHours: 1 },
      ]),
    );
    const systemOf = (thread: string) => {
      const first = sent.find((request) => request.thread === thread && request.purpose === 'main')!;
      return first.prefixes[first.systemEnd - 1]!;
    };
    expect(systemOf('b/main')).not.toBe(systemOf('a/main'));
    const loaded = ofType(entries, 'notice').filter((entry) => entry.what === 'memory-index');
    expect(loaded).toMatchObject([{ thread: 'b/main', details: { cutBy: null } }]);
    // Within a session the prompt stays as it was rendered at its start.
    const own = sentFor(sent, 'main').filter((request) => request.thread === 'a/main');
    expect(new Set(own.map((request) => request.prefixes[request.systemEnd - 1])).size).toBe(1);
  });

  it('AUT-3 an index with binary content is reported and left out; the file stays as it is', () => {
    const home = {
      memories: 0,
      files: [{ path: '/memory/MEMORY.md', text: '\u0000\u0001', hoursAgo: 1 }],
      lock: null,
    };
    const entries = runLog({ ...plan(), home }, new Conversation().turn(5, 5).transcript());
    expect(ofType(entries, 'notice').map((entry) => entry.what)).toContain('memory-index-binary');
    expect(ofType(entries, 'thread')[0]!.prefixTokens).toBe(15_000);
  });

  it('AUT-2 corrupt memory files are counted and skipped', () => {
    const home = {
      memories: 2,
      files: [{ path: '/memory/broken.md', text: 'no front matter', hoursAgo: 1 }],
      lock: null,
    };
    const entries = runLog({ ...plan(), home }, talk().transcript());
    expect(actionsOf(entries, LAYER)[0]!.details).toMatchObject({
      memories: 2,
      corrupt: ['/memory/broken.md'],
    });
    expect(metricValues(foldLog(entries)).memoryFilesCorrupt).toBe(1);
  });

  it('DRM-4 an extractor that tries to write elsewhere is refused, told and counted', () => {
    const entries = runLog(
      plan({ faults: [{ call: 'auto_memory', error: 'stray_write', nth: 2 }] }),
      talk().transcript(),
    );
    const writes = actionsOf(entries, LAYER).filter((entry) => entry.action === 'write');
    expect(writes[0]).toMatchObject({
      outcome: 'failed',
      failure: 'write-refused',
      details: { written: 1, refused: { climbs: 1, outside: 1 } },
    });
    expect(metricValues(foldLog(entries)).memoryWritesRefused).toBe(2);
  });

  it('AUT-1 a failed fork changes nothing and the next loop tries again', () => {
    const entries = runLog(
      plan({ faults: [{ call: 'auto_memory', error: 'server_error', nth: 1 }] }),
      talk().transcript(),
    );
    const actions = actionsOf(entries, LAYER);
    expect(actions[0]).toMatchObject({ action: 'read', outcome: 'failed', failure: 'server-error' });
    expect(actions[1]).toMatchObject({ action: 'read', outcome: 'done', turn: 3 });
  });

  it('FLG-1 off, it makes no request and the prompt has no index', () => {
    const entries = runLog(plan({ set: { 'autoMemory.enabled': false } }), talk().transcript());
    expect(ofType(entries, 'request').some((entry) => entry.purpose === 'auto_memory')).toBe(false);
    expect(actionsOf(entries, LAYER)).toEqual([]);
  });
});
