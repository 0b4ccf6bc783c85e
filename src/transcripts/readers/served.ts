import { CcbenchError } from '../../core/base/errors.js';
import { groupBy } from '../../core/base/groups.js';
import type { Transcript } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens } from '../../core/model/usage.js';
import { CAPABILITIES, less } from '../../core/run/capability.js';
import { createWarnings, type WarningList } from '../../core/run/warning.js';
import { carriesOf } from '../drafts/finish-recording.js';
import { decodeBytes, streamJsonLines } from '../lines/json-lines.js';
import { type JsonObject, jsonOf, soundTime } from '../lines/narrow.js';
import type { NamedReader, ReadOptions } from './reader.js';
import { lostBlock, ServedBlocks, sumOf, type WholeRequest } from './served-blocks.js';
import {
  looksLikeServed,
  readServedLine,
  SERVED_FORMAT,
  SERVED_VERSION,
  type ServedBlock,
  type ServedRequest,
} from './served-lines.js';
import { ServedThread } from './served-thread.js';

/** Damaged lines named one by one in a warning. */
const NAMED_LINES = 5;

interface Header {
  readonly startedAtMs: number | null;
  readonly text: 'kept' | 'digests';
}

/** The first line; a version that is not known is an error, since nothing behind it may be understood. */
function readHeader(line: JsonObject, name: string): Header {
  if (line.version !== SERVED_VERSION) {
    throw new CcbenchError(
      'bad-transcript',
      `${name}: version ${jsonOf(line.version)} of a serve recording is not known`,
      {
        hint: `this ccbench reads version ${SERVED_VERSION}; use the one that recorded it`,
        place: { file: name, line: 1 },
      },
    );
  }
  const started = typeof line.startedAt === 'string' ? Date.parse(line.startedAt) : Number.NaN;
  return { startedAtMs: soundTime(started), text: line.text === 'kept' ? 'kept' : 'digests' };
}

/** The requests of a file, in the order of their numbers, each once. @internal */
export function readLines(bytes: Uint8Array, name: string, warnings: WarningList) {
  let header: Header | null = null;
  const requests = new Map<number, ServedRequest>();
  const damaged: number[] = [];
  let repeated = 0;
  let unread = 0;
  for (const { line, value } of streamJsonLines([decodeBytes(bytes, { name, warnings })], {
    name,
    warnings,
  })) {
    if (value.format === SERVED_FORMAT) {
      header ??= readHeader(value, name);
      continue;
    }
    if (typeof value.unread === 'string') {
      unread++;
      continue;
    }
    const request = readServedLine(value);
    if (request === null) damaged.push(line);
    else if (requests.has(request.n)) repeated++;
    else requests.set(request.n, request);
  }
  const named = damaged.slice(0, NAMED_LINES).join(', ');
  const more = damaged.length > NAMED_LINES ? ` and ${damaged.length - NAMED_LINES} more` : '';
  warnings.add(
    'broken-lines',
    `${name}: not a request and left out: line ${named}${more}`,
    'the calls on those lines are missing from the replay',
    damaged.length,
  );
  warnings.add('repeated-rows', 'requests stand in the file twice: counted once', null, repeated);
  warnings.add(
    'unread-requests',
    'requests were passed on that the server could not read: they are left out',
    'their lines say why (unread)',
    unread,
  );
  const ordered = [...requests.values()].sort((a, b) => a.n - b.n);
  return { header: header ?? { startedAtMs: null, text: 'digests' as const }, requests: ordered };
}

/** Puts prompts together again, each from the one it is told by. @internal */
export class Prompts {
  readonly #latest = new Map<number, { readonly n: number; readonly blocks: readonly ServedBlock[] }>();
  /** Requests whose earlier one is lost. */
  incomplete = 0;

  whole(request: ServedRequest): WholeRequest {
    const before = this.#latest.get(request.conversation);
    const known = request.base === null ? [] : (before?.blocks ?? []);
    const isThere = request.base === null || (before?.n === request.base && request.same <= known.length);
    const parts = request.parts.map((part) =>
      'kind' in part ? [part] : known.slice(part[0], part[0] + part[1]),
    );
    const start = known.slice(0, request.same);
    const prompt = isThere ? [...start, ...parts.flat()] : this.#mend(request, start, parts.flat());
    this.#latest.set(request.conversation, { n: request.n, blocks: prompt });
    return { ...request, prompt };
  }

  /** What is missing counts as one block; where too much is there, only what the line itself tells is sure. */
  #mend(
    request: ServedRequest,
    start: readonly ServedBlock[],
    rest: readonly ServedBlock[],
  ): readonly ServedBlock[] {
    this.incomplete++;
    const left = promptTokens(request.usage) - sumOf(start) - sumOf(rest);
    if (left >= 0) return [...start, ...(left > 0 ? [lostBlock(request.n, left)] : []), ...rest];
    const own = request.parts.flatMap((part) => ('kind' in part ? [part] : []));
    const room = promptTokens(request.usage) - sumOf(own);
    return room > 0 ? [lostBlock(request.n, room), ...own] : own;
  }
}

/** The conversation that the others are beside: of those that were the main one, the one with the most requests. */
function mainOf(conversations: ReadonlyMap<number, readonly ServedRequest[]>): number {
  const weight = (requests: readonly ServedRequest[]): number =>
    requests.length + (requests.some(({ kind }) => kind === 'main') ? Number.MAX_SAFE_INTEGER / 2 : 0);
  const [first, ...others] = conversations.keys();
  return others.reduce(
    (most, id) => (weight(conversations.get(id)!) > weight(conversations.get(most)!) ? id : most),
    first!,
  );
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const { header, requests } = readLines(bytes, id, warnings);
  if (requests.length === 0) {
    throw new CcbenchError('bad-transcript', `${id}: a serve recording without an answered request`, {
      hint: 'point a client at ccbench serve --record while it runs',
      place: { file: id },
    });
  }
  const conversations = groupBy(requests, ({ conversation }) => conversation);
  const main = mainOf(conversations);
  const blocks = new ServedBlocks();
  const prompts = new Prompts();
  const order = [main, ...[...conversations.keys()].filter((each) => each !== main)];
  const drafts = order.map((each) => {
    const kinds = new Set(conversations.get(each)!.map(({ kind }) => kind));
    const label = each === main ? 'main' : kinds.has('agent') ? 'subagent' : 'side call';
    return [
      each,
      new ServedThread(
        each === main ? 'main' : `conversation-${each}`,
        each === main ? null : 'main',
        label,
        blocks,
      ),
    ] as const;
  });
  const byConversation = new Map(drafts);
  for (const request of requests) byConversation.get(request.conversation)!.take(prompts.whole(request));
  warnings.add(
    'lost-prompt-parts',
    'prompts are told by requests whose lines are missing: what those told counts as one block',
    null,
    prompts.incomplete,
  );
  for (const [, { unsaidCompactions }] of drafts)
    warnings.add(
      'compaction-inferred',
      'prompts became much shorter without a request for a summary: taken for compactions',
      null,
      unsaidCompactions,
    );
  const threads = drafts.flatMap(([, draft]) => draft.threads());
  // Other APIs than that of Anthropic say nothing of writes where none is billed.
  const tellsWrites = requests.some(({ api, usage }) => api === 'messages' || cacheWriteTokens(usage) > 0);
  const best = less(CAPABILITIES, [
    ...(header.text === 'kept' ? [] : (['text'] as const)),
    ...(tellsWrites ? [] : (['cache-writes'] as const)),
  ]);
  const times = header.startedAtMs === null ? 'unknown' : 'known';
  return {
    id,
    source: 'served',
    carries: carriesOf(best, threads, { times, warnings }),
    agentVersion: null,
    startedAtMs: header.startedAtMs,
    threads,
    warnings: warnings.list(),
  };
}

/** Reads what `ccbench serve --record` writes. */
export const servedReader: NamedReader = {
  name: 'served',
  label: 'serve recording',
  carries: CAPABILITIES,
  detect: looksLikeServed,
  read,
};
