import { ownValue } from '../../core/base/own-value.js';
import { allBut } from '../../core/run/capability.js';
import { type Row, readRows } from '../drafts/rows.js';
import type { Piece, Said } from '../drafts/thread-draft.js';
import { headLines } from '../lines/json-lines.js';
import { countOf, type JsonObject, latestOf, numberOf, objectsOf, textOf, timeOf } from '../lines/narrow.js';
import { defineReader } from './reader.js';

/** Whose cache an agent's calls show. */
const PROVIDERS: Readonly<Record<string, string>> = { claude: 'anthropic', codex: 'openai' };

/** What the prompt of a round ends with, by the kind of its event; every other event is of the response. */
const SAID = { user_message: 'human', tool_result: 'tool' } as const;

/** What a response holds, by the kind of its event; calls of tools stand in a list of their own, with their sizes. */
const ANSWERED = { text: 'text', reasoning: 'thinking' } as const;

function isIn<Key extends string>(kinds: Readonly<Record<Key, unknown>>, kind: unknown): kind is Key {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind);
}

function times(events: readonly JsonObject[]): readonly (number | null)[] {
  return events.map(({ timestamp }) => timeOf(timestamp));
}

/** What came in since the response before. */
function saidIn(events: readonly JsonObject[]): readonly Pick<Said, 'origin' | 'pieces'>[] {
  return events.flatMap((event) => {
    const { event_type: type, tool_call_id, tool_name, result_chars, content_chars } = event;
    if (!isIn(SAID, type)) return [];
    const chars = countOf(result_chars ?? content_chars);
    const piece: Piece =
      type === 'tool_result'
        ? { kind: type, text: null, chars, toolUseId: textOf(tool_call_id), tool: textOf(tool_name) }
        : { kind: 'text', text: null, chars };
    return [{ origin: SAID[type], pieces: [piece] }];
  });
}

/** What the model said: nothing but sizes. */
function answerIn(events: readonly JsonObject[], tools: readonly JsonObject[]): readonly Piece[] {
  const spoken = events.flatMap(({ event_type: type, content_chars }): Piece[] =>
    isIn(ANSWERED, type) ? [{ kind: ANSWERED[type], text: null, chars: countOf(content_chars) }] : [],
  );
  const calls = tools.map(
    ({ tool_name, tool_call_id, input_chars }): Piece => ({
      kind: 'tool_use',
      text: null,
      chars: countOf(input_chars),
      tool: textOf(tool_name),
      toolUseId: textOf(tool_call_id),
    }),
  );
  return [...spoken, ...calls];
}

/** The value as a number of tokens; null if it is not one. */
function tokensOf(value: unknown): number | null {
  const tokens = numberOf(value);
  return tokens === null || tokens < 0 ? null : tokens;
}

/** A round as a row; null if it does not say how long its prompt was. */
function rowOf(round: JsonObject): Row | null {
  const cached = tokensOf(round.prefix_tokens);
  const prompt = tokensOf(round.input_tokens_total) ?? (cached ?? 0) + countOf(round.newly_append_tokens);
  if (prompt <= 0) return null;
  const events = objectsOf(round.timing_events);
  const first = events.findIndex(({ event_type: type }) => !isIn(SAID, type));
  const before = first === -1 ? events : events.slice(0, first);
  const after = first === -1 ? [] : events.slice(first);
  const output = tokensOf(round.output_tokens);
  const answered = times(after);
  const endedMs = latestOf(answered);
  const sentMs = latestOf(times(before)) ?? answered[0] ?? null;
  const said = saidIn(before);
  const answer = answerIn(after, objectsOf(round.tools));
  return {
    // Ids repeat, and not only for copies of a round: a call is known by its id, its time and its size.
    id: [textOf(round.round_id), sentMs, endedMs, prompt, output].join('/'),
    session: textOf(round.session_id) ?? '',
    thread: null,
    provider: ownValue(PROVIDERS, textOf(round.provider) ?? '') ?? textOf(round.provider),
    model: textOf(round.model) ?? 'unknown',
    timeMs: sentMs,
    endedMs,
    prompt,
    cached,
    written: tokensOf(round.claude_cache_creation_input_tokens),
    output,
    prefix: [],
    ...(said.length === 0 ? {} : { said }),
    ...(answer.length === 0 ? {} : { answer }),
  };
}

const CARRIES = allBut('text', 'lifetimes', 'subagents', 'boundaries');

function isRound(line: JsonObject): boolean {
  return 'session_id' in line && 'prefix_tokens' in line && 'newly_append_tokens' in line;
}

/** Reads rounds of TraceLab, one a line, of any number of sessions: sizes, times and usage of every call, no content. */
export const traceLabReader = defineReader({
  name: 'tracelab',
  label: 'TraceLab trace',
  carries: CARRIES,
  detect: (head) => headLines(head).some(isRound),
  sessionOf: (line) => textOf(line.session_id),
  read(file) {
    const rounds = file.records().filter(isRound);
    // Rounds are numbered within their session, some twice: those stay in the order of the file.
    const ordered = rounds.sort((a, b) => countOf(a.round_index) - countOf(b.round_index));
    const rows = ordered.flatMap((round) => rowOf(round) ?? []);
    file.warnings.add(
      'broken-lines',
      `${file.name}: rounds without a prompt were left out`,
      null,
      rounds.length - rows.length,
    );
    return readRows(rows, CARRIES, file.warnings);
  },
});
