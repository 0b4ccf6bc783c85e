import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { stepFacts } from '../../../src/cli/commands/inspect/session-facts.js';
import { findSessions } from '../../../src/transcripts/files/find-sessions.js';
import { openTranscript } from '../../../src/transcripts/files/transcript-input.js';
import { loadTranscript, loadTranscriptInput } from '../../../src/transcripts/files/transcripts.js';
import { detectFormat } from '../../../src/transcripts/readers/readers.js';
import { tempFolder } from '../../cli/cli.js';
import { countTranscript } from '../../helpers/recordings/count-raw.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { refusalOf } from '../../helpers/refusal.js';
import { callsIn, eventsIn, type Fields, jsonl, stamp, warningCodes } from '../../helpers/session.js';

/** A round as the published description has it: what was read, what was not, and what came in first. */
function round(
  index: number,
  [read, fresh, written]: readonly [number, number, number | null],
  fields: Fields = {},
): Fields {
  const input = index === 0 ? 'user_message' : 'tool_result';
  return {
    provider: written === null ? 'codex' : 'claude',
    session_id: 's1',
    round_index: index,
    round_id: `r${index}`,
    model: written === null ? 'gpt-5.4' : 'claude-opus-4-6',
    input_tokens_total: read + fresh + (written ?? 0),
    prefix_tokens: read,
    newly_append_tokens: fresh + (written ?? 0),
    claude_cache_creation_input_tokens: written,
    output_tokens: 100,
    timing_events: [
      {
        event_type: input,
        timestamp: stamp(20 * index),
        tool_call_id: `t${index - 1}`,
        tool_name: 'Bash',
        result_chars: 400,
      },
      { event_type: 'reasoning', timestamp: stamp(20 * index + 2), content_chars: 10 },
      {
        event_type: 'tool_call',
        timestamp: stamp(20 * index + 5),
        tool_call_id: `t${index}`,
        tool_name: 'Bash',
      },
    ],
    tools: [{ tool_name: 'Bash', tool_call_id: `t${index}`, input_chars: 60 }],
    ...fields,
  };
}

const ROUNDS = [round(0, [0, 3, 9_997]), round(1, [10_000, 3, 1_997]), round(2, [12_000, 3, 497])];

describe('rounds of TraceLab', () => {
  it('are known by their members, and carry no text and no lifetimes', () => {
    expect(detectFormat(jsonl(ROUNDS).toString())).toBe('tracelab');
    const { carries, provider } = readAny(jsonl(ROUNDS), { id: 'a' });
    expect(carries).toEqual(['timestamps', 'usage', 'cache-writes', 'tools', 'output-tokens', 'latency']);
    expect(provider).toBe('anthropic');
  });

  it('bill what was read, written and neither; Codex does not say what was written', () => {
    expect(callsIn(readAny(jsonl(ROUNDS), { id: 'a' })).map(({ usage }) => usage)).toEqual([
      { input: 3, cacheRead: 0, cacheWrite5m: 9_997, cacheWrite1h: 0, output: 100 },
      { input: 3, cacheRead: 10_000, cacheWrite5m: 1_997, cacheWrite1h: 0, output: 100 },
      { input: 3, cacheRead: 12_000, cacheWrite5m: 497, cacheWrite1h: 0, output: 100 },
    ]);
    const codex = readAny(jsonl([round(0, [512, 4_000, null])]), { id: 'b' });
    expect(callsIn(codex)[0]!.usage).toMatchObject({ input: 4_000, cacheRead: 512, cacheWrite5m: 0 });
    expect(codex.carries).not.toContain('cache-writes');
    expect(codex.provider).toBe('openai');
  });

  it('without a count say nothing of it, and without a prompt are left out', () => {
    const odd = round(1, [10_000, 3, 1_997], { prefix_tokens: -3, output_tokens: 'many' });
    const empty = round(2, [0, 0, 0]);
    const transcript = readAny(jsonl([ROUNDS[0]!, odd, empty]), { id: 'a' });
    expect(callsIn(transcript).map(({ usage }) => usage?.cacheRead ?? null)).toEqual([0, null]);
    expect(warningCodes(transcript)).toContain('broken-lines');
  });

  it('begin with the last thing that came in and end with the last that was said', () => {
    const calls = callsIn(readAny(jsonl(ROUNDS), { id: 'a' }));
    expect(calls.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [0, 5_000],
      [20_000, 25_000],
      [40_000, 45_000],
    ]);
  });

  it('follow their numbers, and the file where two have the same; a round that stands twice counts once', () => {
    const twin = round(1, [10_000, 3, 2_497], { round_id: 'r1' });
    const other = round(2, [12_000, 3, 597]);
    const transcript = readAny(jsonl([other, ROUNDS[1]!, ROUNDS[0]!, twin, ROUNDS[1]!]), { id: 'a' });
    expect(callsIn(transcript).map(({ usage }) => usage!.cacheWrite5m)).toEqual([9_997, 1_997, 2_497, 597]);
    expect(warningCodes(transcript)).toContain('repeated-rows');
  });

  it('tell a call that answers a prompt from one in a tool loop, and where the compactions come', () => {
    const dropped = round(3, [4_000, 3, 997]);
    const asked = round(4, [3_000, 3, 2_997], {
      timing_events: [
        { event_type: 'user_message', timestamp: stamp(90), content_chars: 40 },
        { event_type: 'tool_result', timestamp: stamp(91), tool_call_id: 't3', result_chars: 4 },
        { event_type: 'text', timestamp: stamp(95), content_chars: 9 },
      ],
    });
    const transcript = readAny(jsonl([...ROUNDS, dropped, asked]), { id: 'a' });
    expect(eventsIn(transcript)).toMatchObject([
      { kind: 'recorded-compaction', preTokens: 12_500, postTokens: 5_000 },
    ]);
    expect(stepFacts(transcript.threads)).toEqual({
      afterPrompt: { calls: 2, promptTokens: 16_000, cachedTokens: 3_000, shares: 0.5 },
      afterTools: {
        calls: 3,
        promptTokens: 29_500,
        cachedTokens: 26_000,
        shares: 10 / 12 + 12 / 12.5 + 4 / 5,
      },
      midLoopCompactions: 1,
    });
  });
});

describe('a file of many sessions', () => {
  const of = (session_id: string) =>
    ROUNDS.map((fields) => ({ ...fields, session_id, round_id: `${session_id}-${fields.round_id}` }));
  const [a, b, c] = [of('a'), of('b'), of('c')];
  // The rounds of a and b are mixed; the last line is cut.
  const mixed = Buffer.concat([
    jsonl([a[0]!, b[0]!, a[1]!, a[2]!, ...c, b[1]!, b[2]!]),
    Buffer.from('{"session_id":"c"'),
  ]);
  const files = () =>
    tempFolder({ 'all.jsonl': mixed, 'all.jsonl.gz': gzipSync(mixed), 'one.jsonl': jsonl(a) });

  it('is as many sessions, each read alone, packed or not', () => {
    const folder = files();
    expect(findSessions(['all.jsonl', 'one.jsonl'], { cwd: folder, home: folder })).toEqual({
      files: ['all.jsonl#a', 'all.jsonl#b', 'all.jsonl#c', 'one.jsonl'],
      leftOut: [],
    });
    for (const file of ['all.jsonl', 'all.jsonl.gz'])
      for (const session of ['c', 'a', 'b']) {
        const { transcript } = loadTranscript(`${file}#${session}`, { cwd: folder });
        expect(transcript).toMatchObject({ id: `all#${session}`, source: 'tracelab', warnings: [] });
        expect(countTranscript(transcript)).toMatchObject({ calls: 3, prompt: 34_500, cached: 22_000 });
      }
  });

  it('travels one session at a time to whoever replays it', () => {
    const folder = files();
    const { input, transcript } = loadTranscriptInput('all.jsonl#b', { cwd: folder });
    expect(openTranscript(input)).toEqual(transcript);
    expect(JSON.stringify(input).length).toBeLessThan(40_000);
  });

  it('names its sessions to whoever asks for one that is not there', () => {
    const folder = files();
    const { message, hint } = refusalOf(() => loadTranscript('all.jsonl#x', { cwd: folder }))!;
    expect(message).toMatch(/has no session x/);
    expect(hint).toBe('its first sessions are a, b, c');
  });

  it('read whole is one recording with a thread for each session', () => {
    const { threads } = readAny(mixed, { id: 'all' });
    expect(threads.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });
});
