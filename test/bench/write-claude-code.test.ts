import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeClaudeCode } from '../../bench/sessions/write-claude-code.js';
import { createBlock } from '../../src/core/model/block.js';
import { messageTokens } from '../../src/core/model/message.js';
import type { Step, Thread, Transcript } from '../../src/core/model/transcript.js';
import { readClaudeCode, readClaudeCodeFiles } from '../../src/transcripts/readers/claude-code/read.js';
import { callOf, messageFrom, resultOf, userText } from '../helpers/blocks.js';
import { forAll } from '../helpers/for-all.js';
import { propertyRuns } from '../helpers/generators/property-runs.js';
import { sharedData } from '../helpers/recordings/shared.js';
import {
  ask,
  assistant,
  attachment,
  callsOf,
  eventsOf,
  firstThread,
  HUNDRED,
  openingSizes,
  outline,
  readSession,
  result,
  say,
  system,
  usage,
  user,
} from '../helpers/session.js';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function roundTrip(transcript: Transcript): Transcript {
  const files = writeClaudeCode(transcript).files.map(({ name, text }) => ({
    name,
    bytes: Buffer.from(text),
  }));
  return readClaudeCodeFiles(files, { id: transcript.id });
}

function billing(thread: Thread) {
  return callsOf(thread).map(
    ({ id, startMs, endMs, model, usage, outputIsPlaceholder, missReason, effort }) => ({
      id,
      startMs,
      endMs,
      model,
      usage,
      outputIsPlaceholder,
      missReason,
      effort,
    }),
  );
}

/** True tokens in the order of the steps, responses included, joined between calls. */
function tokensBetweenCalls(thread: Thread): readonly number[] {
  const sums = [thread.prefix.reduce((all, block) => all + block.tokens, 0)];
  for (const step of thread.steps) {
    if (step.kind === 'call') sums.push(messageTokens(step.call.response));
    else if (step.kind === 'message') sums[sums.length - 1]! += messageTokens(step.message);
  }
  return sums;
}

/** Events without what no line holds: the reason and the time of a resume, and all but the id of a summary. */
function happenings(thread: Thread) {
  return eventsOf(thread).map((event) => ({
    ...event,
    at: event.kind === 'resume' || event.kind === 'version' ? null : event.at,
    reason: null,
    summary: event.kind === 'recorded-compaction' ? event.summary?.id : null,
  }));
}

function prefixTokens(thread: Thread): number {
  return thread.prefix.reduce((all, block) => all + block.tokens, 0);
}

describe('writing Claude Code sessions', () => {
  it('writes one block a line, results one a line, and the same bytes each time', () => {
    const text = (kind: 'text' | 'tool_use' | 'tool_result', id: string | null) =>
      createBlock({
        kind,
        role: kind === 'tool_result' ? 'user' : 'assistant',
        tokens: 10,
        toolUseId: id,
        tool: id === null ? null : 'Bash',
      });
    const usage = { input: 1, cacheRead: 2, cacheWrite5m: 3, cacheWrite1h: 4, output: 5 };
    const response = messageFrom(
      'model',
      'm1',
      [text('text', null), text('tool_use', 't1'), text('tool_use', 't2')],
      { at: 9 },
    );
    const steps: Step[] = [
      {
        kind: 'message',
        message: messageFrom('human', 'u1', [userText(4, { text: 'go' })]),
      },
      {
        kind: 'call',
        call: {
          id: 'm1',
          startMs: 0,
          endMs: 9,
          model: 'x',
          response,
          usage,
          outputIsPlaceholder: false,
          stopReason: 'tool_use',
          missReason: null,
          effort: null,
        },
      },
      {
        kind: 'message',
        message: messageFrom('tool', 'r', [text('tool_result', 't1'), text('tool_result', 't2')], { at: 12 }),
      },
    ];
    const transcript: Transcript = {
      id: 'made up',
      source: 'test',
      carries: [],
      agentVersion: null,
      startedAtMs: null,
      threads: [{ id: 'main', parentId: null, label: 'main', prefix: [], steps }],
      warnings: [],
    };
    const { files } = writeClaudeCode(transcript);
    expect(files.map((file) => file.name)).toEqual(['made-up.jsonl']);
    const lines = files[0]!.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.type)).toEqual([
      'system',
      'user',
      'assistant',
      'assistant',
      'assistant',
      'user',
      'user',
    ]);
    expect(lines.map((line) => line.parentUuid)).toEqual([
      null,
      ...lines.slice(0, -1).map((line) => line.uuid),
    ]);
    expect(lines[0].timestamp).toBe('2026-01-01T00:00:00.000Z');
    expect(lines[2].message.usage).toMatchObject({
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
    });
    expect(lines[2].message.content[0].text).toHaveLength(Math.round(10 * 2.75));
    expect(writeClaudeCode(transcript).files).toEqual(files);
  });

  it('reads back what a made-up session consisted of', () => {
    const count = fc.nat(5_000);
    const turn = fc.record({
      gapMs: fc.nat(100_000),
      queueMs: fc.nat(50),
      latencyMs: fc.nat(60_000),
      prompt: count,
      results: fc.array(fc.nat(800), { maxLength: 3 }),
      placeholder: fc.boolean(),
      usage: fc.record({
        input: fc.integer({ min: 1, max: 500 }),
        cacheRead: count,
        cacheWrite5m: count,
        cacheWrite1h: count,
        output: count,
      }),
    });
    forAll(
      { numRuns: propertyRuns(40) },
      fc.array(fc.array(turn, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      (threads) => {
        const transcript: Transcript = {
          id: 'made-up',
          source: 'test',
          carries: [],
          agentVersion: null,
          startedAtMs: 1_700_000_000_000,
          threads: threads.map((turns, n) => threadOf(turns, n)),
          warnings: [],
        };
        const back = roundTrip(transcript);
        expect(back.startedAtMs).toBe(transcript.startedAtMs);
        expect(back.threads.map(billing).map((calls) => calls.map((call) => ({ ...call, id: '' })))).toEqual(
          transcript.threads.map(billing).map((calls) => calls.map((call) => ({ ...call, id: '' }))),
        );
        expect(roundTrip(back).threads.map(tokensBetweenCalls)).toEqual(back.threads.map(tokensBetweenCalls));
        expect(
          back.threads.map((thread) =>
            callsOf(thread).map((call) => call.response.blocks.map((block) => [block.kind, block.chars])),
          ),
        ).toEqual(
          transcript.threads.map((thread) =>
            callsOf(thread).map((call) => call.response.blocks.map((block) => [block.kind, block.chars])),
          ),
        );
      },
    );
  });

  it('K1 K3 K4 K12 K13 C1 come back with what users and clients did, and without what no line says', () => {
    const counted = (prompt: number, read = 0) => ({ usage: usage(0, read, prompt - read, 10) });
    const [on, off] = ['high', 'none'].map((level) => ({ thinkingMetadata: { level } }));
    const lines = [
      system(uuid(0), 0, 'informational'),
      user(uuid(1), 1, HUNDRED, { ...on, parentUuid: uuid(0) }),
      assistant(uuid(2), 2, 'm1', [...say('x'), ...ask('t1', 'Skill')], counted(100_000, 80_000)),
      result(uuid(3), 3, 't1', 'loaded'),
      user(uuid(4), 3, HUNDRED, { isMeta: true, sourceToolUseID: 't1' }),
      assistant(uuid(5), 4, 'm2', say('x'), counted(100_130)),
      user(uuid(6), 5, HUNDRED, { ...off, parentUuid: uuid(5) }),
      assistant(uuid(7), 6, 'm3', say('x'), counted(100_240)),
      user(uuid(8), 7, HUNDRED, { parentUuid: uuid(5) }),
      assistant(uuid(9), 8, 'm4', say('x'), counted(100_240)),
      attachment(uuid(10), 9, { type: 'hook_success', hookName: 'SessionStart:resume' }),
      user(uuid(11), 10, HUNDRED, { parentUuid: uuid(0) }),
      assistant(uuid(12), 11, 'm5', say('x'), counted(25_100)),
      system(uuid(21), 11, 'away_summary', { content: 'x' }),
      attachment(uuid(13), 12, { type: 'hook_success', hookName: 'SessionStart:clear' }),
      user(uuid(14), 13, HUNDRED),
      assistant(uuid(15), 14, 'm6', say('x'), counted(25_100)),
      system(uuid(16), 15, 'compact_boundary', { compactMetadata: { trigger: 'manual' } }),
      user(uuid(17), 15, HUNDRED, { isCompactSummary: true }),
      user(uuid(18), 15, '<command-name>/compact</command-name><command-args>the plan</command-args>'),
      user(uuid(19), 16, HUNDRED, on),
      assistant(uuid(20), 17, 'm7', say('x'), counted(25_300)),
    ];
    const transcript = readSession(lines);
    const thread = firstThread(transcript);
    expect(happenings(thread).map((event) => event.kind)).toEqual([
      'speaker',
      'fallback',
      'speaker',
      'speaker',
      'rewind',
      'speaker',
      'resume',
      'rewind',
      'speaker',
      'away-summary',
      'clear',
      'speaker',
      'recorded-compaction',
      'speaker',
    ]);
    const back = firstThread(roundTrip(transcript));
    expect(happenings(back)).toEqual(happenings(thread));
    expect(outline(back)).toEqual(outline(thread));
    expect(billing(back)).toEqual(billing(thread));
    expect(tokensBetweenCalls(back)).toEqual(tokensBetweenCalls(thread));
    expect(openingSizes(back)).toEqual([['earlier-history', [55_000, 19_900]]]);
    const { text } = writeClaudeCode(transcript).files[0]!;
    expect(text).not.toContain('earlier-history');
  });

  describe.skipIf(!sharedData.present)('shared recordings', () => {
    it.each(sharedData.someSessions)('%s comes back the same', (id, file) => {
      const transcript = readClaudeCode(readFileSync(file), { id });
      const back = roundTrip(transcript);
      expect(back.threads.map(billing)).toEqual(transcript.threads.map(billing));
      expect(back.threads.map(tokensBetweenCalls)).toEqual(transcript.threads.map(tokensBetweenCalls));
      expect(back.threads.map(happenings)).toEqual(transcript.threads.map(happenings));
      expect(back.threads.map(prefixTokens)).toEqual(transcript.threads.map(prefixTokens));
      expect(outline(firstThread(back))).toEqual(outline(firstThread(transcript)));
      expect([back.agentVersion, back.startedAtMs, back.carries]).toEqual([
        transcript.agentVersion,
        transcript.startedAtMs,
        transcript.carries,
      ]);
    });
  });
});

interface Turn {
  readonly gapMs: number;
  readonly queueMs: number;
  readonly latencyMs: number;
  readonly prompt: number;
  readonly results: readonly number[];
  readonly placeholder: boolean;
  readonly usage: {
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite5m: number;
    readonly cacheWrite1h: number;
    readonly output: number;
  };
}

function threadOf(turns: readonly Turn[], n: number): Thread {
  const steps: Step[] = [];
  let now = 0;
  for (const [i, turn] of turns.entries()) {
    now += turn.gapMs;
    const prompt = userText(turn.prompt);
    steps.push({
      kind: 'message',
      message: messageFrom('human', `u${i}`, [prompt], { at: now }),
    });
    const calls = turn.results.map((tokens, k) => callOf(`t${i}.${k}`, tokens + 20, { tool: 'Read' }));
    now += turn.queueMs;
    const startMs = now;
    now += turn.latencyMs;
    const said = createBlock({ kind: 'text', role: 'assistant', tokens: 30 });
    const response = messageFrom('model', `m${i}`, [said, ...calls], { at: now });
    steps.push({
      kind: 'call',
      call: {
        id: `m${i}`,
        startMs,
        endMs: now,
        model: 'x',
        response,
        usage: turn.usage,
        outputIsPlaceholder: turn.placeholder,
        stopReason: null,
        missReason: null,
        effort: null,
      },
    });
    for (const [k, tokens] of turn.results.entries()) {
      const block = resultOf(`t${i}.${k}`, tokens, { tool: 'Read' });
      steps.push({
        kind: 'message',
        message: messageFrom('tool', `r${i}.${k}`, [block], { at: now }),
      });
    }
  }
  return {
    id: n === 0 ? 'main' : `agent-${n}`,
    parentId: n === 0 ? null : 'main',
    label: String(n),
    prefix: [],
    steps,
  };
}
