import { MS_PER_SECOND } from '../../base/clock.js';
import { CcbenchError } from '../../base/errors.js';
import type { Thread } from '../../model/transcript.js';
import { createAgenda } from './agenda.js';
import { DEFAULT_MODEL, type SteadySpec, type SyntheticSpec } from './spec.js';
import { ThreadWriter } from './thread-writer.js';

/** Characters per token of steady sessions: a chars/4 counter then sees the true size. */
const STEADY_CHARS_PER_TOKEN = 4;

/** Tools and system of steady sessions unless given: the median first prompt (E6). */
const STEADY_PREFIX_TOKENS = 34_700;

const STEADY_PROMPT_TOKENS = 100;

/** Generates equal turns: call k starts k gaps (and the idle times before it) after the first. */
export function generateSteady(spec: SyntheticSpec, steady: SteadySpec): Thread {
  const { outputTokens, resultTokens } = sizesOf(steady);
  const charsPerToken = steady.charsPerToken ?? STEADY_CHARS_PER_TOKEN;
  const chars = (tokens: number): number => Math.round(tokens * charsPerToken);
  const tool = steady.tool ?? 'Read';
  const gapMs = Math.round(steady.gapSeconds * MS_PER_SECOND);
  const agenda = createAgenda(spec);
  const writer = new ThreadWriter({
    id: 'main',
    parentId: null,
    label: 'main',
    origin: `${spec.seed}`,
    text: spec.text ?? 'filler',
  });
  let model = spec.model ?? DEFAULT_MODEL;
  let at = 0;
  const prompt = steady.promptTokens ?? STEADY_PROMPT_TOKENS;
  const filler = { style: 'prose', chars: chars(prompt) } as const;
  writer.message('human', [writer.block({ kind: 'text', role: 'user', tokens: prompt, filler })], at);
  for (let turn = 1; turn <= spec.turns; turn++) {
    const toolUseId = writer.toolUseId();
    const facts = { path: `/repo/src/file-${turn}.ts` };
    const use = {
      style: 'words',
      chars: chars(outputTokens),
      head: `${tool}{"file_path":"${facts.path}","note":"`,
      tail: '"}',
    } as const;
    const result = { style: 'code', chars: chars(resultTokens) } as const;
    writer.call(model, at, at + Math.floor(gapMs / 2), [
      writer.block({
        tool,
        toolUseId,
        facts,
        kind: 'tool_use',
        role: 'assistant',
        tokens: outputTokens,
        filler: use,
      }),
    ]);
    at += gapMs;
    writer.message(
      'tool',
      [
        writer.block({
          tool,
          toolUseId,
          facts,
          kind: 'tool_result',
          role: 'user',
          tokens: resultTokens,
          filler: result,
        }),
      ],
      at,
    );
    const entry = agenda.get(turn);
    for (const event of entry?.atOnce ?? []) writer.event(event(at));
    at += entry?.idleMs ?? 0;
    for (const planned of entry?.beforeNext ?? []) {
      const event = planned(at);
      if (event.kind === 'model-switch') model = event.model;
      writer.event(event);
    }
  }
  return writer.thread(spec.prefixTokens ?? STEADY_PREFIX_TOKENS, charsPerToken);
}

function sizesOf(steady: SteadySpec): { readonly outputTokens: number; readonly resultTokens: number } {
  const total = steady.tokensPerTurn;
  const outputTokens = steady.outputTokens ?? (total ?? 0) - (steady.resultTokens ?? total ?? 0);
  const resultTokens = steady.resultTokens ?? (total ?? outputTokens) - outputTokens;
  const fits = total === undefined || outputTokens + resultTokens === total;
  for (const value of [outputTokens, resultTokens, steady.promptTokens ?? 0, steady.gapSeconds]) {
    if (!fits || !(value >= 0 && Number.isFinite(value))) {
      throw new CcbenchError('bad-value', 'the sizes of a steady session do not fit together', {
        hint: 'none may be negative, and outputTokens + resultTokens = tokensPerTurn',
      });
    }
  }
  return { outputTokens, resultTokens };
}
