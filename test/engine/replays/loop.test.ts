import { describe, expect, it } from 'vitest';
import { layerRegistry } from '../../../src/agent/layers/registry.js';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { resolvePolicy } from '../../../src/agent/policies/plan-policy.js';
import { compileScenario } from '../../../src/config/compile.js';
import { builtinContext } from '../../../src/config/context.js';
import { CcbenchError, formatPlace } from '../../../src/core/base/errors.js';
import type { LayerEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../helpers/plan.js';
import { refusalsOf } from '../../helpers/refusal.js';

const POLICY = 'claude-code/2026';

/** Twelve results in the cache, then a turn with a huge output, a memory file on the way and a context past the threshold. */
function everything(start = begin()): Conversation {
  for (let i = 0; i < 11; i++) start.tools([{ tool: 'Read', tokens: 100 }]);
  start.tools([
    { tool: 'Bash', tokens: 8_000 },
    { tool: 'Read', tokens: 100, path: '/repo/src/a.ts' },
    { tool: 'Task', tokens: 5_000 },
  ]);
  return start.answer(10);
}

function begin(): Conversation {
  return new Conversation({ toolsTokens: 160_000, systemTokens: 2_900 }).human(100);
}

const SET = { 'nestedMemory.files': { '/repo/src/CLAUDE.md': 50 } } as const;

function run(init: PlanInit, talk = everything()): LogEntry[] {
  const { set = {}, ...rest } = init;
  return logFor({ policy: POLICY, ...rest, set: { ...SET, ...set } }, talk);
}

/** What happens at a turn, in order: layers by name, requests by purpose. */
function story(entries: readonly LogEntry[], turn: number): string[] {
  return entries.flatMap((entry) => {
    if (entry.type === 'layer' && entry.turn === turn) return [`${entry.layer} ${entry.action}`];
    if (entry.type === 'request' && entry.turn === turn) return [`request ${entry.purpose}`];
    return [];
  });
}

describe('one turn of the loop', () => {
  it('LOP-1 storage, memory files, microcompaction, session memory, full compaction, request, notes: in this order', () => {
    const set = { 'sessionMemory.compaction.enabled': false };
    const told = story(run({ set }), 13);
    const order = [
      'storage store',
      'nested-memory attach',
      'microcompact delete',
      'request compact',
      'full-compact compact',
      'request main',
    ];
    expect(told.filter((line) => order.includes(line))).toEqual(order);
    const after = told.slice(told.indexOf('request main') + 1);
    for (const line of told.filter((item) => item.startsWith('session-memory')))
      expect(after).toContain(line);
  });

  it('LOP-1 FLG-2 compaction from notes is tried first, full compaction is what it falls back on', () => {
    const told = story(run({}), 13).filter((line) => /compact$/.test(line) && !line.startsWith('request'));
    expect(told[0]).toBe('session-memory compact');
    expect(told.length).toBeLessThanOrEqual(2);
    const unusable = { 'sessionMemory.initialTokens': 900_000 };
    const fallen = ofType(run({ set: unusable }), 'layer').filter((entry) => entry.action === 'compact');
    expect(fallen.map((entry) => `${entry.layer} ${entry.outcome}`)).toEqual([
      'session-memory declined',
      'full-compact done',
    ]);
  });

  it('LOP-1 the blocking check comes after compaction, reactive compaction after the refusal', () => {
    const faults = [
      { call: 'main', error: 'prompt_too_long', nth: 13 },
      { call: 'compact', error: 'tool_call', to: 2 },
    ] as const;
    const entries = run({ faults, set: { 'sessionMemory.compaction.enabled': false } });
    const told = entries.flatMap((entry) => {
      if (entry.type === 'layer' && entry.action === 'compact') return [`${entry.layer} ${entry.outcome}`];
      if (entry.type === 'refused' && entry.purpose === 'main') return ['refused'];
      if (entry.type === 'request' && entry.turn === 13 && entry.purpose === 'main') return ['answered'];
      return [];
    });
    expect(told).toEqual(['full-compact failed', 'refused', 'reactive done', 'answered']);
  });

  it('LOP-2 what is tracked is threaded through the loop and starts over with a compaction', () => {
    const talk = new Conversation({ toolsTokens: 150_000, systemTokens: 2_900 }).human(100);
    for (let i = 0; i < 40; i++) talk.tools([{ tool: 'Task', tokens: 1_000 }]);
    const set = { 'sessionMemory.enabled': false };
    const faults = [{ call: 'compact', error: 'tool_call', to: 2 }] as const;
    const entries = run({ set, faults }, talk.answer(10));
    const compactions = ofType(entries, 'layer').filter((entry) => entry.action === 'compact');
    const done = compactions.filter((entry) => entry.outcome === 'done');
    expect(compactions[0]!.outcome).toBe('failed');
    expect(done.length).toBeGreaterThan(2);
    for (let i = 1; i < done.length; i++) {
      expect(done[i]!.details).toMatchObject({
        previousTurn: done[i - 1]!.turn,
        turnsSincePrevious: done[i]!.turn - done[i - 1]!.turn,
      });
    }
    expect(ofType(entries, 'breaker').map((entry) => entry.state)).toEqual(['reset']);
    // The usage of before the compaction is forgotten with it.
    for (const entry of done) expect(entry.estimatedAfter).toBeLessThan(20_000);
  });
});

describe('cheapest first', () => {
  /** Results of 12,000 tokens that pass 155,000 tokens in all. */
  const talk = () => {
    const built = new Conversation().human(100);
    for (let i = 0; i < 16; i++) built.tools([{ tool: 'Read', tokens: 12_000 }]);
    return built.answer(10);
  };
  const done = (entries: readonly LogEntry[], layer: LayerEntry['layer']) =>
    ofType(entries, 'layer').filter((entry) => entry.layer === layer && entry.outcome === 'done').length;

  it('LOP-3 microcompaction keeps full compaction from firing, and the log says so', () => {
    const policy = 'claude-code/2.1.7';
    const on = run({ policy }, talk());
    const off = run({ policy, set: { 'microcompact.token.enabled': false } }, talk());
    expect(done(on, 'microcompact')).toBeGreaterThan(0);
    expect(done(on, 'full-compact')).toBe(0);
    expect(done(off, 'full-compact')).toBe(1);
    expect(ofType(on, 'crossing')).toMatchObject([{ state: 'avoided', layers: ['microcompact'] }]);
    expect(ofType(off, 'crossing')).toEqual([]);
  });

  it('LOP-3 storage keeps both from firing', () => {
    const built = new Conversation().human(100);
    for (let i = 0; i < 14; i++) built.tools([{ tool: 'Bash', tokens: 12_000 }]);
    const policy = 'claude-code/2.1.7';
    const on = run({ policy }, built.answer(10));
    expect([done(on, 'microcompact'), done(on, 'full-compact')]).toEqual([0, 0]);
    expect(ofType(on, 'crossing')).toMatchObject([{ state: 'avoided', layers: ['storage'] }]);
    const off = run({ policy, set: { 'storage.enabled': false } }, built);
    expect(done(off, 'microcompact') + done(off, 'full-compact')).toBeGreaterThan(0);
  });

  it('LOP-3 session memory keeps the summary request from being made', () => {
    const summaries = (set: Readonly<Record<string, unknown>>) =>
      ofType(run({ set }), 'request').filter((entry) => entry.purpose === 'compact').length;
    expect(summaries({})).toBe(0);
    expect(summaries({ 'sessionMemory.compaction.enabled': false })).toBe(1);
  });
});

describe('switches', () => {
  /** Every layer of 2026 has its chance: storage, memory files, deletions, a pause, notes, a compaction, a refusal. */
  const busy = () => {
    const start = begin();
    for (let i = 0; i < 7; i++) start.tools([{ tool: 'Read', tokens: 100 }]);
    start
      .answer(10)
      .wait(70 * 60)
      .human(10);
    return everything(start).turn(10, 10);
  };
  const faults = [{ call: 'main', error: 'prompt_too_long', nth: 22 }] as const;
  const set = { 'sessionMemory.compaction.enabled': false } as const;
  const acted = (change: Readonly<Record<string, unknown>>, matches: (entry: LayerEntry) => boolean) =>
    ofType(run({ set: { ...set, ...change }, faults }, busy()), 'layer').some(matches);

  it.each<[string, (entry: LayerEntry) => boolean]>([
    ['storage.enabled', (entry) => entry.layer === 'storage'],
    ['nestedMemory.enabled', (entry) => entry.layer === 'nested-memory'],
    ['microcompact.timeBased.enabled', (entry) => entry.layer === 'microcompact' && entry.trigger === 'idle'],
    ['microcompact.cached.enabled', (entry) => entry.layer === 'microcompact' && entry.action === 'delete'],
    ['sessionMemory.enabled', (entry) => entry.layer === 'session-memory'],
    ['compact.enabled', (entry) => entry.layer === 'full-compact'],
    ['autoCompact.enabled', (entry) => entry.layer === 'full-compact' && entry.trigger === 'auto'],
    ['reactive.enabled', (entry) => entry.layer === 'reactive'],
  ])('FLG-1 %s', (path, matches) => {
    expect(acted({ [path]: true }, matches)).toBe(true);
    expect(acted({ [path]: false }, matches)).toBe(false);
  });

  it('FLG-1 session-memory compaction has a switch of its own', () => {
    const tried = (entry: LayerEntry) => entry.layer === 'session-memory' && entry.action === 'compact';
    expect(acted({ 'sessionMemory.compaction.enabled': true }, tried)).toBe(true);
    expect(acted({ 'sessionMemory.compaction.enabled': false }, tried)).toBe(false);
    const notes = (entry: LayerEntry) => entry.layer === 'session-memory';
    expect(acted({ 'sessionMemory.compaction.enabled': false }, notes)).toBe(true);
  });

  it('FLG-1 every layer of every policy has a switch that is a parameter', () => {
    for (const policy of policyRegistry.all()) {
      const params = resolvePolicy(policy.name, {});
      for (const name of policy.layers)
        expect(typeof params[layerRegistry.get(name).killSwitch]).toBe('boolean');
    }
  });

  const problems = (lines: readonly string[]): string[] => {
    const text = ['name: a', 'transcript: { synthetic: {} }', ...lines, ''].join('\n');
    return refusalsOf(() => compileScenario({ text, file: 's.yaml', set: [] }, builtinContext)).map(
      ({ place, message }) => `${formatPlace(place!)} ${message}`,
    );
  };

  it('FLG-2 context collapse and auto-compaction are refused together before the run, with the place', () => {
    expect(() => resolvePolicy(POLICY, { 'collapse.enabled': true })).toThrow(CcbenchError);
    expect(() =>
      resolvePolicy(POLICY, { 'collapse.enabled': true, 'autoCompact.enabled': false }),
    ).not.toThrow();
    const found = problems(['policy:', `  use: ${POLICY}`, '  set:', '    collapse.enabled: true']);
    expect(found).toEqual([
      's.yaml:6:23 collapse.enabled and autoCompact.enabled exclude each other (FLG-2)',
    ]);
    const both = '{ collapse.enabled: true, autoCompact.enabled: false }';
    expect(problems(['policy:', `  use: ${POLICY}`, `  set: ${both}`])).toEqual([]);
    expect(problems([`policy: ${POLICY}`, 'variants:', `  - { name: b, set: ${both} }`])).toEqual([]);
  });

  it('FLG-2 subagents never auto-compact', () => {
    const main = new Conversation()
      .human(100)
      .tools([{ tool: 'Task', tokens: 100 }])
      .wait(300)
      .answer(10);
    const child = new Conversation({ toolsTokens: 170_000 })
      .wait(2)
      .human(50)
      .tools([{ tool: 'Read', tokens: 900 }])
      .answer(10);
    const transcript = { ...main.transcript(), threads: [main.thread(), child.thread('child', 'main')] };
    const entries = logFor({ policy: POLICY }, transcript);
    expect(ofType(entries, 'layer').filter((entry) => entry.action === 'compact')).toEqual([]);
    expect(mainRequests(entries)).toHaveLength(2);
  });
});
