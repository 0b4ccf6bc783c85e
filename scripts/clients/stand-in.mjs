// A stand-in for the Messages API on loopback: scripted answers, usage by the simulated cache, time that can be moved.

import { listenLocally } from '../../dist/cli/commands/serve/local-server.js';
import { loadCounter } from '../../dist/core/tokens/counter.js';
import { createPromptCache } from '../../dist/provider/cache/prompt-cache.js';
import { createFakeApi } from '../../dist/provider/fake-api/fake-api.js';
import { priceUsage } from '../../dist/provider/prices/price.js';
import { createMovedClock } from './moved-clock.mjs';
import { kindOf, subtaskOf } from './request-kinds.mjs';

const CLEARED = /"\[Old tool result content cleared\]"/g;

/** Counts a text once. */
function rememberCounts(counter) {
  const known = new Map();
  return {
    count(text) {
      if (!known.has(text)) known.set(text, counter.count(text));
      return known.get(text);
    },
  };
}

/**
 * Starts the stand-in. `answerMain` and `answerAgent` give the blocks of an answer by its number; `rows` gets one row per request.
 */
export async function startStandIn({ mainModel, answerMain, answerAgent, summary, rows, keepBodies = null }) {
  const clock = createMovedClock();
  const counter = rememberCounts(await loadCounter('gpt-tokenizer'));
  const byAgent = new Map();
  let position = 0;
  /** The request that is being answered: the fake API reads it before it first waits. */
  let current = null;

  const api = createFakeApi({
    clock,
    counter,
    cache: createPromptCache(),
    answer(request) {
      const { kind, body } = current;
      const agentTool = (body.tools ?? []).find(({ name }) => name === 'Agent' || name === 'Task')?.name;
      const context = { thinking: request.thinking, agentTool };
      if (kind === 'main') return answerMain(position, context);
      if (kind === 'agent') {
        const subtask = subtaskOf(body);
        const answered = byAgent.get(subtask) ?? 0;
        byAgent.set(subtask, answered + 1);
        return answerAgent(subtask, answered, context);
      }
      return [{ type: 'text', text: kind === 'summary' ? summary : 'Reads files' }];
    },
    onCall(call, answered) {
      const { kind, body } = current;
      const row = {
        n: rows.length + 1,
        kind,
        model: body?.model ?? null,
        at: new Date(call.startMs).toISOString(),
      };
      if (answered === null) {
        const { status, error } = call;
        rows.push(kind === 'count' && status === 200 ? row : { ...row, status, error });
        return;
      }
      const { usage } = call;
      const cost = priceUsage(answered.request.model, usage, call.startMs);
      rows.push({
        ...row,
        main: kind === 'main' ? position + 1 : position,
        tokens: answered.request.promptTokens,
        ...usage,
        costUsd: cost.totalNano / 1e9,
        inputUsd: (cost.totalNano - cost.outputNano) / 1e9,
        thinking: body.thinking ?? null,
        messages: body.messages.length,
        cleared: (current.text.match(CLEARED) ?? []).length,
        prefix:
          answered.request.view.systemEnd === 0
            ? 0
            : answered.request.view.sums[answered.request.view.systemEnd - 1],
        ttls: [...new Set(answered.request.breakpoints.map(({ ttlMs }) => ttlMs / 60_000))],
        maxTokens: body.max_tokens ?? null,
        stop: answered.answer.stopReason,
      });
      if (kind === 'main') position += 1;
    },
  });

  async function fetch(input, init) {
    const text = typeof init.body === 'string' ? init.body : '';
    const { pathname } = new URL(input);
    let body = null;
    try {
      body = JSON.parse(text);
    } catch {}
    const isCount = pathname === '/v1/messages/count_tokens';
    const isMessage = pathname === '/v1/messages' && body !== null;
    const kind = isCount ? 'count' : isMessage ? kindOf(body, mainModel) : 'other';
    if (isMessage) keepBodies?.(text, kind);
    current = { kind, body, text };
    return api.fetch(input, init);
  }

  const server = await listenLocally(fetch, 0);
  return {
    url: server.url,
    clock,
    /** Lets simulated time pass. */
    wait(seconds) {
      clock.advanceTo(clock.now + seconds * 1_000);
    },
    get answered() {
      return position;
    },
    close: () => server.close(),
  };
}
