import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import { promptTokens } from '../../../../src/core/model/usage.js';
import { recordedBill } from '../../../../src/provider/prices/recorded-bill.js';
import { compileTranscript } from '../../../../src/transcripts/compiled/compile-transcript.js';
import { loadCompiled } from '../../../../src/transcripts/compiled/load-compiled.js';
import { codexReader } from '../../../../src/transcripts/readers/codex/read.js';
import { countRollout, countTranscript } from '../../../helpers/recordings/count-raw.js';
import {
  call,
  count,
  event,
  item,
  line,
  meta,
  type Payload,
  raw,
  read,
  result,
  say,
  turn,
} from '../../../helpers/recordings/rollout.js';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { callsIn, eventsIn, warningCodes } from '../../../helpers/session.js';

function orderOf({ threads }: Transcript): readonly string[] {
  return threads[0]!.steps.map((step) =>
    step.kind === 'call' ? 'call' : step.kind === 'event' ? step.event.kind : step.message.origin,
  );
}

const START = [meta(0), turn(0), say(1, 'user', 'list the files')];
const SHORT = [
  ...START,
  item(2, 'reasoning', { summary: [], encrypted_content: 'xxxx' }),
  call(3, 'c1'),
  result(4, 'c1'),
  count(4, 1_000, { input: 1_000, cached: 256, output: 50, reasoning: 20 }),
  say(6, 'assistant', 'one file'),
  count(6, 2_200, { input: 1_200, cached: 1_024, output: 30 }),
];

describe('Codex rollout', () => {
  it('knows its files by their first lines, packed or not', () => {
    expect(codexReader.detect!(SHORT.join('\n'))).toBe(true);
    expect(codexReader.detect!('{"type":"session","id":"a","cwd":"/x"}\n')).toBe(false);
    expect(
      codexReader.detect!(
        `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"t":"${'x'.repeat(9)}`,
      ),
    ).toBe(true);
    const packed = codexReader.read(gzipSync(SHORT.join('\n')), { id: 'packed' });
    expect(callsIn(packed)).toHaveLength(2);
  });

  it('takes what was read out of the input, which includes it', () => {
    const [first, second] = callsIn(read(SHORT));
    expect(first!.usage).toEqual({
      input: 744,
      cacheRead: 256,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output: 50,
    });
    expect(second!.usage).toMatchObject({ input: 176, cacheRead: 1_024, output: 30 });
    expect(read(SHORT).carries).not.toContain('cache-writes');
  });

  it('takes what was written out of the input as well, where the provider tells it', () => {
    const transcript = read([
      ...START,
      say(2, 'assistant', 'yes'),
      count(2, 9, { input: 900, cached: 512, written: 300 }),
    ]);
    expect(callsIn(transcript)[0]!.usage).toMatchObject({ input: 88, cacheRead: 512, cacheWrite5m: 300 });
    expect(transcript.carries).toContain('cache-writes');
  });

  it('puts results behind the response that asked for them, whichever line comes first', () => {
    expect(orderOf(read(SHORT)).slice(-4)).toEqual(['human', 'call', 'tool', 'call']);
    const late = [
      ...START,
      call(3, 'c1'),
      count(3, 9, { input: 900 }),
      result(4, 'c1'),
      say(5, 'assistant', 'done'),
      count(5, 99, { input: 1_000 }),
    ];
    expect(orderOf(read(late)).slice(-4)).toEqual(['human', 'call', 'tool', 'call']);
    const [response] = callsIn(read(late));
    expect(response!.response.blocks[0]).toMatchObject({ kind: 'tool_use', tool: 'shell', toolUseId: 'c1' });
    const tool = read(late).threads[0]!.steps.find(
      (step) => step.kind === 'message' && step.message.origin === 'tool',
    );
    expect(tool).toMatchObject({
      message: { blocks: [{ kind: 'tool_result', tool: 'shell', toolUseId: 'c1' }] },
    });
  });

  it('takes model and effort from the turn, version and provider from the session', () => {
    const transcript = read([
      meta(0, { model_provider: 'azure' }),
      turn(0, 'gpt-5.4', 'low'),
      say(1, 'user', 'a'),
      say(2, 'assistant', 'b'),
      count(2, 1, { input: 100 }),
      turn(3, 'gpt-5.5', 'xhigh'),
      say(3, 'user', 'c'),
      say(4, 'assistant', 'd'),
      count(4, 2, { input: 200 }),
    ]);
    expect(transcript).toMatchObject({ source: 'codex', agentVersion: '0.150.0', provider: 'azure' });
    expect(callsIn(transcript).map(({ model, effort }) => [model, effort])).toEqual([
      ['gpt-5.4', 'low'],
      ['gpt-5.5', 'xhigh'],
    ]);
    expect(eventsIn(transcript)).toMatchObject([{ kind: 'model-switch', model: 'gpt-5.5' }]);
  });

  it('tells what the user typed from what the client says in their name', () => {
    const transcript = read([
      meta(0),
      say(0, 'developer', '<permissions instructions>'),
      say(0, 'user', '<environment_context>\n  <cwd>/x</cwd>'),
      say(0, 'user', '# AGENTS.md instructions for /x'),
      ...START.slice(1),
      say(2, 'user', '<turn_aborted>\nThe user interrupted'),
      say(3, 'assistant', 'done'),
      count(3, 1, { input: 900 }),
    ]);
    expect(orderOf(transcript).filter((each) => each !== 'context')).toEqual([
      'attachment',
      'attachment',
      'attachment',
      'human',
      'meta',
      'call',
    ]);
  });

  it('counts a call once per change of the sums, and no call where there are no sums', () => {
    const again = [
      ...SHORT,
      count(7, 2_200, { input: 1_200 }),
      event(8, 'token_count', { info: null, rate_limits: {} }),
    ];
    expect(callsIn(read(again))).toHaveLength(2);
  });

  it('counts copied lines once: items by id, calls by the sums they led to', () => {
    const [, , , thought, made, came, counted] = SHORT;
    const transcript = read([...SHORT, thought!, made!, came!, counted!, event(9, 'task_started')]);
    const tools = callsIn(transcript).flatMap(({ response }) =>
      response.blocks.filter(({ kind }) => kind === 'tool_use'),
    );
    expect(tools).toHaveLength(1);
    expect(countTranscript(transcript)).toMatchObject({ calls: 2, prompt: 2_200 });
  });

  it('says that the calls of a fork carry the time of the copy', () => {
    const transcript = read([
      meta(0, { forked_from_id: 'p' }),
      meta(0, { id: 'p' }),
      ...SHORT.slice(1).map((text) => text.replace(/T00:00:0[0-4]/, 'T00:00:00')),
    ]);
    expect(transcript.warnings.find(({ code }) => code === 'copied-calls')).toMatchObject({
      count: 1,
      message: expect.stringContaining('session p'),
    });
    expect(warningCodes(read(SHORT))).not.toContain('copied-calls');
  });

  describe('compactions', () => {
    const compacted = (second: number, more: Payload = {}) =>
      line(second, 'compacted', {
        message: '',
        replacement_history: [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'list the files' }] },
          { type: 'compaction', encrypted_content: 'xxxx' },
        ],
        ...more,
      });
    const AFTER = [
      event(20, 'token_count', {
        info: {
          total_token_usage: raw({ input: 2_200 }),
          last_token_usage: { ...raw({ input: 0, output: 0 }), total_tokens: 400 },
        },
      }),
      say(25, 'assistant', 'on'),
      count(25, 2_700, { input: 500, cached: 128 }),
    ];

    it('keep their sizes, the time they took and the messages that stay; sealed summaries are unknown', () => {
      const transcript = read([...SHORT, compacted(16), ...AFTER]);
      const [found] = eventsIn(transcript);
      expect(found).toMatchObject({
        kind: 'recorded-compaction',
        trigger: 'auto',
        preTokens: 1_230,
        postTokens: 400,
        durationMs: 10_000,
        summary: null,
      });
      const human = transcript.threads[0]!.steps.find(
        (step) => step.kind === 'message' && step.message.origin === 'human',
      );
      expect(found).toMatchObject({ keptIds: [human!.kind === 'message' ? human!.message.id : ''] });
      expect(countTranscript(transcript)).toMatchObject({ calls: 3, compactions: 1 });
    });

    it('have the text of a summary that was written in the open', () => {
      const history = [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'So far: one file.' }] },
      ];
      const transcript = read([
        ...SHORT,
        compacted(16, { message: 'one file.', replacement_history: history }),
        ...AFTER,
      ]);
      const [found] = eventsIn(transcript);
      expect(found?.kind === 'recorded-compaction' && found.summary?.blocks[0]?.text?.read()).toBe(
        'one file.',
      );
    });

    it('are by hand when the turn holds nothing else', () => {
      const transcript = read([
        ...SHORT,
        event(12, 'task_started'),
        compacted(16),
        event(17, 'task_complete'),
        event(19, 'task_started'),
        say(19, 'user', 'go on'),
        ...AFTER.slice(1),
      ]);
      expect(eventsIn(transcript)[0]).toMatchObject({ trigger: 'manual', durationMs: 4_000 });
    });

    it('are automatic at the start of a turn that goes on', () => {
      const transcript = read([
        ...SHORT,
        event(12, 'task_started'),
        compacted(16),
        say(17, 'user', 'go on'),
        ...AFTER.slice(1),
        event(26, 'task_complete'),
      ]);
      expect(eventsIn(transcript)[0]).toMatchObject({ trigger: 'auto' });
    });

    it('name the calls that the totals leave out, or add them where their usage is recorded', () => {
      expect(warningCodes(read([...SHORT, compacted(16), ...AFTER]))).toContain('compaction-calls-missing');
      const record = line(16, 'token_usage_record', {
        response_id: 'r9',
        usage: raw({ input: 1_300, cached: 1_152, output: 200 }),
      });
      const added = read([...SHORT, record, compacted(16, { compaction_response_id: 'r9' }), ...AFTER]);
      expect(warningCodes(added)).not.toContain('compaction-calls-missing');
      expect(countTranscript(added)).toMatchObject({
        calls: 4,
        prompt: 1_000 + 1_200 + 1_300 + 500,
        output: 50 + 30 + 200 + 10,
      });
      const other = read([...SHORT, record, compacted(16, { compaction_response_id: 'r8' }), ...AFTER]);
      expect(countTranscript(other)).toMatchObject({ calls: 3 });
      // What a bill leaves out are the summaries that no call of the thread made.
      expect([added, other].map((each) => recordedBill(each)?.summaries)).toEqual([1, 0]);
    });
  });

  describe('R5 the summary call of Codex 0.169, which is in the rollout itself', () => {
    const usage = { input: 1_300, cached: 1_152, output: 200 };
    const record = line(15, 'token_usage_record', { response_id: 'r9', usage: raw(usage) });
    const compaction = line(16, 'compacted', {
      message: 'so far: one file',
      replacement_history: [],
      compaction_response_id: 'r9',
    });
    const summary = [say(15, 'assistant', 'so far: one file'), count(15, 3_500, usage), record, compaction];
    const after = [say(25, 'assistant', 'on'), count(25, 4_000, { input: 500, cached: 128 })];

    it('is counted once', () => {
      const transcript = read([...SHORT, ...summary, ...after]);
      expect(countTranscript(transcript)).toMatchObject({
        calls: 4,
        compactions: 1,
        prompt: 1_000 + 1_200 + 1_300 + 500,
        output: 50 + 30 + 200 + 10,
      });
      expect(warningCodes(transcript)).not.toContain('compaction-calls-missing');
      expect(eventsIn(transcript)).toMatchObject([{ trigger: 'auto', preTokens: 1_230, durationMs: 10_000 }]);
      expect(recordedBill(transcript)?.summaries).toBe(1);
    });

    it('does not make a compaction by hand one of the client', () => {
      const started = event(12, 'task_started');
      const done = event(17, 'task_complete');
      const next = event(19, 'task_started');
      const transcript = read([
        ...SHORT,
        started,
        ...summary,
        done,
        next,
        say(20, 'user', 'go on'),
        ...after,
      ]);
      expect(eventsIn(transcript)[0]).toMatchObject({ trigger: 'manual', durationMs: 4_000 });
      expect(countTranscript(transcript)).toMatchObject({ calls: 4 });
    });
  });

  it('goes back where the user took turns back', () => {
    const transcript = read([
      ...SHORT,
      say(7, 'user', 'wrong way'),
      say(8, 'assistant', 'hm'),
      count(8, 3_500, { input: 1_300 }),
      event(9, 'thread_rolled_back', { num_turns: 1 }),
      say(10, 'user', 'this way'),
      say(11, 'assistant', 'ok'),
      count(11, 4_700, { input: 1_250 }),
    ]);
    const last = callsIn(transcript)[1]!;
    expect(eventsIn(transcript)).toMatchObject([{ kind: 'rewind', lastId: last.response.id }]);
  });

  describe('bad input', () => {
    it('leaves out a last line that is half written', () => {
      const transcript = read([...SHORT, SHORT[4]!.slice(0, 60)], '');
      expect(callsIn(transcript)).toHaveLength(2);
      expect(warningCodes(transcript)).toContain('truncated-file');
      expect(
        warningCodes(read([...SHORT, event(9, 'agent_message', { message: 'x' }).slice(0, -2)], '')),
      ).toContain('truncated-file');
    });

    it('reads objects that stand on one line, behind an event for the terminal too', () => {
      const [one, ...rest] = SHORT.slice(3);
      const transcript = read([...START, event(2, 'agent_message', { message: 'x' }) + one!, ...rest]);
      expect(callsIn(transcript)[0]!.response.blocks[0]).toMatchObject({ kind: 'thinking' });
    });

    it('keeps a response that was never counted, with its usage unknown', () => {
      const transcript = read([
        ...SHORT,
        say(7, 'user', 'more'),
        say(8, 'assistant', 'well'),
        event(9, 'turn_aborted'),
        event(10, 'task_started'),
        say(10, 'user', 'again'),
        say(11, 'assistant', 'here'),
        count(11, 3_500, { input: 1_300 }),
      ]);
      expect(callsIn(transcript).map(({ usage }) => usage === null)).toEqual([false, false, true, false]);
      expect(warningCodes(transcript)).toContain('no-usage');
    });

    it('never runs backwards in time', () => {
      const transcript = read([
        ...START,
        say(100, 'assistant', 'a'),
        count(100, 1, { input: 900 }),
        say(50, 'user', 'b'),
        say(60, 'assistant', 'c'),
        count(60, 2, { input: 950 }),
      ]);
      const [first, second] = callsIn(transcript);
      expect(second!.startMs).toBeGreaterThanOrEqual(first!.endMs);
      expect(second!.endMs).toBeGreaterThanOrEqual(second!.startMs);
    });

    it('refuses a rollout without a response', () => {
      expect(() => read(START)).toThrow(/without a response/);
    });

    it('says what to do about zstd that this Node cannot unpack, and reads it elsewhere', () => {
      const text = Buffer.from(`${SHORT.join('\n')}\n`);
      // one raw block behind a header with the size in four bytes (RFC 8878)
      const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
      header.writeUInt32LE(text.length, 5);
      header.writeUIntLE(text.length * 8 + 1, 9, 3);
      const packed = Buffer.concat([header, text]);
      const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
      if (major > 23 || (major === 23 && minor >= 8) || (major === 22 && minor >= 15))
        expect(callsIn(codexReader.read(packed, { id: 'z' }))).toHaveLength(2);
      else
        expect(() => codexReader.read(packed, { id: 'z' })).toThrow(
          expect.objectContaining({
            code: 'not-supported',
            hint: expect.stringMatching(/zstd -d.*Node 22\.15/),
          }),
        );
    });
  });

  it('comes back whole from its compiled form', () => {
    const transcript = read(SHORT);
    const loaded = loadCompiled(compileTranscript(transcript), {
      id: 'rollout',
      source: () => ({ read: () => new Uint8Array() }),
    });
    expect(countTranscript(loaded!)).toEqual(countTranscript(transcript));
    expect(loaded).toMatchObject({ provider: 'openai', carries: transcript.carries });
  });

  it.skipIf(!sharedData.present).each(['more/codex', 'transcripts/codex'])(
    'counts every shared rollout of %s as its raw lines do',
    (folder) => {
      const files = sharedData.files(folder);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const transcript = codexReader.read(readFileSync(file), { id: file });
        expect([file, countTranscript(transcript)]).toEqual([file, countRollout(file)]);
        expect(transcript.carries).toEqual(expect.arrayContaining(['usage', 'timestamps', 'tools', 'text']));
      }
    },
  );

  it.skipIf(!sharedData.present)('sizes recorded prompts to the token where nothing was dropped', () => {
    const file = sharedData.files('more/codex').find((path) => path.includes('0.118.0-019d7dbf'))!;
    const { threads } = codexReader.read(readFileSync(file), { id: file });
    const { prefix, steps } = threads[0]!;
    let tokens = prefix.reduce((sum, block) => sum + block.tokens, 0);
    for (const step of steps) {
      if (step.kind === 'call') expect(tokens).toBe(promptTokens(step.call.usage!));
      const message =
        step.kind === 'call' ? step.call.response : step.kind === 'message' ? step.message : null;
      for (const block of message?.blocks ?? []) tokens += block.tokens;
    }
  });
});
