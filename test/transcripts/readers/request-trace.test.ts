import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageTokens } from '../../../src/core/model/message.js';
import { isOutputEstimated, outputOf, type Thread } from '../../../src/core/model/transcript.js';
import {
  looksLikeRequestTrace,
  parseRequestTrace,
} from '../../../src/transcripts/readers/request-trace/parse-request-trace.js';
import {
  readRequestTrace,
  transcriptOfTrace,
} from '../../../src/transcripts/readers/request-trace/read-request-trace.js';
import { forAll } from '../../helpers/for-all.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { refusalOf } from '../../helpers/refusal.js';

type Raw = Record<string, unknown>;

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Block ids 1…n, the last `fresh` of them replaced by new ones. */
const ids = (n: number, fresh = 0): number[] =>
  Array.from({ length: n }, (_, i) => (i < n - fresh ? i + 1 : 100_000 + n * 100 + i));

const request = (t: number, tokens: number, out: number, extra: Raw = {}): Raw => ({
  t,
  type: 'n',
  model: 'm',
  in: tokens,
  out,
  hash_ids: ids(Math.floor(tokens / 64)),
  input_types: t === 0 ? ['text'] : ['tool_result'],
  output_types: ['text', 'tool_use'],
  stop: 'tool_use',
  api_time: 2,
  ...extra,
});

const trace = (requests: readonly unknown[], extra: Raw = {}): Raw => ({
  id: 'x',
  block_size: 64,
  tool_tokens: 640,
  system_tokens: 128,
  requests,
  ...extra,
});

/** Prompt sizes a transcript yields: prefix and live messages before each call. */
function promptSizes(thread: Thread): number[] {
  const prefix = thread.prefix.reduce((total, block) => total + block.tokens, 0);
  let live = 0;
  const sizes: number[] = [];
  for (const step of thread.steps) {
    if (step.kind === 'message') live += messageTokens(step.message);
    else if (step.kind === 'call') {
      sizes.push(prefix + live);
      live += messageTokens(step.call.response);
    } else if (step.event.kind === 'recorded-compaction') {
      expect(step.event.keptIds).toEqual([]);
      live = messageTokens(step.event.summary!);
    } else if (step.event.kind === 'clear') live = 0;
  }
  return sizes;
}

function expectPaired(thread: Thread): void {
  const open: string[] = [];
  for (const step of thread.steps) {
    const blocks =
      step.kind === 'message' ? step.message.blocks : step.kind === 'call' ? step.call.response.blocks : [];
    for (const block of blocks) {
      if (block.kind === 'tool_use') open.push(block.toolUseId!);
      if (block.kind === 'tool_result') expect(block.toolUseId).toBe(open.pop());
    }
  }
  expect(open).toEqual([]);
}

const codeOf = (run: () => unknown): [string, string, string | null] => {
  const { code = 'none', message = '', hint = null } = refusalOf(run) ?? {};
  return [code, message, hint];
};

describe('parseRequestTrace', () => {
  it('reads plain and gzip JSON alike', () => {
    const plain = bytes(trace([request(0, 1_000, 10), request(5, 1_200, 20)]));
    expect(parseRequestTrace(gzipSync(plain), { id: 'a' })).toEqual(parseRequestTrace(plain, { id: 'a' }));
    expect(parseRequestTrace(plain, { id: 'a' }).threads[0]!.requests.map((r) => r.startMs)).toEqual([
      0, 5_000,
    ]);
  });

  it('E1 makes a subagent a thread of its own, its times counted from its start', () => {
    const nested = trace([request(0, 900, 5), request(3, 960, 6)], {
      type: 'subagent',
      t: 7,
      agent_id: 'ag',
    });
    const parsed = parseRequestTrace(bytes(trace([request(0, 1_000, 10), nested, { ...nested, t: 20 }])), {
      id: 'a',
    });
    expect(parsed.threads.map((t) => [t.id, t.parentId, t.requests.map((r) => r.startMs)])).toEqual([
      ['main', null, [0]],
      ['ag', 'main', [7_000, 10_000]],
      ['ag-2', 'main', [20_000, 23_000]],
    ]);
  });

  it('leaves out requests whose numbers cannot be right, and counts them', () => {
    const bad = [
      { in: -5 },
      { in: 1e15 },
      { out: -1 },
      { t: -3 },
      { t: 1e18 },
      { hash_ids: [1, -2] },
      { hash_ids: 'no' },
    ].map((extra) => request(1, 1_000, 5, extra));
    const parsed = parseRequestTrace(
      bytes(trace([request(0, 1_000, 10), ...bad, null, 7, request(9, 1_100, 3)])),
      {
        id: 'a',
      },
    );
    expect(parsed.threads[0]!.requests).toHaveLength(2);
    expect(parsed.warnings.reduce((total, warning) => total + warning.count, 0)).toBe(9);
  });

  it('counts a request that goes back in time as one without a gap', () => {
    const parsed = parseRequestTrace(
      bytes(trace([request(0, 1_000, 1), request(9, 1_000, 1), request(4, 1_000, 1)])),
      {
        id: 'a',
      },
    );
    expect(parsed.threads[0]!.requests.map((r) => r.startMs)).toEqual([0, 9_000, 9_000]);
    expect(parsed.warnings[0]!.code).toBe('trace-time-backwards');
  });

  it('tells block ids apart that do not fit 32 bits', () => {
    const large = [2 ** 33, 2 ** 40, 2 ** 33, 5];
    const [kept] = parseRequestTrace(bytes(trace([request(0, 256, 1, { hash_ids: large })])), {
      id: 'a',
    }).threads;
    const packed = [...kept!.requests[0]!.hashIds];
    expect(packed[0]).toBe(packed[2]);
    expect(new Set(packed).size).toBe(3);
  });

  it('says what is wrong with a file, and a way out', () => {
    const good = bytes(trace([request(0, 1_000, 10)]));
    const zipped = gzipSync(good);
    const cases: [Uint8Array, string][] = [
      [new Uint8Array(), 'empty'],
      [good.subarray(0, good.length - 20), 'truncated'],
      [zipped.subarray(0, zipped.length - 12), 'truncated'],
      [new Uint8Array([0x1f, 0x8b, 9, 9, 9, 9]), 'cannot be unpacked'],
      [new Uint8Array([1, 0, 2, 0, 255]), 'binary'],
      [new TextEncoder().encode('hello'), 'not valid JSON'],
      [bytes([1, 2]), 'not one object'],
      [bytes({ block_size: 64 }), 'requests'],
      [bytes({ requests: [] }), 'block_size'],
      [bytes(trace([])), 'no usable request'],
    ];
    for (const [input, words] of cases) {
      const [code, message, hint] = codeOf(() => parseRequestTrace(input, { id: 'f.json' }));
      expect([code, message]).toEqual(['bad-transcript', expect.stringContaining(words)]);
      expect(hint).not.toBeNull();
    }
  });

  it('never fails otherwise than with an explanation', () => {
    forAll(fc.oneof(fc.json(), fc.string()), (text) => {
      const [code] = codeOf(() => parseRequestTrace(new TextEncoder().encode(text), { id: 'f' }));
      expect(code).toBe('bad-transcript');
    });
  });

  it('is recognised by its head', () => {
    expect(looksLikeRequestTrace(JSON.stringify(trace([request(0, 9_000, 1)])).slice(0, 2_000))).toBe(true);
    expect(looksLikeRequestTrace('{"type":"user","message":{}}\n{"type":"assistant"}')).toBe(false);
    expect(looksLikeRequestTrace('[{"hash_ids":[]}]')).toBe(false);
  });
});

describe('readRequestTrace', () => {
  it('turns growth into a response and a result, exactly as large as recorded', () => {
    const [thread] = readRequestTrace(bytes(trace([request(0, 1_000, 50), request(5, 1_300, 500)])), {
      id: 'a',
    }).threads;
    expect(thread!.prefix.map((block) => [block.role, block.tokens])).toEqual([
      ['tools', 640],
      ['system', 128],
    ]);
    const sizes = thread!.steps.map((step) =>
      step.kind === 'message' ? [step.message.origin, messageTokens(step.message)] : [step.kind],
    );
    expect(sizes).toEqual([['human', 232], ['call'], ['tool', 250], ['call']]);
    expect(promptSizes(thread!)).toEqual([1_000, 1_300]);
  });

  it('bills the output that is recorded, also where less of it comes back in the next prompt', () => {
    const [thread] = readRequestTrace(bytes(trace([request(0, 1_000, 847), request(5, 1_149, 30)])), {
      id: 'a',
    }).threads;
    const calls = thread!.steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
    expect(calls.map((call) => [outputOf(call), messageTokens(call.response)])).toEqual([
      [847, 149],
      [30, 30],
    ]);
    expect(calls.some(isOutputEstimated)).toBe(false);
    expect(promptSizes(thread!)).toEqual([1_000, 1_149]);
  });

  it('takes a prompt more than twice as long that shares nothing with the one before for another conversation', () => {
    const other = Array.from({ length: 500 }, (_, i) => 900_000 + i);
    const [thread] = readRequestTrace(
      bytes(
        trace([
          request(0, 2_000, 50),
          request(5, 2_300, 60),
          request(3_600, 32_000, 100, { hash_ids: other }),
          request(3_700, 32_400, 10, { hash_ids: [...other, 950_000, 950_001, 950_002, 950_003] }),
        ]),
      ),
      { id: 'a' },
    ).threads;
    expect(promptSizes(thread!)).toEqual([2_000, 2_300, 32_000, 32_400]);
    expect(thread!.steps.flatMap((step) => (step.kind === 'event' ? [step.event.kind] : []))).toEqual([
      'prefix-change',
      'clear',
    ]);
    expectPaired(thread!);
    // A smaller one is what is left of the conversation.
    const [smaller] = readRequestTrace(
      bytes(trace([request(0, 9_000, 50), request(5, 2_300, 60, { hash_ids: other.slice(0, 35) })])),
      { id: 'a' },
    ).threads;
    expect(smaller!.steps.some((step) => step.kind === 'event' && step.event.kind === 'clear')).toBe(false);
  });

  it('gives a response no more than the prompt grew by', () => {
    const [thread] = readRequestTrace(bytes(trace([request(0, 1_000, 900), request(5, 1_300, 1)])), {
      id: 'a',
    }).threads;
    const call = thread!.steps.find((step) => step.kind === 'call')!;
    expect(messageTokens(call.call.response)).toBe(300);
    expect([call.call.startMs, call.call.endMs, call.call.usage]).toEqual([0, 2_000, null]);
  });

  it('E1 shows a dropped prompt as a compaction that keeps the recorded size', () => {
    const requests = [
      request(0, 20_000, 50),
      request(5, 21_000, 50),
      request(200, 4_000, 5, { hash_ids: ids(62, 50) }),
    ];
    const [thread] = readRequestTrace(bytes(trace(requests)), { id: 'a' }).threads;
    const events = thread!.steps.flatMap((step) => (step.kind === 'event' ? [step.event] : []));
    expect(events).toMatchObject([
      { kind: 'recorded-compaction', at: 200_000, preTokens: 21_050, postTokens: 4_000 },
    ]);
    expect(promptSizes(thread!)).toEqual([20_000, 21_000, 4_000]);
  });

  it('takes a prompt rewritten in the middle for a compaction too, and says that tools changed', () => {
    const requests = [
      request(0, 20_000, 50),
      request(5, 21_000, 50, { hash_ids: ids(328, 327), model: 'other' }),
    ];
    const [thread] = readRequestTrace(bytes(trace(requests)), { id: 'a' }).threads;
    const kinds = thread!.steps.flatMap((step) => (step.kind === 'event' ? [step.event.kind] : []));
    expect(kinds).toEqual(['model-switch', 'prefix-change', 'recorded-compaction']);
    expect(promptSizes(thread!)).toEqual([20_000, 21_000]);
  });

  it.each([
    // 640 tokens of tools are ten blocks, 128 of the system prompt two more.
    ['tools', 9],
    ['system', 10],
    ['system', 11],
    [null, 12],
  ])('E1 says that %s changed when %i blocks are the same', (what, same) => {
    const requests = [request(0, 20_000, 50), request(5, 21_000, 50, { hash_ids: ids(328, 328 - same) })];
    const [thread] = readRequestTrace(bytes(trace(requests)), { id: 'a' }).threads;
    const changed = thread!.steps.flatMap((step) =>
      step.kind === 'event' && step.event.kind === 'prefix-change' ? [step.event.what] : [],
    );
    expect(changed).toEqual(what === null ? [] : [what]);
  });

  it('keeps prompt sizes and pairs of tool calls for any sequence of requests', () => {
    const anyRequest = fc.record({
      grow: fc.integer({ min: -40_000, max: 40_000 }),
      out: fc.integer({ min: 0, max: 9_000 }),
      fresh: fc.integer({ min: 0, max: 300 }),
      kinds: fc.subarray(['text', 'tool_result', 'tool_use', 'thinking']),
      wait: fc.nat(9_000),
    });
    forAll(fc.array(anyRequest, { minLength: 1, maxLength: 12 }), (list) => {
      let size = 10_000;
      let t = 0;
      const requests = list.map(({ grow, out, fresh, kinds, wait }) => {
        size = Math.max(1, size + grow);
        t += wait;
        const blocks = Math.floor(size / 64);
        return request(t, size, out, {
          hash_ids: ids(blocks, Math.min(fresh, blocks)),
          input_types: kinds,
        });
      });
      const [thread] = readRequestTrace(bytes(trace(requests)), { id: 'a' }).threads;
      expect(promptSizes(thread!)).toEqual(requests.map((item) => item.in));
      expectPaired(thread!);
    });
  });
});

describe.skipIf(!sharedData.present)('recorded request traces', () => {
  const files = sharedData.files('kv-cache-tester');

  it('E1 rebuilds the recorded size of every prompt, pairs tool calls, and never goes back in time', () => {
    expect(files.length).toBeGreaterThan(0);
    let requests = 0;
    for (const file of files) {
      const parsed = parseRequestTrace(readFileSync(file), { id: basename(file, '.json.gz') });
      expect(parsed.warnings.map(({ code }) => code)).not.toContain('trace-request-left-out');
      const transcript = transcriptOfTrace(parsed);
      for (const [i, thread] of transcript.threads.entries()) {
        const recorded = parsed.threads[i]!.requests;
        expect(promptSizes(thread)).toEqual(recorded.map((item) => item.promptTokens));
        expectPaired(thread);
        const times = thread.steps.flatMap((step) =>
          step.kind === 'call'
            ? [step.call.startMs, step.call.endMs]
            : step.kind === 'event'
              ? [step.event.at]
              : [],
        );
        expect(times.every((time, k) => k === 0 || time >= times[k - 1]!)).toBe(true);
        requests += recorded.length;
      }
    }
    expect(requests).toBe(2_948);
  });

  it('E1 finds the large drops of the prompt: in the median from above 100 K to below 60 K', () => {
    const drops: [number, number][] = [];
    for (const file of files) {
      for (const thread of readRequestTrace(readFileSync(file), { id: 'x' }).threads) {
        for (const step of thread.steps) {
          if (step.kind !== 'event' || step.event.kind !== 'recorded-compaction') continue;
          const { preTokens, postTokens } = step.event;
          if (postTokens! < preTokens! / 2) drops.push([preTokens!, postTokens!]);
        }
      }
    }
    const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;
    expect(drops.length).toBeGreaterThan(8);
    expect(median(drops.map(([before]) => before))).toBeGreaterThan(100_000);
    expect(median(drops.map(([, after]) => after))).toBeLessThan(60_000);
  });
});
