import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { promptTokens } from '../../../src/core/model/usage.js';
import { requestRowsReader } from '../../../src/transcripts/readers/request-rows.js';
import { countTranscript } from '../../helpers/recordings/count-raw.js';
import { callsIn, eventsIn, warningCodes } from '../../helpers/session.js';

function read(text: string): Transcript {
  return requestRowsReader.read(Buffer.from(text), { id: 'rows' });
}

const CSV = `# what a gateway logged
time,session,model,input,cached,written,output,provider
2026-01-01T00:00:00Z,s1,gpt-5.6,10000,0,9984,100,openai
2026-01-01T00:00:20Z,s1,gpt-5.6,12000,9984,1920,200,openai
`;

describe('table of requests', () => {
  it('knows CSV by its header and JSON lines by their members', () => {
    expect(requestRowsReader.detect!(CSV)).toBe(true);
    expect(requestRowsReader.detect!('{"time":1,"model":"m","input":5,"cached":0}\n')).toBe(true);
    expect(requestRowsReader.detect!('time,price\n1,2\n')).toBe(false);
  });

  it('takes what was read and written out of the input', () => {
    const transcript = read(CSV);
    expect(callsIn(transcript).map(({ usage }) => usage)).toEqual([
      { input: 16, cacheRead: 0, cacheWrite5m: 9_984, cacheWrite1h: 0, output: 100 },
      { input: 96, cacheRead: 9_984, cacheWrite5m: 1_920, cacheWrite1h: 0, output: 200 },
    ]);
    expect(transcript).toMatchObject({ provider: 'openai', source: 'request-rows' });
    expect(transcript.carries).toEqual(['timestamps', 'usage', 'cache-writes', 'output-tokens']);
  });

  it('adds what was read and written to fresh tokens', () => {
    const [call] = callsIn(read('time,model,fresh,cached,written,output\n1767225600,m,16,1000,200,5\n'));
    expect(promptTokens(call!.usage!)).toBe(1_216);
    expect(call!.usage).toMatchObject({ input: 16, cacheRead: 1_000, cacheWrite5m: 200 });
  });

  it('reads the same from JSON lines, with times in seconds, milliseconds or words', () => {
    const json = [
      {
        time: 1_767_225_600,
        session: 's1',
        model: 'gpt-5.6',
        input: 10_000,
        cached: 0,
        written: 9_984,
        output: 100,
        provider: 'openai',
      },
      {
        time: 1_767_225_620_000,
        session: 's1',
        model: 'gpt-5.6',
        input: 12_000,
        cached: 9_984,
        written: 1_920,
        output: 200,
        provider: 'openai',
      },
    ];
    expect(read(json.map((row) => JSON.stringify(row)).join('\n'))).toEqual(read(CSV));
  });

  it('sizes every prompt to the token, without content', () => {
    const { prefix, steps } = read(CSV).threads[0]!;
    let tokens = prefix.reduce((sum, block) => sum + block.tokens, 0);
    for (const step of steps) {
      if (step.kind === 'call') expect(tokens).toBe(promptTokens(step.call.usage!));
      const message =
        step.kind === 'call' ? step.call.response : step.kind === 'message' ? step.message : null;
      for (const block of message?.blocks ?? []) tokens += block.tokens;
    }
    expect(tokens).toBe(12_200);
  });

  it('tells pieces apart whose content nobody knows', () => {
    const rows = 'time,model,input,cached,output\n0,m,1000,0,10\n20,m,2000,0,10\n40,m,3000,0,10\n';
    const blocks = read(rows).threads[0]!.steps.flatMap((step) =>
      step.kind === 'message' ? step.message.blocks : step.kind === 'call' ? step.call.response.blocks : [],
    );
    expect(new Set(blocks.map(({ digest }) => digest)).size).toBe(blocks.length);
  });

  it('keeps unknown apart from nothing', () => {
    const transcript = read(
      'time,model,input,cached,written,output\n0,m,1000,,,10\n20,m,1100,512,,10\n40,m,1200,512,,\n',
    );
    const [first, second, third] = callsIn(transcript);
    expect(first!.usage).toBeNull();
    expect(second!.usage).toMatchObject({ input: 588, cacheWrite5m: 0 });
    expect(third!.outputIsPlaceholder).toBe(true);
    expect(transcript.carries).not.toContain('cache-writes');
    expect(read('time,model,input,cached,written\n0,m,1000,0,0\n').carries).toContain('cache-writes');
  });

  it('makes a thread of each session and of each thread in it, the earliest first', () => {
    const transcript = read(`time,ended,session,thread,model,input,cached,output
100,110,"b, later",,m,1000,0,10
0,10,a,,m,1000,0,10
20,25,a,search,m,500,0,10
30,35,a,,m,1100,512,10
40,45,alone,sub,m,300,0,10
`);
    expect(transcript.threads.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['a', null],
      ['a/search', 'a'],
      ['alone/sub', null],
      ['b, later', null],
    ]);
    const starts = callsIn(transcript).map(({ startMs, endMs }) => [startMs, endMs]);
    expect(starts).toEqual([
      [0, 10_000],
      [30_000, 35_000],
      [20_000, 25_000],
      [40_000, 45_000],
      [100_000, 110_000],
    ]);
    expect(transcript.carries).toEqual(expect.arrayContaining(['subagents', 'latency']));
  });

  it('goes back to where the ids of a prefix part, and takes a much shorter prompt for a compaction', () => {
    const rows = `time,model,input,cached,output,prefix
0,m,4000,0,0,a b c d
20,m,6000,4000,0,a b c d e f
40,m,6500,4000,0,a b c d x y z
60,m,1000,0,0,a n
80,m,900,0,0,o
`;
    const found = eventsIn(read(rows));
    expect(found.map(({ kind }) => kind)).toEqual(['rewind', 'recorded-compaction', 'rewind']);
    expect(found[0]).toMatchObject({ at: 40_000, lastId: expect.stringMatching(/^response-/) });
    expect(found[1]).toMatchObject({ preTokens: 6_500, postTokens: 1_000 });
    expect(found[2]).toMatchObject({ lastId: null });
    const blind = eventsIn(read(rows.replaceAll(/,[a-z ]+$/gm, ',')));
    expect(blind).toMatchObject([{ kind: 'recorded-compaction', preTokens: 6_500, postTokens: 1_000 }]);
  });

  it('counts a row once, skips what is none, and leaves out a row that is cut', () => {
    const transcript = read(`${CSV}${CSV.split('\n')[2]}\nx,s1,m,many,0,0,1,o\n2026-01-01T00:01:00Z,s1,gp`);
    expect(countTranscript(transcript)).toMatchObject({ calls: 2, prompt: 22_000, cached: 9_984 });
    expect(warningCodes(transcript)).toEqual(
      expect.arrayContaining(['repeated-rows', 'broken-lines', 'truncated-file']),
    );
  });

  it('never runs backwards, and says when no row is usable', () => {
    const [first, second] = callsIn(read('time,model,input,cached\n100,m,1000,0\n50,m,1100,512\n'));
    expect(second!.startMs).toBeGreaterThanOrEqual(first!.endMs);
    expect(() => read('time,model,input,cached\n')).toThrow(/without a response/);
  });
});
