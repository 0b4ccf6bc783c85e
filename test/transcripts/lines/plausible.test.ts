import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { promptTokens } from '../../../src/core/model/usage.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { assistant, callsIn, jsonl, say, usage, user } from '../../helpers/session.js';

/** What no request can have, as JSON. */
const ABSURD = ['1e308', '1e999', '-1', '0.5', '20000001', '9007199254740993'];

const ROWS = [
  '{"time":1,"model":"m","input":100,"cached":10,"output":1}',
  '{"time":2,"model":"m","input":200,"cached":100,"output":1}',
  '{"time":3,"model":"m","input":300,"cached":200,"output":1}',
].join('\n');

const PI = [
  { type: 'session', version: 3, id: 'a', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/x' },
  ...[1, 2, 3].map((n) => ({
    type: 'message',
    id: `m${n}`,
    parentId: n === 1 ? null : `m${n - 1}`,
    timestamp: `2026-01-01T00:00:0${n}.000Z`,
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: 'answer' }],
      model: 'm',
      usage: { input: 100, cacheRead: 7, cacheWrite: 0, output: 5 },
    },
  })),
]
  .map((line) => JSON.stringify(line))
  .join('\n');

const SWE = JSON.stringify({
  trajectory_format: 'mini-swe-agent-1.1',
  info: { mini_version: '1.17' },
  messages: [1, 2, 3].flatMap((n) => [
    { role: 'user', content: `go ${n}` },
    {
      role: 'assistant',
      content: 'yes',
      extra: {
        response: {
          id: `r${n}`,
          model: 'm',
          usage: { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 7 } },
        },
      },
    },
  ]),
});

const CLAUDE = jsonl([
  user('u0', 0, 'go'),
  assistant('a0', 1, 'm0', say('x'), { usage: usage(1, 100, 10, 5) }, { parentUuid: 'u0' }),
  user('u1', 2, 'go on', { parentUuid: 'a0' }),
  assistant('a1', 3, 'm1', say('y'), { usage: usage(1, 110, 20, 5) }, { parentUuid: 'u1' }),
]).toString();

/** A text with the number of the n-th member of a name replaced. */
function damaged(text: string, name: string, nth: number, value: string): string {
  let seen = 0;
  return text.replace(new RegExp(`("${name}"\\s*:\\s*)\\d+`, 'g'), (whole, head: string) =>
    seen++ === nth ? `${head}${value}` : whole,
  );
}

function expectSound(transcript: Transcript): void {
  for (const { usage: counted } of callsIn(transcript)) {
    if (counted === null) continue;
    for (const count of Object.values(counted)) {
      expect(Number.isInteger(count) && count >= 0 && count <= 20_000_000).toBe(true);
    }
    expect(promptTokens(counted)).toBeLessThanOrEqual(20_000_000);
  }
}

const badUsage = ({ warnings }: Transcript) => warnings.filter(({ code }) => code === 'bad-usage');

describe('H4 counts that no request can have', () => {
  it.each([
    ['claude-code', CLAUDE, 'cache_read_input_tokens', 4],
    ['pi', PI, 'cacheRead', 3],
    ['pi', PI, 'output', 3],
    ['mini-swe-agent', SWE, 'prompt_tokens', null],
    ['mini-swe-agent', SWE, 'cached_tokens', null],
    ['a table of requests', ROWS, 'input', 2],
    ['a table of requests', ROWS, 'cached', 2],
    ['a table of requests', ROWS, 'output', 2],
  ])('of %s are left out, and the line is named (%#)', (_format, text, name, line) => {
    const whole = callsIn(readAny(Buffer.from(text), { id: 'x.jsonl' }));
    for (const value of ABSURD) {
      const transcript = readAny(Buffer.from(damaged(text, name, 1, value)), { id: 'x.jsonl' });
      expectSound(transcript);
      const counted = callsIn(transcript).filter((call) => call.usage !== null);
      expect({ value, counted: counted.length }).toEqual({ value, counted: whole.length - 1 });
      expect(badUsage(transcript)).toMatchObject([
        { count: 1, message: expect.stringContaining(line === null ? 'left out' : `first in line ${line}`) },
      ]);
    }
  });

  it('of a CSV are left out with their line', () => {
    const csv =
      'time,model,input,cached,output\n1,m,100,10,1\n2,m,1e308,100,1\n3,m,300,200,-4\n4,m,400,200,4\n';
    const transcript = readAny(Buffer.from(csv), { id: 'x.csv' });
    expect(callsIn(transcript)).toHaveLength(2);
    expect(badUsage(transcript)).toMatchObject([
      { count: 2, message: expect.stringContaining('first in line 3') },
    ]);
  });

  it('20,000,000 tokens are a request, one more is none', () => {
    const withTokens = (count: number) =>
      readAny(Buffer.from(damaged(ROWS, 'input', 1, String(count))), { id: 'x.jsonl' });
    expect(badUsage(withTokens(20_000_000))).toEqual([]);
    expect(badUsage(withTokens(20_000_001))).toHaveLength(1);
  });

  it('a time after the year 2099 is none', () => {
    const late = CLAUDE.replaceAll('2026-01-02T00:00:03', '9999-01-02T00:00:03');
    const calls = callsIn(readAny(Buffer.from(late), { id: 'x.jsonl' }));
    // Two seconds after the first line, as the line before it says.
    expect(calls.map(({ endMs }) => endMs)).toEqual([1_000, 2_000]);
  });

  it.skipIf(!sharedData.present).each(['claude-code', 'codex', 'gemini-cli', 'pi'])(
    'damage anywhere in a recording of %s leaves no absurd usage',
    (agent) => {
      const files = sharedData.files(`transcripts/${agent}`).filter((file) => file.endsWith('.gz'));
      const texts = files.map((file) => gunzipSync(sharedData.read(file.slice(sharedData.path('').length))));
      const text = texts.sort((a, b) => a.length - b.length)[0]!.toString();
      const counts = [...text.matchAll(/"(?:[a-z_]*tokens|input|output|cached|cacheRead)"\s*:\s*\d+/g)];
      expect(counts.length).toBeGreaterThan(0);
      const property = fc.property(fc.nat(counts.length - 1), fc.constantFrom(...ABSURD), (at, value) => {
        const [whole] = counts[at]!;
        const index = counts[at]!.index;
        const bad = `${text.slice(0, index)}${whole.replace(/\d+$/, value)}${text.slice(index + whole.length)}`;
        expectSound(readAny(Buffer.from(bad), { id: 'x.jsonl' }));
      });
      fc.assert(property, { numRuns: 10 });
    },
  );
});
