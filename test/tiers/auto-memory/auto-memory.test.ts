import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import type { RunPlan } from '../../../src/model/run-plan.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { Conversation } from '../../helpers/conversation.js';
import { ofType, type PlanInit, planOf, runLog } from '../../helpers/plan.js';
import { actionsOf, sessionsOf } from '../../helpers/sessions.js';

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
    .human(5)
    .answer(5);

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
    expect(requests).toHaveLength(2 * 3);
    expect(actionsOf(entries, LAYER).map((entry) => entry.action)).toEqual(
      Array.from({ length: 3 }, () => ['read', 'extract', 'write']).flat(),
    );
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
      .human(50)
      .answer(20);
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

  it('AUT-2 writes memories of several types, each once', () => {
    const writes = actionsOf(runLog(plan(), talk().transcript()), LAYER).filter((e) => e.action === 'write');
    const types = writes.flatMap((entry) => Object.keys(entry.details.types as object));
    expect(new Set(types)).toEqual(new Set(['user', 'project', 'reference', 'feedback']));
  });

  it('AUT-3 the index of one session is in the system prompt of the next; the same index gives the same bytes', () => {
    const again = () => new Conversation().human(5).answer(5);
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

  it('AUT-3 an index with binary content is told of and left out; the file stays as it is', () => {
    const home = {
      memories: 0,
      files: [{ path: '/memory/MEMORY.md', text: '\u0000\u0001', hoursAgo: 1 }],
      lock: null,
    };
    const entries = runLog({ ...plan(), home }, new Conversation().human(5).answer(5).transcript());
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
