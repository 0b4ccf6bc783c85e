import type { Usage } from '../../../core/model/usage.js';
import type { Piece } from '../../drafts/thread-draft.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { latestOf, timeOf } from '../../lines/time-of.js';
import { toolCallPiece, toolResultPiece } from '../tool-pieces.js';

/** One request of the model inside a message: what it wrote, what its tools gave back, what was billed. */
export interface StepParts {
  readonly id: string;
  readonly pieces: readonly Piece[];
  readonly results: readonly Piece[];
  readonly usage: Usage | null;
  readonly stopReason: string | null;
  /** When the response was complete, and when the last tool was. */
  readonly endMs: number | null;
  readonly resultsMs: number | null;
}

/** Usage in the normal form: input stands apart from the cache. A total tells whether the output holds the reasoning. */
export function opencodeUsage(tokens: unknown): Usage | null {
  const counts = objectOf(tokens);
  const cache = objectOf(counts.cache);
  const input = numberOf(counts.input);
  const output = numberOf(counts.output);
  if (input === null || output === null) return null;
  const cacheRead = numberOf(cache.read) ?? 0;
  const cacheWrite5m = numberOf(cache.write) ?? 0;
  const reasoning = numberOf(counts.reasoning) ?? 0;
  if (input + cacheRead + cacheWrite5m + output <= 0) return null;
  const isInside = numberOf(counts.total) === input + cacheRead + cacheWrite5m + output;
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output: output + (isInside ? 0 : reasoning) };
}

function toolPieces(part: JsonObject, id: string): { readonly call: Piece; readonly result: Piece } {
  const state = objectOf(part.state);
  const tool = textOf(part.tool);
  const args = state.input;
  const images = listOf(state.attachments).filter((item) => isImage(objectOf(item).mime)).length;
  const text = textOf(state.output) ?? textOf(state.error) ?? (state.status === 'completed' ? '' : null);
  const outcome = state.status === 'completed' ? 'success' : 'error';
  return {
    call: toolCallPiece({ id, tool, args }),
    result: toolResultPiece({ id, tool, text, outcome, args, images }),
  };
}

function isImage(mime: unknown): boolean {
  return typeof mime === 'string' && mime.startsWith('image/');
}

/** The requests of an assistant's message: each `step-finish` ends one. What follows the last has no usage of its own. */
export function stepsOf(messageId: string, parts: readonly JsonObject[]): readonly StepParts[] {
  const steps: StepParts[] = [];
  let pieces: Piece[] = [];
  let results: Piece[] = [];
  let ends: (number | null)[] = [];
  let toolEnds: (number | null)[] = [];
  const finish = (part: JsonObject | null): void => {
    const id = textOf(part?.id) ?? `${messageId}-${steps.length + 1}`;
    steps.push({
      id,
      pieces,
      results,
      usage: opencodeUsage(part?.tokens),
      stopReason: results.length > 0 ? 'tool_use' : 'end_turn',
      endMs: latestOf(ends),
      resultsMs: latestOf(toolEnds),
    });
    [pieces, results, ends, toolEnds] = [[], [], [], []];
  };
  for (const part of parts) {
    const time = objectOf(part.time);
    if (part.type === 'text' && textOf(part.text) !== null) {
      pieces.push({ kind: 'text', text: String(part.text) });
      ends.push(timeOf(time.end));
    } else if (part.type === 'reasoning') {
      pieces.push({ kind: 'thinking', text: textOf(part.text) });
      ends.push(timeOf(time.end));
    } else if (part.type === 'tool') {
      const spent = objectOf(objectOf(part.state).time);
      const { call, result } = toolPieces(
        part,
        textOf(part.callID) ?? textOf(part.id) ?? `${messageId}-tool-${results.length}`,
      );
      pieces.push(call);
      results.push(result);
      ends.push(timeOf(spent.start));
      toolEnds.push(timeOf(spent.end));
    } else if (part.type === 'step-finish') finish(part);
  }
  if (pieces.length > 0) finish(null);
  return steps;
}

/** The pieces of a message of the user; what the client put there by itself is told apart. */
export function spokenPieces(parts: readonly JsonObject[]): {
  readonly pieces: readonly Piece[];
  readonly origin: 'human' | 'meta';
} {
  const used = parts.filter(({ ignored }) => ignored !== true);
  const pieces = used.flatMap((part): readonly Piece[] => {
    if (part.type === 'text')
      return textOf(part.text) === null ? [] : [{ kind: 'text', text: String(part.text) }];
    if (part.type !== 'file' || part.mime === 'text/plain' || part.mime === 'application/x-directory')
      return [];
    return [{ kind: isImage(part.mime) ? 'image' : 'document', text: null }];
  });
  const isTyped = used.some(({ type, synthetic }) => type === 'text' && synthetic !== true);
  return { pieces, origin: isTyped || pieces.length === 0 ? 'human' : 'meta' };
}

/** The parts of a record that are objects. */
export function partsOf(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}
