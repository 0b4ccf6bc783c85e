const START_MS = Date.UTC(2026, 0, 2);
const iso = (second) => new Date(START_MS + 1_000 * second).toISOString();
const lines = (...items) => `${items.map((item) => JSON.stringify(item)).join('\n')}\n`;
const text = (words) => [{ type: 'text', text: words }];

/** Counts of the two requests that each session has: fresh, read, written, output. */
const COUNTS = [
  [10, 0, 5_000, 40],
  [4, 5_000, 200, 30],
];

function rollout() {
  const line = (second, type, payload) => ({ timestamp: iso(second), type, payload });
  const count = (second, [fresh, read, , output], sum) => {
    const usage = (input) => ({
      input_tokens: input,
      cached_input_tokens: read,
      output_tokens: output,
      total_tokens: input,
    });
    const info = {
      total_token_usage: usage(sum),
      last_token_usage: usage(5_000 + fresh + read),
      model_context_window: 258_400,
    };
    return line(second, 'event_msg', { type: 'token_count', info });
  };
  return lines(
    line(0, 'session_meta', { id: 's', cli_version: '0.150.0', model_provider: 'openai' }),
    line(0, 'turn_context', { model: 'gpt-5.5', effort: 'high' }),
    line(1, 'response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'go' }],
    }),
    line(2, 'response_item', {
      type: 'function_call',
      name: 'shell',
      arguments: '{"command":["ls"]}',
      call_id: 'c',
    }),
    line(3, 'response_item', { type: 'function_call_output', call_id: 'c', output: 'a.txt' }),
    count(3, COUNTS[0], 5_010),
    line(5, 'response_item', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'done' }],
    }),
    count(5, COUNTS[1], 15_014),
  );
}

function gemini() {
  const call = (id, second, [fresh, cached, written, output]) => ({
    id,
    timestamp: iso(second),
    type: 'gemini',
    content: 'done',
    model: 'gemini-2.5-flash',
    tokens: { input: fresh + cached + written, cached, output, thoughts: 3, tool: 0, total: 10_000 },
    toolCalls: [
      {
        id: `t${id}`,
        name: 'read_file',
        args: { absolute_path: 'a.ts' },
        status: 'success',
        timestamp: iso(second),
        result: [{ functionResponse: { id: `t${id}`, name: 'read_file', response: { output: 'x' } } }],
      },
    ],
  });
  return JSON.stringify({
    sessionId: 's',
    projectHash: 'p',
    startTime: iso(0),
    lastUpdated: iso(9),
    messages: [
      { id: 'u', timestamp: iso(0), type: 'user', content: 'go' },
      call('a', 2, COUNTS[0]),
      call('b', 5, COUNTS[1]),
    ],
  });
}

function qwen() {
  const record = (uuid, parentUuid, second, fields) => ({
    uuid,
    parentUuid,
    sessionId: 's',
    timestamp: iso(second),
    version: '0.6.0',
    ...fields,
  });
  const answer = (uuid, parent, second, [fresh, read, written, output]) =>
    record(uuid, parent, second, {
      type: 'assistant',
      model: 'claude-sonnet-4-5',
      message: { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'done' }] },
      usageMetadata: {
        promptTokenCount: fresh + read + written,
        cachedContentTokenCount: read,
        candidatesTokenCount: output,
        totalTokenCount: fresh + read + written + output,
      },
    });
  const typed = (uuid, parent, second) =>
    record(uuid, parent, second, { type: 'user', message: { role: 'user', parts: [{ text: 'go' }] } });
  return lines(
    typed('u', null, 0),
    answer('a', 'u', 2, COUNTS[0]),
    typed('v', 'a', 3),
    answer('b', 'v', 5, COUNTS[1]),
  );
}

function pi() {
  const entry = (id, parentId, second, message) => ({
    type: 'message',
    id,
    parentId,
    timestamp: iso(second),
    message,
  });
  const answer = (id, parent, second, [input, cacheRead, cacheWrite, output]) =>
    entry(id, parent, second, {
      role: 'assistant',
      content: text('done'),
      provider: 'openai',
      model: 'gpt-5.5',
      usage: { input, output, cacheRead, cacheWrite, totalTokens: 9_000, cost: { total: 1 } },
      stopReason: 'stop',
      timestamp: START_MS + 1_000 * second,
    });
  const typed = (id, parent, second) => entry(id, parent, second, { role: 'user', content: text('go') });
  return lines(
    { type: 'session', version: 3, id: 's', timestamp: iso(0), cwd: '/x' },
    typed('u', null, 1),
    answer('a', 'u', 3, COUNTS[0]),
    { type: 'compaction', id: 'c', parentId: 'a', timestamp: iso(4), summary: 'so far', tokensBefore: 5_010 },
    typed('v', 'c', 5),
    answer('b', 'v', 7, COUNTS[1]),
  );
}

function opencode() {
  const at = (second) => START_MS + 1_000 * second;
  const finish = (id, [input, read, write, output]) => ({
    id,
    type: 'step-finish',
    reason: 'stop',
    tokens: { input, output, reasoning: 0, cache: { read, write } },
  });
  const state = {
    status: 'completed',
    input: { filePath: 'a.ts' },
    output: 'x',
    time: { start: at(2), end: at(3) },
  };
  return JSON.stringify({
    info: { id: 'ses_1', projectID: 'p', title: 'a session', version: '1.1.0' },
    messages: [
      {
        info: { id: 'm1', sessionID: 'ses_1', role: 'user', time: { created: at(0) } },
        parts: [{ id: 'p', type: 'text', text: 'go' }],
      },
      {
        info: {
          id: 'm2',
          sessionID: 'ses_1',
          role: 'assistant',
          modelID: 'claude-sonnet-4-5',
          time: { created: at(1), completed: at(9) },
        },
        parts: [
          { id: 't', type: 'tool', tool: 'read', callID: 't1', state },
          finish('f', COUNTS[0]),
          { id: 'q', type: 'text', text: 'done' },
          finish('g', COUNTS[1]),
        ],
      },
    ],
  });
}

function cline() {
  const say = (kind, second, words) => ({
    ts: START_MS + 1_000 * second,
    type: 'say',
    say: kind,
    text: words,
  });
  const request = (second, [tokensIn, cacheReads, cacheWrites, tokensOut]) =>
    say(
      'api_req_started',
      second,
      JSON.stringify({ request: '…', tokensIn, tokensOut, cacheWrites, cacheReads }),
    );
  return JSON.stringify([
    say('task', 0, 'go'),
    request(1, COUNTS[0]),
    say('tool', 4, '{"tool":"readFile"}'),
    request(6, COUNTS[1]),
    say('text', 8, 'done'),
  ]);
}

function otel() {
  const span = (second, spanId, [fresh, read, written, output]) => ({
    traceId: 't',
    spanId,
    name: 'chat m',
    startTimeUnixNano: `${START_MS / 1_000 + second}000000000`,
    endTimeUnixNano: `${START_MS / 1_000 + second + 2}500000000`,
    attributes: Object.entries({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': 'gpt-5.5',
      'gen_ai.response.id': spanId,
      'gen_ai.conversation.id': 'c',
      'gen_ai.usage.input_tokens': fresh + read + written,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.cache_read.input_tokens': read,
    }).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
    })),
  });
  const spans = [span(0, 'a', COUNTS[0]), span(20, 'b', COUNTS[1])];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'x' }, spans }] }],
  });
}

function miniSweAgent() {
  const answer = (id, second, [fresh, read, written, output]) => ({
    role: 'assistant',
    content: 'ls',
    extra: {
      response: {
        id,
        created: START_MS / 1_000 + second,
        model: 'claude-sonnet-4-5',
        usage: {
          prompt_tokens: fresh + read + written,
          completion_tokens: output,
          prompt_tokens_details: { cached_tokens: read },
          cache_creation_input_tokens: written,
        },
      },
      timestamp: START_MS / 1_000 + second,
    },
  });
  return JSON.stringify({
    info: {
      mini_version: '2.0.1',
      model_stats: { api_calls: 2 },
      config: { model: { model_name: 'anthropic/claude-sonnet-4-5' } },
    },
    messages: [
      { role: 'system', content: 'You work in a shell.' },
      { role: 'user', content: 'go' },
      answer('a', 2, COUNTS[0]),
      {
        role: 'user',
        content: '<output>a.ts</output>',
        extra: { timestamp: START_MS / 1_000 + 4 },
      },
      answer('b', 6, COUNTS[1]),
    ],
    trajectory_format: 'mini-swe-agent-1.1',
  });
}

function openhands() {
  const event = (kind, id, second, fields) => ({ kind, id, timestamp: iso(second), ...fields });
  const action = (id, second, response) =>
    event('ActionEvent', id, second, {
      source: 'agent',
      thought: text('let me see'),
      tool_name: 'terminal',
      tool_call_id: `t${id}`,
      tool_call: { id: `t${id}`, name: 'terminal', arguments: '{"command":"ls"}' },
      llm_response_id: response,
    });
  const usages = COUNTS.map(([fresh, read, write, output], i) => ({
    model: 'claude-sonnet-4-5',
    prompt_tokens: fresh + read + write,
    completion_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: write,
    response_id: `r${i}`,
  }));
  const latencies = [{ model: 'claude-sonnet-4-5', latency: 1.5, response_id: 'r0' }];
  return JSON.stringify({
    id: 'c',
    stats: {
      usage_to_metrics: {
        agent: { model_name: 'claude-sonnet-4-5', token_usages: usages, response_latencies: latencies },
      },
    },
    events: [
      event('MessageEvent', 'e', 0, {
        source: 'user',
        llm_message: { role: 'user', content: text('go') },
      }),
      action('f', 4, 'r0'),
      event('ObservationEvent', 'g', 6, {
        source: 'environment',
        tool_name: 'terminal',
        tool_call_id: 'tf',
        observation: { content: text('a.ts') },
      }),
      action('h', 9, 'r1'),
    ],
  });
}

function copilot() {
  const event = (id, second, type, data) => ({ id, parentId: null, timestamp: iso(second), type, data });
  const request = { toolCallId: 't', name: 'view', arguments: { path: 'a.ts' } };
  return lines(
    event('a', 0, 'session.start', {
      sessionId: 's',
      copilotVersion: '1.0.5',
      selectedModel: 'claude-sonnet-4-5',
    }),
    event('b', 1, 'user.message', { content: 'go' }),
    event('c', 4, 'assistant.message', { messageId: 'm', content: 'ls', toolRequests: [request] }),
    event('d', 5, 'tool.execution_complete', { toolCallId: 't', success: true, result: { content: 'x' } }),
    event('e', 6, 'session.compaction_start', { conversationTokens: 90_000 }),
    event('f', 9, 'session.compaction_complete', { success: true, trigger: 'threshold' }),
    event('g', 12, 'assistant.message', { messageId: 'n', content: 'done', toolRequests: [] }),
  );
}

function tracelab() {
  return lines(
    ...COUNTS.map(([fresh, read, written, output], i) => ({
      provider: 'claude',
      session_id: 's',
      round_index: i,
      round_id: `r${i}`,
      model: 'claude-opus-4-6',
      input_tokens_total: fresh + read + written,
      prefix_tokens: read,
      newly_append_tokens: fresh + written,
      claude_cache_creation_input_tokens: written,
      output_tokens: output,
      timing_events: [
        {
          event_type: i === 0 ? 'user_message' : 'tool_result',
          timestamp: iso(20 * i),
          tool_call_id: 't0',
          tool_name: 'Bash',
          result_chars: 400,
        },
        {
          event_type: 'tool_call',
          timestamp: iso(20 * i + 5),
          tool_call_id: `t${i}`,
          tool_name: 'Bash',
        },
      ],
      tools: [{ tool_name: 'Bash', tool_call_id: `t${i}`, input_chars: 60 }],
    })),
  );
}

function rows() {
  const row = ([fresh, read, written, output], i) =>
    `${iso(20 * i)},s,gpt-5.6,${fresh + read + written},${read},${written},${output},openai\n`;
  return `time,session,model,input,cached,written,output,provider\n${COUNTS.map(row).join('')}`;
}

/** A small sound session of each agent and exporter besides Claude Code, by the name of its reader. */
export const AGENTS = {
  codex: rollout(),
  'gemini-cli': gemini(),
  'qwen-code': qwen(),
  pi: pi(),
  opencode: opencode(),
  cline: cline(),
  otel: otel(),
  'mini-swe-agent': miniSweAgent(),
  openhands: openhands(),
  'copilot-cli': copilot(),
  tracelab: tracelab(),
  'request-rows': rows(),
};
