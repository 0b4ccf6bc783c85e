import { type Digest, formatDigest } from '../../../core/base/digest.js';
import type { Block } from '../../../core/model/block.js';
import { type AnswerBlock, blockOfAnswer } from '../../../provider/fake-api/answer.js';
import type { Conversation } from '../../../provider/fake-api/conversations.js';
import type { AnsweredCall } from '../../../provider/fake-api/fake-api.js';
import {
  SERVED_FORMAT,
  SERVED_VERSION,
  type ServedKind,
  servedBlock,
} from '../../../transcripts/readers/served-lines.js';
import type { ServedCall } from './ledger.js';

/** What was done with a call, by the simulation or a real API. */
export type ServedAnswer = Pick<AnsweredCall, 'request' | 'place' | 'latencyMs'> & {
  readonly answer: { readonly content: readonly AnswerBlock[]; readonly stopReason: string | null };
};

/** Whether a recording holds the texts of blocks, or their digests alone. */
export type KeptText = 'kept' | 'digests';

/** A prompt described by an earlier one: the blocks both begin with, then new blocks and stretches of the earlier prompt. */
function describeBy<Described>(
  before: readonly Digest[],
  blocks: readonly Block[],
  describe: (block: Block) => Described,
): { readonly same: number; readonly parts: readonly (Described | [from: number, count: number])[] } {
  let same = 0;
  while (same < before.length && same < blocks.length && before[same] === blocks[same]!.digest) same++;
  const places = new Map<Digest, number>();
  for (let i = before.length - 1; i >= 0; i--) places.set(before[i]!, i);
  const parts: (Described | [from: number, count: number])[] = [];
  let stretch: [from: number, count: number] | null = null;
  for (const block of blocks.slice(same)) {
    if (stretch !== null && before[stretch[0] + stretch[1]] === block.digest) {
      stretch[1]++;
      continue;
    }
    const place = places.get(block.digest);
    stretch = place === undefined ? null : [place, 1];
    parts.push(stretch ?? describe(block));
  }
  return { same, parts };
}

/** Writes the lines of a recording: one for each request, as long as what is new in it. */
export class RecordingLines {
  #main: number | null = null;
  readonly #text: KeptText;
  readonly #latest = new WeakMap<Conversation, { readonly n: number; readonly digests: readonly Digest[] }>();
  #requests = 0;

  constructor(text: KeptText) {
    this.#text = text;
  }

  /** Requests so far. */
  get requests(): number {
    return this.#requests;
  }

  /** The first line. */
  header(startedAtMs: number, counter: string): string {
    const startedAt = new Date(startedAtMs).toISOString();
    const head = { format: SERVED_FORMAT, version: SERVED_VERSION, startedAt, counter, text: this.#text };
    return `${JSON.stringify(head)}\n`;
  }

  /** The line of an answered request. */
  line(served: ServedCall, { request, place, answer, latencyMs }: ServedAnswer): string {
    const conversation = served.conversation!;
    const { blocks } = request.view;
    const before = this.#latest.get(place.conversation);
    const describe = (block: Block) => servedBlock(block, formatDigest(block.digest), this.#text);
    const { same, parts } = describeBy(before?.digests ?? [], blocks, describe);
    this.#latest.set(place.conversation, { n: served.number, digests: blocks.map(({ digest }) => digest) });
    this.#requests++;
    return `${JSON.stringify({
      n: served.number,
      atMs: served.startMs,
      api: served.api,
      conversation,
      kind: this.#kindOf(conversation, place.kind),
      model: request.model.tariffOf === undefined ? request.modelName : request.model.id,
      ...(before === undefined ? {} : { base: before.n, same }),
      parts,
      marks: request.breakpoints.map(({ position, ttlMs }) => [position, ttlMs / 1_000]),
      answer: answer.content.map((block) => describe(blockOfAnswer(block, request.count))),
      stop: answer.stopReason,
      usage: served.usage,
      ...(served.billed === null ? {} : { billed: served.billed }),
      latencyMs,
      ...(served.missReason === null ? {} : { miss: served.missReason, missedTokens: served.missedTokens }),
      ...(served.error === null ? {} : { error: served.error }),
    })}\n`;
  }

  /** The first conversation of the main thread is the session; another one beside it is a subagent's. */
  #kindOf(conversation: number, kind: ServedKind): ServedKind {
    if (kind !== 'main') return kind;
    this.#main ??= conversation;
    return this.#main === conversation ? 'main' : 'agent';
  }

  /** The line of a request that the real API answered and that could not be read. */
  unread({ number: n, startMs: atMs, api, error, billed }: ServedCall): string {
    return `${JSON.stringify({ n, atMs, api, unread: error, billed })}\n`;
  }
}
