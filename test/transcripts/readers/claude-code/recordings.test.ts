import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { sum } from '../../../../src/core/base/stats.js';
import { messageTokens } from '../../../../src/core/model/message.js';
import type { Thread, ThreadEvent, Transcript } from '../../../../src/core/model/transcript.js';
import { cacheWriteTokens, promptTokens } from '../../../../src/core/model/usage.js';
import { readClaudeCode, readClaudeCodeFiles } from '../../../../src/transcripts/readers/claude-code/read.js';
import { RECORDED_SESSIONS, sharedData } from '../../../helpers/recordings/shared.js';
import { callsOf, eventsOf } from '../../../helpers/session.js';

interface RawUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens: number };
  readonly output_tokens: number;
}

interface RawLine {
  readonly type: string;
  readonly subtype?: string;
  readonly message?: { readonly id: string; readonly model: string; readonly usage: RawUsage };
  readonly data?: { readonly type: string; readonly message?: RawLine };
}

function read(path: string): Transcript {
  return readClaudeCode(readFileSync(path), { id: basename(path) });
}

function rawLines(path: string): readonly RawLine[] {
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RawLine);
}

/** Totals by the plainest deduplication: the largest output per message id, made-up responses left out (K15). */
function rawTotals(path: string) {
  const byId = new Map<string, RawUsage>();
  const lines = rawLines(path).map((line) =>
    line.data?.type === 'agent_progress' && line.data.message !== undefined ? line.data.message : line,
  );
  for (const line of lines) {
    if (line.type !== 'assistant' || line.message === undefined || line.message.model === '<synthetic>')
      continue;
    const seen = byId.get(line.message.id);
    if (seen === undefined || line.message.usage.output_tokens > seen.output_tokens)
      byId.set(line.message.id, line.message.usage);
  }
  const all = [...byId.values()];
  const reads = sum(all.map((each) => each.cache_read_input_tokens));
  const writes = sum(all.map((each) => each.cache_creation_input_tokens));
  return {
    responses: all.length,
    prompt: sum(all.map((each) => each.input_tokens)) + reads + writes,
    reads,
    writes,
    writes1h: sum(all.map((each) => each.cache_creation?.ephemeral_1h_input_tokens ?? 0)),
    output: sum(all.map((each) => each.output_tokens)),
  };
}

function totals(transcript: Transcript) {
  const usages = transcript.threads.flatMap(callsOf).map((call) => call.usage!);
  return {
    responses: usages.length,
    prompt: sum(usages.map(promptTokens)),
    reads: sum(usages.map((each) => each.cacheRead)),
    writes: sum(usages.map(cacheWriteTokens)),
    writes1h: sum(usages.map((each) => each.cacheWrite1h)),
    output: sum(usages.map((each) => each.output)),
  };
}

const REBUILDS = new Set<ThreadEvent['kind']>([
  'recorded-compaction',
  'recorded-microcompact',
  'resume',
  'clear',
  'rewind',
]);

/** Calls whose prompt is not the sum of prefix and messages, before the first rebuild of the context. */
function inexactCalls(thread: Thread): readonly string[] {
  const wrong: string[] = [];
  let tokens = sum(thread.prefix.map((block) => block.tokens));
  for (const step of thread.steps) {
    if (step.kind === 'event' && REBUILDS.has(step.event.kind)) break;
    if (step.kind === 'message') tokens += messageTokens(step.message);
    if (step.kind !== 'call') continue;
    if (promptTokens(step.call.usage!) !== tokens) wrong.push(step.call.id);
    tokens += messageTokens(step.call.response);
  }
  return wrong;
}

/** Calls per thread, and what else is known of each recording. */
const KNOWN: Readonly<Record<string, { readonly calls: readonly number[]; readonly rewrites?: 1 }>> = {
  'JanDeDobbeleer__oh-my-posh__v2.1.217-manual297k-ctx402k-ttl1h': { calls: [307] },
  'd-kimuson__claude-code-viewer__v1.0.98-inline-sidechains': { calls: [9, 9, 34, 40, 25, 53] },
  'entireio__auth-go__v2.1.150-ctx194k-ttl1h': { calls: [138] },
  'entireio__cli__v2.0.64-small': { calls: [75] },
  'entireio__cli__v2.0.76-auto155k-ttl5m': { calls: [97] },
  'entireio__cli__v2.1.1-auto155k-x2-ttl5m': { calls: [219] },
  'entireio__cli__v2.1.12-microcompact-ttl5m': { calls: [57] },
  'entireio__cli__v2.1.17-microcompact-x2-auto155k-ttl1h': { calls: [131], rewrites: 1 },
  'entireio__cli__v2.1.29-auto167k-manual-ttl1h-span50h': { calls: [204, 14, 17, 11, 7, 23, 10] },
  'entireio__cli__v2.1.42-auto167k-ttl1h-gap10h': { calls: [93] },
  'marot__spotter__4d5611e5-subagent-a2898e3': { calls: [12] },
  'marot__spotter__4d5611e5-subagent-acompact-e1f845': { calls: [1] },
  'marot__spotter__4d5611e5-v2.1.39-auto167k-ttl5m-gap4h': { calls: [139, 11] },
  marot__spotter__short: { calls: [1] },
  'marot__spotter__subagent-small': { calls: [12, 5] },
  'marot__spotter__tool_heavy-small': { calls: [4] },
};

/** The same recording with the members of every line in the opposite order, so that no line begins like another. */
function turned(path: string): Buffer {
  const lines = rawLines(path).map((line) =>
    JSON.stringify(Object.fromEntries(Object.entries(line).reverse())),
  );
  return Buffer.from(lines.join('\n'));
}

describe.skipIf(!sharedData.present)('shared recordings', () => {
  it('holds the sixteen sessions', () => {
    const names = sharedData.files('transcripts/claude-code').map((file) => basename(file, '.jsonl.gz'));
    expect(names).toEqual(Object.keys(KNOWN).sort());
    expect(names).toEqual(RECORDED_SESSIONS);
  });

  describe.each(sharedData.sessions)('%s', (name, file) => {
    let transcript: Transcript;
    beforeAll(() => {
      transcript = read(file);
    });

    it('counts responses and billed tokens once', () => {
      expect(totals(transcript)).toEqual(rawTotals(file));
      expect(transcript.threads.map((thread) => callsOf(thread).length)).toEqual(KNOWN[name]!.calls);
    });

    it('is the same when the members of its lines stand in another order', () => {
      const other = readClaudeCode(turned(file), { id: transcript.id });
      expect(JSON.stringify(other)).toBe(JSON.stringify(transcript));
    });

    it('makes every prompt exact up to the first rebuild', () => {
      const wrong = transcript.threads.flatMap(inexactCalls);
      // one prompt of this recording falls by 42,531 tokens without any line that says why
      if (KNOWN[name]!.rewrites === 1) expect(wrong.length).toBeGreaterThan(0);
      else expect(wrong).toEqual([]);
    });

    it('finds every recorded compaction with its summary', () => {
      const lines = rawLines(file);
      const marks = (subtype: string) => lines.filter((line) => line.subtype === subtype).length;
      const events = transcript.threads.flatMap(eventsOf);
      const full = events.filter((event) => event.kind === 'recorded-compaction');
      expect(full).toHaveLength(marks('compact_boundary'));
      expect(full.every((event) => event.summary !== null)).toBe(true);
      expect(events.filter((event) => event.kind === 'recorded-microcompact')).toHaveLength(
        marks('microcompact_boundary'),
      );
    });

    it('lets time run forwards and gives every block a whole number of tokens', () => {
      for (const thread of transcript.threads) {
        let now = 0;
        for (const step of thread.steps) {
          const [from, to] =
            step.kind === 'call'
              ? [step.call.startMs, step.call.endMs]
              : step.kind === 'event'
                ? [step.event.at, step.event.at]
                : [step.message.at, step.message.at];
          expect(from).toBeGreaterThanOrEqual(now);
          expect(to).toBeGreaterThanOrEqual(from);
          now = to;
          const blocks =
            step.kind === 'call'
              ? step.call.response.blocks
              : step.kind === 'message'
                ? step.message.blocks
                : [];
          expect(blocks.every((block) => Number.isInteger(block.tokens) && block.tokens >= 0)).toBe(true);
        }
        const ids = thread.steps.flatMap((step) =>
          step.kind === 'message' ? [step.message.id] : step.kind === 'call' ? [step.call.response.id] : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
      }
    });
  });

  it('reads a main file with its agents as one transcript', () => {
    const part = (name: string, as: string) => ({
      name: as,
      bytes: sharedData.read(`transcripts/claude-code/marot__spotter__4d5611e5-${name}.jsonl.gz`),
    });
    const transcript = readClaudeCodeFiles(
      [
        part('subagent-a2898e3', 'agent-a2898e3.jsonl.gz'),
        part('v2.1.39-auto167k-ttl5m-gap4h', 'main.jsonl.gz'),
        part('subagent-acompact-e1f845', 'agent-acompact-e1f845.jsonl.gz'),
      ],
      { id: 'spotter' },
    );
    expect(transcript.threads.map((thread) => [thread.id, thread.parentId, callsOf(thread).length])).toEqual([
      ['main', null, 139],
      ['agent-a2898e3', 'main', 12],
      ['agent-acompact-e1f845', 'main', 1],
    ]);
    const boundary = eventsOf(transcript.threads[0]!).find((event) => event.kind === 'recorded-compaction')!;
    const fork = callsOf(transcript.threads[2]!)[0]!;
    expect(boundary.at - fork.endMs).toBeGreaterThanOrEqual(0);
    expect(boundary.at - fork.endMs).toBeLessThan(1_000);
  });
});
