import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readClaudeCode, readClaudeCodeFiles } from '../../../../src/transcripts/readers/claude-code/read.js';
import {
  ask,
  assistant,
  attachment,
  callsOf,
  eventsOf,
  firstThread,
  jsonl,
  messagesOf,
  outline,
  readSession,
  result,
  say,
  stamp,
  system,
  threadOf,
  usage,
  user,
  warningCodes,
} from '../../../helpers/session.js';

describe('responses', () => {
  it('makes one call of the lines that share a message id, with the usage of the largest output', () => {
    const transcript = readSession([
      user('u1', 0, 'go'),
      assistant('a1', 2, 'm1', [{ type: 'thinking', thinking: '', signature: 'sig' }], {
        usage: usage(3, 20, 77, 1),
        stop_reason: null,
      }),
      assistant('a2', 3, 'm1', say('hello'), { usage: usage(3, 20, 77, 1), stop_reason: null }),
      assistant('a3', 5, 'm1', ask('t1'), { usage: usage(3, 20, 77, 42), stop_reason: 'tool_use' }),
    ]);
    const calls = callsOf(firstThread(transcript));
    expect(calls).toHaveLength(1);
    expect(calls[0]!.response.blocks.map((block) => block.kind)).toEqual(['thinking', 'text', 'tool_use']);
    expect(calls[0]!.usage).toEqual({
      input: 3,
      cacheRead: 20,
      cacheWrite5m: 0,
      cacheWrite1h: 77,
      output: 42,
    });
    expect(calls[0]).toMatchObject({
      startMs: 0,
      endMs: 5_000,
      stopReason: 'tool_use',
      outputIsPlaceholder: false,
    });
  });

  it('TOK-5 puts results and prompts that stand between the lines of a response behind the complete call', () => {
    const transcript = readSession([
      user('u1', 0, 'go'),
      assistant('a1', 2, 'm1', ask('t1')),
      result('r1', 3, 't1'),
      user('u2', 4, 'also this'),
      assistant('a2', 5, 'm1', ask('t2')),
      result('r2', 6, 't2'),
      assistant('a3', 9, 'm2', say('done')),
    ]);
    const thread = firstThread(transcript);
    expect(outline(thread)).toEqual(['human u1', 'call m1', 'tool r1', 'human u2', 'tool r2', 'call m2']);
    expect(callsOf(thread)[0]!.response.blocks.map((block) => block.toolUseId)).toEqual(['t1', 't2']);
    expect(messagesOf(thread).map((message) => message.at)).toEqual([0, 5_000, 5_000, 6_000]);
  });

  it('keeps a parallel fan together although each result names another parent', () => {
    const transcript = readSession([
      user('u1', 0, 'go'),
      assistant('a1', 1, 'm1', ask('t1'), {}, { parentUuid: 'u1' }),
      assistant('a2', 2, 'm1', ask('t2'), {}, { parentUuid: 'a1' }),
      assistant('a3', 3, 'm1', ask('t3'), {}, { parentUuid: 'a2' }),
      result('r2', 4, 't2', 'two', { parentUuid: 'a2' }),
      result('r1', 5, 't1', 'one', { parentUuid: 'a1' }),
      result('r3', 6, 't3', 'three', { parentUuid: 'a3' }),
      assistant('a4', 8, 'm2', say('done'), {}, { parentUuid: 'r3' }),
    ]);
    expect(outline(firstThread(transcript))).toEqual([
      'human u1',
      'call m1',
      'tool r2',
      'tool r1',
      'tool r3',
      'call m2',
    ]);
    expect(transcript.warnings).toEqual([]);
  });

  it('moves a result that was written before its call, or after the next response, behind its call', () => {
    const transcript = readSession([
      user('u1', 0, 'go'),
      result('r1', 1, 't1'),
      assistant('a1', 2, 'm1', ask('t1')),
      assistant('a1b', 2, 'm1', ask('t2')),
      assistant('a2', 3, 'm2', say('done')),
      result('r2', 4, 't2'),
    ]);
    expect(outline(firstThread(transcript))).toEqual([
      'human u1',
      'call m1',
      'tool r1',
      'tool r2',
      'call m2',
    ]);
    expect(warningCodes(transcript)).toEqual(['early-tool-result', 'late-tool-result']);
  });

  it('FLT-1 drops what the client made up itself, metadata, progress and the data of the terminal', () => {
    const transcript = readSession([
      { type: 'summary', summary: 'a title', leafUuid: 'x' },
      { type: 'file-history-snapshot', messageId: 'u1', snapshot: {} },
      user('u1', 0, 'go', { toolUseResult: { originalFile: 'x'.repeat(100) } }),
      { type: 'progress', uuid: 'p1', parentUuid: 'u1', timestamp: stamp(1), data: {} },
      assistant('a0', 2, 'synthetic', say('No response requested.'), {
        model: '<synthetic>',
        usage: usage(0, 0, 0, 0),
      }),
      system('x1', 2, 'turn_duration', { durationMs: 5 }),
      { type: 'queue-operation', operation: 'enqueue', timestamp: stamp(2), sessionId: 's1' },
      assistant('a1', 3, 'm1', say('hello')),
    ]);
    expect(outline(firstThread(transcript))).toEqual(['human u1', 'call m1']);
    expect(transcript.warnings).toEqual([]);
  });

  it('marks output counts of responses that do not say how they stopped as placeholders, whatever the version', () => {
    const flags = [
      ['2.1.58', 'end_turn'],
      ['2.1.59', 'end_turn'],
      ['2.1.59', null],
      ['2.0.99', 'tool_use'],
      ['2.0.99', null],
      ['3.0.0', 'end_turn'],
    ].map(([version, stop]) => {
      const lines = [
        user('u', 0, 'go', { version }),
        assistant('a', 1, 'm', say('x'), { stop_reason: stop }, { version }),
      ];
      return callsOf(threadOf(lines))[0]!.outputIsPlaceholder;
    });
    expect(flags).toEqual([false, false, true, false, true, false]);
  });

  it('keeps the recorded miss reason, the effort and the lifetimes of what was written', () => {
    const counts = {
      ...usage(1, 2, 30, 4),
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    };
    const missed = { cache_miss_reason: { type: 'tools_changed', cache_missed_input_tokens: 9 } };
    const lines = [
      user('u', 0, 'go'),
      assistant('a', 1, 'm', say('x'), { usage: counts, diagnostics: missed }, { effort: 'high' }),
    ];
    const [call] = callsOf(threadOf(lines));
    expect(call).toMatchObject({ missReason: 'tools_changed', effort: 'high' });
    expect(call!.usage).toMatchObject({ cacheWrite5m: 10, cacheWrite1h: 20 });
  });

  it('counts writes without a lifetime as five minutes', () => {
    const counts = {
      input_tokens: 1,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 30,
      output_tokens: 4,
    };
    const lines = [user('u', 0, 'go'), assistant('a', 1, 'm', say('x'), { usage: counts })];
    expect(callsOf(threadOf(lines))[0]!.usage).toMatchObject({
      cacheWrite5m: 30,
      cacheWrite1h: 0,
    });
  });

  it.each([
    ['negative', { input_tokens: -5, output_tokens: 1 }],
    ['far too large', { input_tokens: 1e15, output_tokens: 1 }],
    ['fractional', { input_tokens: 1.5, output_tokens: 1 }],
    ['texts', { input_tokens: '12', output_tokens: 1 }],
  ])('treats %s counts as no usage and says so', (_name, counts) => {
    const transcript = readSession([user('u', 0, 'go'), assistant('a', 1, 'm', say('x'), { usage: counts })]);
    expect(callsOf(firstThread(transcript))[0]!.usage).toBeNull();
    expect(warningCodes(transcript)).toEqual(['bad-usage', 'no-usage']);
    expect(transcript.carries).not.toContain('usage');
  });
});

describe('messages', () => {
  it('knows who speaks', () => {
    const transcript = readSession([
      user('u1', 0, '<command-name>/model</command-name>'),
      user('u2', 0, '<local-command-stdout>Set model</local-command-stdout>'),
      user('u3', 0, 'Caveat', { isMeta: true }),
      user('u4', 0, 'please fix it'),
      user('u5', 0, say('[Request interrupted by user]')),
      user('u6', 0, 'agent finished', { origin: { kind: 'task-notification' } }),
      // Recorded at 2.1.39 and 2.1.42 without an origin, from 2.1.150 on with one.
      user('u8', 0, '<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the file'),
      user('u9', 0, say('<task-notification>\n<task-id>b2</task-id>'), { origin: { kind: 'human' } }),
      user('u7', 0, [
        { type: 'text', text: 'look' },
        { type: 'image', source: { data: 'x' } },
      ]),
      assistant('a1', 1, 'm1', say('ok')),
    ]);
    const messages = messagesOf(firstThread(transcript));
    expect(messages.map((message) => message.origin)).toEqual([
      'command',
      'command',
      'meta',
      'human',
      'meta',
      'meta',
      'meta',
      'human',
      'human',
    ]);
    expect(messages[1]!.blocks[0]!.facts.localCommand).toBe(true);
    expect(messages[8]!.blocks.map((block) => block.kind)).toEqual(['text', 'image']);
  });

  it('gives a result the tool, the path, the error and the images it is about', () => {
    const transcript = readSession([
      user('u1', 0, 'go'),
      assistant('a1', 1, 'm1', [
        ...ask('t1', 'Read', { file_path: '/a.json' }),
        ...ask('t2', 'Bash', { command: 'ls' }),
      ]),
      result('r1', 2, 't1', [
        { type: 'text', text: 'abc' },
        { type: 'image', source: {} },
        { type: 'text', text: 'de' },
      ]),
      user('r2', 3, [{ type: 'tool_result', tool_use_id: 't2', content: '{"a":1}', is_error: true }]),
    ]);
    const thread = firstThread(transcript);
    const [, first, second] = messagesOf(thread).map((message) => message.blocks[0]!);
    expect(first).toMatchObject({ kind: 'tool_result', tool: 'Read', toolUseId: 't1', chars: 5 });
    expect(first!.facts).toEqual({ path: '/a.json', images: 1, jsonLike: true });
    expect(second).toMatchObject({ tool: 'Bash', facts: { isError: true, jsonLike: true } });
    expect(callsOf(thread)[0]!.response.blocks[0]).toMatchObject({
      tool: 'Read',
      facts: { path: '/a.json' },
      chars: 'Read{"file_path":"/a.json"}'.length,
    });
  });

  it('keeps a result without a call and warns', () => {
    const transcript = readSession([result('r0', 0, 'gone'), assistant('a1', 1, 'm1', say('ok'))]);
    expect(outline(firstThread(transcript))).toEqual(['tool r0', 'call m1']);
    expect(messagesOf(firstThread(transcript))[0]!.blocks[0]!.tool).toBeNull();
    expect(warningCodes(transcript)).toEqual(['orphan-tool-result']);
  });

  it('renders attachments the model sees and drops the others', () => {
    const transcript = readSession([
      user('u1', 0, 'go'),
      attachment('x1', 0, { type: 'hook_success', content: '', stdout: 'noise' }, { parentUuid: 'u1' }),
      attachment('x2', 0, { type: 'command_permissions', allowedTools: ['Bash'] }, { parentUuid: 'x1' }),
      attachment('x3', 0, { type: 'hook_success', content: 'be brief' }, { parentUuid: 'x2' }),
      attachment('x4', 0, { type: 'date_change', newDate: '2026-01-03' }, { parentUuid: 'x3' }),
      attachment(
        'x5',
        0,
        { type: 'file', filename: '/f', content: { type: 'text', file: { content: 'z'.repeat(300) } } },
        { parentUuid: 'x4' },
      ),
      assistant('a1', 1, 'm1', say('ok')),
    ]);
    const messages = messagesOf(firstThread(transcript)).slice(1);
    expect(messages.map((message) => message.origin)).toEqual(['attachment', 'attachment', 'attachment']);
    expect(messages.map((message) => message.blocks[0]!.facts.attachment)).toEqual([
      'hook_success',
      'date_change',
      'file',
    ]);
    expect(messages.map((message) => message.attachedTo)).toEqual(['u1', 'u1', 'u1']);
    expect(messages[1]!.blocks[0]!.text!.read()).toContain('2026-01-03');
    expect(messages[2]!.blocks[0]!.chars).toBeGreaterThan(300);
    expect(messages[2]!.blocks[0]!.chars).toBeLessThan(400);
  });
});

describe('threads', () => {
  it('splits inline sidechains without an agent id by their roots', () => {
    const side = { isSidechain: true };
    const transcript = readSession([
      user('u1', 0, 'go'),
      assistant('a1', 1, 'm1', ask('t1', 'Task')),
      assistant('a1b', 1, 'm1', ask('t2', 'Task')),
      user('s1', 2, 'job one', { ...side, parentUuid: 'a1' }),
      user('s2', 2, 'job two', { ...side, parentUuid: 'a1' }),
      assistant('b1', 3, 'n1', ask('t3'), {}, { ...side, parentUuid: 's1' }),
      assistant('c1', 4, 'o1', say('two done'), {}, { ...side, parentUuid: 's2' }),
      result('q1', 5, 't3', 'ok', { ...side, parentUuid: 'b1' }),
      assistant('b2', 6, 'n2', say('one done'), {}, { ...side, parentUuid: 'q1' }),
      result('r1', 7, 't1'),
      result('r2', 7, 't2'),
      assistant('a2', 8, 'm2', say('all done')),
    ]);
    expect(transcript.threads.map((thread) => [thread.id, thread.parentId])).toEqual([
      ['main', null],
      ['sidechain-1', 'main'],
      ['sidechain-2', 'main'],
    ]);
    expect(transcript.threads.map(outline)).toEqual([
      ['human u1', 'call m1', 'tool r1', 'tool r2', 'call m2'],
      ['human s1', 'call n1', 'tool q1', 'call n2'],
      ['human s2', 'call o1'],
    ]);
  });

  it('joins agent files to the main file and counts a copied response once', () => {
    const agent = { isSidechain: true, agentId: 'ab12' };
    const transcript = readClaudeCodeFiles(
      [
        {
          name: 'x/subagents/agent-ab12.jsonl',
          bytes: jsonl([
            user('s1', 5, 'job', agent),
            assistant('k1', 5, 'm1', say('copied'), {}, agent),
            assistant('b1', 6, 'n1', say('ok'), {}, agent),
          ]),
        },
        {
          name: 'x.jsonl',
          bytes: gzipSync(jsonl([user('u1', 0, 'go'), assistant('a1', 1, 'm1', say('hello'))])),
        },
      ],
      { id: 'x' },
    );
    expect(transcript.threads.map((thread) => [thread.id, thread.parentId, thread.label])).toEqual([
      ['main', null, 'main'],
      ['agent-ab12', 'main', 'ab12'],
    ]);
    expect(transcript.threads.map(outline)).toEqual([
      ['human u1', 'call m1'],
      ['human s1', 'model m1', 'call n1'],
    ]);
    expect(callsOf(transcript.threads[1]!)[0]).toMatchObject({ startMs: 5_000, endMs: 6_000 });
  });

  it('refuses two main files', () => {
    const bytes = jsonl([user('u1', 0, 'go')]);
    const files = [
      { name: 'a.jsonl', bytes },
      { name: 'b.jsonl', bytes },
    ];
    expect(() => readClaudeCodeFiles(files, { id: 'x' })).toThrow(/2 session files/);
  });

  it('counts a line that stands there twice once, whatever stands between', () => {
    const lines = [
      user('u1', 0, 'go'),
      assistant('a1', 1, 'm1', say('x')),
      user('u2', 2, 'on'),
      assistant('a2', 3, 'm2', say('y')),
    ];
    const once = readSession(lines);
    const twice = readSession(lines.flatMap((line) => [line, line]));
    expect(twice.threads).toEqual(once.threads);
    expect(readSession([...lines, ...lines]).threads).toEqual(once.threads);
    expect(twice.warnings).toContainEqual(expect.objectContaining({ code: 'repeated-line', count: 4 }));
  });

  it('ends on lines that name each other as parent, and warns', () => {
    const side = { isSidechain: true };
    const transcript = readSession([
      user('s1', 0, 'a', { ...side, parentUuid: 's2' }),
      user('s2', 1, 'b', { ...side, parentUuid: 's1' }),
      user('s3', 1, 'c', { ...side, parentUuid: 's3' }),
      assistant('a1', 2, 'm1', say('x'), {}, { ...side, parentUuid: 's2' }),
    ]);
    expect(transcript.threads.map(outline)).toEqual([['human s1', 'human s2', 'call m1'], ['human s3']]);
    expect(transcript.warnings).toMatchObject([{ code: 'parent-cycle', count: 2 }]);
  });

  it('gives threads with equal version and prefix size the same prefix', () => {
    const side = { isSidechain: true };
    const one = (n: number) => [
      user(`s${n}`, n, 'same job', side),
      assistant(
        `a${n}`,
        n,
        `m${n}`,
        say('x'),
        { usage: usage(5, 9_000, 1_000, 3) },
        { ...side, parentUuid: `s${n}` },
      ),
    ];
    const transcript = readSession([...one(1), ...one(2)]);
    const digests = transcript.threads.map((thread) => thread.prefix.map((block) => block.digest));
    expect(digests[0]).toEqual(digests[1]);
    // three quarters of the 9,000 tokens that the first request read
    expect(transcript.threads[0]!.prefix.map((block) => [block.role, block.tokens])).toEqual([
      ['tools', 6_750],
      ['system', 2_250],
    ]);
  });
});

describe('events', () => {
  const before = [user('u1', 0, 'go'), assistant('a1', 1, 'm1', ask('t1')), result('r1', 2, 't1')];

  it('turns a boundary and its summary into one event and maps what was kept', () => {
    const transcript = readSession([
      ...before,
      assistant('a2', 3, 'm2', say('first part')),
      assistant('a3', 4, 'm2', say('second part')),
      system('b1', 80, 'compact_boundary', {
        logicalParentUuid: 'a3',
        compactMetadata: {
          trigger: 'manual',
          preTokens: 900,
          postTokens: 90,
          durationMs: 70_000,
          preservedMessages: { uuids: ['r1', 'a3', 'elsewhere'] },
        },
      }),
      user('y1', 80, 'what happened so far', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      user('c1', 9, '<command-name>/compact</command-name><command-args>keep the plan</command-args>'),
      attachment(
        'f1',
        81,
        { type: 'file', filename: '/f', content: { file: { content: 'text' } } },
        { parentUuid: 'c1' },
      ),
      user('u2', 100, 'next'),
      attachment('f2', 101, { type: 'date_change', newDate: 'tomorrow' }, { parentUuid: 'u2' }),
      assistant('a4', 105, 'm3', say('sure')),
    ]);
    const thread = firstThread(transcript);
    expect(outline(thread).filter((each) => !each.includes('restored'))).toEqual([
      'human u1',
      'call m1',
      'tool r1',
      'call m2',
      'event recorded-compaction',
      'command c1',
      'attachment f1',
      'human u2',
      'attachment f2',
      'call m3',
    ]);
    const [event] = eventsOf(thread);
    expect(event).toMatchObject({
      trigger: 'manual',
      preTokens: 900,
      postTokens: 90,
      durationMs: 70_000,
      at: 80_000,
      keptIds: ['r1', 'm2'],
    });
    expect(event).toHaveProperty('summary.origin', 'summary');
    expect(warningCodes(transcript)).toEqual(['kept-line-missing']);
    const byId = new Map(messagesOf(thread).map((message) => [message.id, message]));
    expect(byId.get('c1')!.at).toBe(80_000);
    expect(byId.get('f1')!.attachedTo).toBe('y1');
    expect(byId.get('f2')!.attachedTo).toBe('u2');
  });

  it('takes the kept messages from the ends of a segment when no list is given', () => {
    const transcript = readSession([
      ...before,
      system('b1', 9, 'compact_boundary', {
        compactMetadata: { trigger: 'auto', preservedSegment: { headUuid: 'a1', tailUuid: 'r1' } },
      }),
      assistant('a2', 10, 'm2', say('x')),
    ]);
    expect(eventsOf(firstThread(transcript))[0]).toMatchObject({
      keptIds: ['m1', 'r1'],
      summary: null,
      preTokens: null,
    });
  });

  it('reads a microcompaction', () => {
    const data = { trigger: 'auto', preTokens: 500, tokensSaved: 200, compactedToolIds: ['t1'] };
    const transcript = readSession([
      ...before,
      system('b1', 3, 'microcompact_boundary', { microcompactMetadata: data }),
      assistant('a2', 4, 'm2', say('x')),
    ]);
    expect(eventsOf(firstThread(transcript))).toEqual([
      {
        kind: 'recorded-microcompact',
        at: 3_000,
        trigger: 'auto',
        preTokens: 500,
        tokensSaved: 200,
        toolUseIds: ['t1'],
      },
    ]);
  });

  it('sees a new version, a new session id and a left client as resumptions', () => {
    const transcript = readSession([
      ...before,
      user('u2', 10, 'a', { version: '2.1.101' }),
      user('u3', 20, 'b', { version: '2.1.101', sessionId: 's2' }),
      user('u4', 30, '<command-name>/exit</command-name>', { version: '2.1.101', sessionId: 's2' }),
      user('u5', 30, '<local-command-stdout>Bye</local-command-stdout>', {
        version: '2.1.101',
        sessionId: 's2',
      }),
      user('u6', 40, 'c', { version: '2.1.101', sessionId: 's2' }),
    ]);
    expect(outline(firstThread(transcript)).slice(3)).toEqual([
      'event version',
      'event resume',
      'human u2',
      'event resume',
      'human u3',
      'command u4',
      'command u5',
      'event resume',
      'human u6',
    ]);
    expect(eventsOf(firstThread(transcript))[0]).toEqual({ kind: 'version', at: 10_000, version: '2.1.101' });
  });

  it('K3 puts a change that a response tells of before its request', () => {
    const transcript = readSession([
      ...before,
      assistant('a2', 9, 'm2', say('x'), {}, { version: '2.1.101' }),
    ]);
    expect(eventsOf(firstThread(transcript)).map((event) => [event.kind, event.at])).toEqual([
      ['version', 2_000],
      ['resume', 2_000],
    ]);
    expect(callsOf(firstThread(transcript))[1]).toMatchObject({ startMs: 2_000, endMs: 9_000 });
    const noted = assistant('a0', 5, 'x', say('x'), { model: '<synthetic>' }, { version: '2.1.101' });
    expect(eventsOf(threadOf([...before, noted])).map((event) => event.at)).toEqual([5_000, 5_000]);
  });

  it('announces another model before its first call', () => {
    const transcript = readSession([...before, assistant('a2', 4, 'm2', say('x'), { model: 'claude-y' })]);
    expect(outline(firstThread(transcript)).slice(2)).toEqual(['tool r1', 'event model-switch', 'call m2']);
    expect(eventsOf(firstThread(transcript))).toEqual([
      { kind: 'model-switch', at: 2_000, model: 'claude-y' },
    ]);
  });
});

describe('time', () => {
  it('keeps file order and clamps steps back to zero', () => {
    const transcript = readSession([
      user('u1', 10, 'go'),
      assistant('a1', 14, 'm1', ask('t1')),
      result('r1', 12, 't1'),
      assistant('a2', 13, 'm2', say('x')),
      user('u2', 3, 'more'),
      assistant('a3', 20, 'm3', say('y')),
    ]);
    const thread = firstThread(transcript);
    expect(callsOf(thread).map((call) => [call.startMs, call.endMs])).toEqual([
      [0, 4_000],
      [4_000, 4_000],
      [4_000, 10_000],
    ]);
    expect(messagesOf(thread).map((message) => message.at)).toEqual([0, 4_000, 4_000]);
    expect(transcript.startedAtMs).toBe(Date.parse(stamp(10)));
  });

  it('says that a file without times carries none', () => {
    const bare = { timestamp: undefined };
    const transcript = readSession([user('u1', 0, 'go', bare), assistant('a1', 1, 'm1', say('x'), {}, bare)]);
    expect(transcript.startedAtMs).toBeNull();
    expect(transcript.carries).not.toContain('timestamps');
  });
});

describe('files', () => {
  const good = [user('u1', 0, 'go\u2028on'), assistant('a1', 1, 'm1', say('x'))];

  it('reads past a broken line, a truncated end and objects on one line', () => {
    const [first, second] = good.map((line) => JSON.stringify(line));
    const bytes = Buffer.from(`${first}${second}\n{"type":"user",\n{"type":"user","uu`);
    const transcript = readClaudeCode(bytes, { id: 'x.jsonl' });
    expect(outline(firstThread(transcript))).toEqual(['human u1', 'call m1']);
    expect(warningCodes(transcript)).toEqual(['truncated-file', 'broken-lines']);
    expect(transcript.warnings[1]!.message).toContain('line 2');
  });

  it('reads gzip as the same transcript', () => {
    const bytes = jsonl(good);
    expect(JSON.stringify(readClaudeCode(gzipSync(bytes), { id: 'x' }))).toBe(
      JSON.stringify(readClaudeCode(bytes, { id: 'x' })),
    );
  });

  it('refuses a file that holds metadata alone', () => {
    expect(() => readSession([{ type: 'summary', summary: 'title', leafUuid: 'x' }])).toThrow(/no message/);
  });

  it('reads past payloads nested beyond reason', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const nested = (line: object): string => JSON.stringify(line).replace('"DEEP"', deep);
    const transcript = readSession([
      nested(user('u0', 0, 'DEEP')),
      nested(attachment('x0', 0, { type: 'file', content: 'DEEP' })),
      ...good,
      nested(assistant('a2', 2, 'm2', [{ type: 'tool_use', id: 't1', name: 'Bash', input: 'DEEP' }])),
    ]);
    expect(callsOf(firstThread(transcript)).map((call) => call.id)).toEqual(['m1', 'm2']);
  });

  it('survives lines of the right type with the wrong insides', () => {
    const transcript = readSession([
      { type: 'user' },
      { type: 'user', uuid: 7, message: 'text', timestamp: 'yesterday' },
      { type: 'assistant', message: null },
      { type: 'assistant', uuid: 'a', message: { id: 'm', content: [null, 3, { type: 'tool_use' }, {}] } },
      { type: 'system', subtype: 'compact_boundary', compactMetadata: 4 },
      { type: 'attachment', attachment: [] },
      { type: 'user', uuid: 'a', message: { content: [{ type: 'tool_result' }] } },
      ...good,
    ]);
    expect(callsOf(firstThread(transcript)).map((call) => call.id)).toContain('m1');
  });
});
