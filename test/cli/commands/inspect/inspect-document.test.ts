import { describe, expect, it } from 'vitest';
import { inspectBlocks } from '../../../../src/cli/commands/inspect/inspect-document.js';
import type { TranscriptFacts } from '../../../../src/cli/commands/inspect/inspect-facts.js';
import {
  type SessionFacts,
  sessionFacts,
  sessionsTotal,
  stepsByProvider,
} from '../../../../src/cli/commands/inspect/session-facts.js';
import { sessionsBlocks } from '../../../../src/cli/commands/inspect/sessions-document.js';
import { documentText } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';
import { dropOrders } from '../../../helpers/pages/drop-orders.js';
import { assistant, readSession, say, usage, user } from '../../../helpers/session.js';

const SCREEN = { width: 140, style: plainStyle };
const tool = (name: string, tokens: number, count: number) => ({ tool: name, tokens, count });

const FACTS = {
  file: 'a.jsonl',
  id: 'a',
  format: 'claude-code',
  carries: ['text', 'usage', 'cache-writes'],
  agentVersion: null,
  models: { large: 1_200, small: 3 },
  threads: 2,
  subagents: 1,
  turns: 1_203,
  humanPrompts: 10,
  callsPerPrompt: 120.3,
  spanMs: 7_200_000,
  gaps: { p50Ms: 1_000, p90Ms: 60_000, maxMs: 3_600_000, overFiveMinutes: 4, overOneHour: 2 },
  firstPromptTokens: 5_000,
  maxPromptTokens: 90_000,
  content: {
    total: 1_000,
    human: 100,
    unrecorded: 0,
    assistant: 200,
    localCommandOutput: 0,
    other: 50,
    toolResults: [tool('Read', 500, 7)],
    toolRequests: [tool('Read', 150, 7)],
    duplicateReads: [],
    duplicateReadTokens: 0,
    duplicateReadShare: 0,
  },
  billed: null,
  compactions: [],
  resumes: 0,
  warnings: [],
} as unknown as TranscriptFacts;

const linesOf = (change: object = {}): readonly string[] =>
  documentText(inspectBlocks({ ...FACTS, ...change }), SCREEN).split('\n');
const row = (name: string, change: object = {}): readonly string[] | undefined =>
  linesOf(change)
    .map((line) => line.trim().split(/ {2,}/))
    .find(([first]) => first === name);

it('the provider of a session is the one of most of its calls', () => {
  const call = (i: number, model: string) =>
    assistant(`a${i}`, 10 * i, `m${i}`, say('yes'), { model, usage: usage(1, 0, 10, 5) });
  const lines = ['claude-sonnet-4-5', 'gpt-5.5', 'gpt-5.5'].flatMap((model, i) => [
    user(`u${i}`, 10 * i - 5, 'go'),
    call(i, model),
  ]);
  const { row: facts } = sessionFacts(readSession(lines), { file: 'a', format: 'f' }, new Set());
  expect(facts.provider).toBe('openai');
});

describe('the text of one transcript', () => {
  it('says what is in it', () => {
    expect(linesOf()[0]).toBe('a.jsonl  claude-code');
    expect(row('carries')![1]).toBe('text, usage, cache-writes');
    expect(row('agent version')![1]).toBe('–');
    expect(row('models')![1]).toBe('large ×1,200, small ×3');
    expect(row('models', { models: {} })![1]).toBe('–');
    expect(row('threads')![1]).toBe('2 (1 subagent)');
    expect(row('threads', { threads: 1, subagents: 0 })![1]).toBe('1');
    expect(row('turns')![1]).toBe('1,203 API calls over 2 h');
    expect(row('human prompts')![1]).toBe('10, 120.3 calls each');
    expect(row('prompt tokens')![1]).toBe('first 5,000, largest 90,000 (subagents included)');
    expect(row('prompt tokens', { threads: 1, subagents: 0 })![1]).toBe('first 5,000, largest 90,000');
    expect(row('human prompts', { humanPrompts: 1, callsPerPrompt: 1 })![1]).toBe('1, 1 call each');
    expect(row('gaps')![1]).toBe('median 1 s, p90 1 min, longest 1 h; 4 over 5 min, 2 over 1 h');
    expect(row('gaps', { gaps: null })).toBeUndefined();
    expect(row('resumed')).toBeUndefined();
    expect(row('resumed', { resumes: 1 })![1]).toBe('1 time');
    expect(row('as recorded')).toBeUndefined();
  });

  it('says what the API billed', () => {
    const billed = {
      calls: 3,
      input: 1,
      cacheRead: 200,
      cacheWrite5m: 30,
      cacheWrite1h: 4_000,
      output: 5,
      estimatedOutputs: 0,
      unpricedCalls: 0,
      hitRate: 0.25,
      costUsd: 2,
      subagentsUsd: 0.5,
      notes: ['a note'],
    };
    expect(row('recorded usage', { billed, carries: ['usage', 'cache-writes', 'lifetimes'] })![1]).toBe(
      'read 200, written 5 min 30, written 1 h 4,000, uncached 1, output 5',
    );
    expect(row('recorded usage', { billed, carries: ['usage'] })![1]).toBe(
      'read 200, written not reported, uncached 1, output 5',
    );
    expect(row('recorded usage', { billed, carries: ['usage', 'cache-writes'] })![1]).toBe(
      'read 200, written 4,030, uncached 1, output 5',
    );
    const outputOf = (estimatedOutputs: number) =>
      row('recorded usage', { billed: { ...billed, estimatedOutputs } })![1]!.replace(/^.*output /, '');
    expect([outputOf(2), outputOf(3)]).toEqual(['5 (estimated in 2 of 3 calls)', '5 (estimated)']);
    expect(row('recorded hit rate', { billed })![1]).toBe('25.0%');
    expect(row('as recorded', { billed })![1]).toBe('$2.00, $0.5000 of it for subagents');
    expect(row('as recorded', { billed: { ...billed, subagentsUsd: 0 } })![1]).toBe('$2.00');
    // R12: a request for a summary is no subagent.
    expect(row('as recorded', { billed: { ...billed, subagentsUsd: 0, summariesUsd: 0.25 } })![1]).toBe(
      '$2.00, $0.2500 of it for summaries',
    );
    expect(linesOf({ billed })).toContain('  a note');
  });

  it('splits the tokens, kinds that are there and a dozen tools', () => {
    expect(row('human text')).toEqual(['human text', '100', '10.0%']);
    expect(row('command output')).toBeUndefined();
    expect(row('thinking, images, other')).toEqual(['thinking, images, other', '50', '5.0%']);
    expect(row('Read results')).toEqual(['Read results', '500', '50.0%', '7']);
    expect(row('Read calls')).toEqual(['Read calls', '150', '15.0%', '7']);
    expect(row('all')).toEqual(['all', '1,000', '100.0%']);
    const tools = Array.from({ length: 14 }, (_, i) => tool(`t${i}`, 10, i));
    const content = { ...FACTS.content, toolResults: tools, toolRequests: tools.slice(0, 13) };
    expect(row('t11 results', { content })).toEqual(['t11 results', '10', '1.0%', '11']);
    expect(row('t12 results', { content })).toBeUndefined();
    expect(row('2 more tools: results', { content })).toEqual(['2 more tools: results', '20', '2.0%', '25']);
    expect(row('1 more tool: calls', { content })).toEqual(['1 more tool: calls', '10', '1.0%', '12']);
  });

  it('lists duplicate reads, compactions and findings, a few of each', () => {
    const reads = Array.from({ length: 9 }, (_, i) => ({ path: `f${i}`, count: 3, tokens: 90, waste: 60 }));
    const content = {
      ...FACTS.content,
      duplicateReads: reads,
      duplicateReadTokens: 540,
      duplicateReadShare: 0.54,
    };
    const text = linesOf({ content });
    expect(text).toContain('Duplicate reads: 540 tokens wasted (54.0%)');
    expect(row('f7', { content })).toEqual(['f7', '3', '90', '60']);
    expect(row('f8', { content })).toBeUndefined();
    expect(text).toContain('  … and 1 more file');
    const compaction = {
      thread: 'main',
      kind: 'compact',
      atMs: 60_000,
      trigger: 'auto',
      preTokens: 900,
      postTokens: null,
    };
    const compactions = Array.from({ length: 11 }, () => compaction);
    expect(linesOf({ compactions }).filter((line) => line.includes('compact (auto)'))).toEqual(
      Array(10).fill(expect.stringContaining('compact (auto) after 1 min in main: 900 → – tokens')),
    );
    expect(linesOf({ compactions })).toContain('  … and 1 more');
    expect(linesOf({ compactions: [compaction] }).join('\n')).not.toContain('more');
    const warning = { code: 'odd', message: 'It is odd.', remedy: 'Look.', count: 2 };
    expect(
      linesOf({ warnings: [warning, { ...warning, code: 'even', remedy: null, count: 1 }] }).slice(-5),
    ).toEqual(['Findings', '  odd: It is odd. (2 times)', '  → Look.', '  even: It is odd.', '']);
    expect(linesOf().join('\n')).not.toMatch(/Findings|Duplicate|Recorded compactions/);
  });
});

const HITS = { calls: 2, promptTokens: 100, cachedTokens: 50, shares: 1 };

describe('several sessions', () => {
  const session = (change: Partial<SessionFacts> = {}): SessionFacts => ({
    file: 'logs/one.jsonl',
    agent: 'claude-code',
    provider: 'anthropic',
    models: ['m'],
    calls: 4,
    promptTokens: 1_000,
    cachedTokens: 600,
    writtenTokens: 300,
    outputTokens: 50,
    estimatedOutputTokens: 0,
    costUsd: 1.5,
    from: '2026-03-01T10:00:00.000Z',
    to: null,
    compactions: 1,
    steps: {
      afterPrompt: HITS,
      afterTools: { ...HITS, cachedTokens: 90, shares: 1.6 },
      midLoopCompactions: 1,
    },
    withoutUsage: 0,
    estimatedOutputs: 0,
    repeatedCalls: 0,
    unpricedCalls: 0,
    ...change,
  });
  const silent = session({
    file: 'two.jsonl',
    promptTokens: null,
    cachedTokens: null,
    writtenTokens: null,
    outputTokens: null,
    estimatedOutputTokens: null,
    costUsd: null,
    from: null,
    compactions: 2,
  });

  it('are added up over those that tell', () => {
    expect(sessionsTotal([session(), session({ cachedTokens: 200, costUsd: 0.5 }), silent])).toEqual({
      sessions: 3,
      calls: 12,
      promptTokens: 2_000,
      cachedTokens: 800,
      hitRate: 0.4,
      writtenTokens: 600,
      withoutWrites: 1,
      outputTokens: 100,
      estimatedOutputTokens: 0,
      costUsd: 2,
      costCalls: 8,
      withoutCost: 1,
      unpricedCalls: 0,
      compactions: 4,
    });
    expect(sessionsTotal([silent])).toMatchObject({ promptTokens: null, hitRate: null, costUsd: null });
  });

  it('have their compactions and hit rates by provider: of all tokens, and in the mean over calls', () => {
    const other = session({
      provider: 'openai',
      compactions: 0,
      steps: { ...session().steps, midLoopCompactions: 0 },
    });
    expect(stepsByProvider([other, session(), session({ compactions: 0 })])).toEqual([
      {
        provider: 'anthropic',
        sessions: 2,
        compactedSessions: 1,
        compactions: 1,
        midLoopCompactions: 2,
        afterPrompt: { calls: 4, hitRate: 0.5, meanHitRate: 0.5 },
        afterTools: { calls: 4, hitRate: 0.9, meanHitRate: 0.8 },
      },
      expect.objectContaining({
        provider: 'openai',
        sessions: 1,
        compactedSessions: 0,
        midLoopCompactions: 0,
      }),
    ]);
  });

  const textOf = (
    all: readonly SessionFacts[],
    found: Parameters<typeof sessionsBlocks>[2],
    width: number,
  ): string => documentText(sessionsBlocks(all, sessionsTotal(all), found, width), { ...SCREEN, width });

  it('lose compactions first where there is no room, prompts last', () => {
    const all = [session(), silent];
    const blocks = sessionsBlocks(
      all,
      sessionsTotal(all),
      { notes: [], warnings: [], byProvider: stepsByProvider(all) },
      100,
    );
    expect(dropOrders(blocks)).toEqual([
      ['compactions', 'written', 'output', 'day', 'agent', 'cached', 'prompt'],
      ['sessions'],
    ]);
  });

  it('stand in rows with their sum below, and notes on what it leaves out', () => {
    const all = [session(), silent];
    const odd = { code: 'odd', message: 'It is odd.', remedy: null };
    const found = {
      notes: ['a note'],
      warnings: [2, 3].map((count) => ({ ...odd, count })),
      byProvider: stepsByProvider(all),
    };
    const lines = textOf(all, found, SCREEN.width).split('\n');
    const cells = lines.map((line) => line.trim().split(/ {2,}/));
    expect(cells.slice(1, 4)).toEqual([
      ['one', 'claude-code', '2026-03-01', '4', '1,000', '60.0%', '300', '50', '1', '$1.50'],
      ['two', 'claude-code', '4', '–', '–', '–', '–', '2', '–'],
      ['2 sessions', '8', '1,000', '60.0%', '300', '50', '3', '$1.50'],
    ]);
    expect(lines.slice(4)).toEqual([
      '  the cost leaves out 1 of 2 sessions: a model without a known price, or no usage',
      '  1 of 2 sessions does not record what was written to the cache',
      '  a note',
      '',
      'Compactions and hit rates by provider',
      '  provider   sessions  compact  mid-loop  hits: prompts  hits: tools',
      '  anthropic         2   100.0%     66.7%          50.0%        90.0%',
      '',
      'Findings',
      '  odd: It is odd. (5 times)',
      '',
    ]);
    const bare = { notes: [], warnings: [], byProvider: [] };
    expect(
      textOf([session({ estimatedOutputTokens: 1 })], bare, SCREEN.width)
        .split('\n')
        .slice(3),
    ).toEqual(['  1 of 50 output tokens are estimated: the recording has placeholders', '']);
    const narrow = textOf(all, bare, 60);
    expect(narrow.replaceAll(/\s+/g, ' ')).toContain('not shown in 60 columns: ');
    expect(narrow).not.toContain('Findings');
  });
});
