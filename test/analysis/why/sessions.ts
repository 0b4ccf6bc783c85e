import { explainSession, type SessionWhy } from '../../../src/analysis/why/session-why.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { assistant, type Fields, readSession, say, usage, user } from '../../helpers/session.js';

const MODEL = { model: 'claude-sonnet-4-5' };

/** Written for five minutes. */
export function short(input: number, read: number, written: number, output: number): Fields {
  return {
    ...usage(input, read, 0, output),
    cache_creation_input_tokens: written,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
  };
}

/** One prompt and its answer. */
export interface Turn {
  readonly at: number;
  readonly usage: Fields;
  readonly extra?: Fields;
  readonly before?: readonly Fields[];
}

/** A session of prompts and answers with this usage; every answer takes a second. */
export function sessionOf(turns: readonly Turn[], version = '2.1.100'): Transcript {
  const lines = turns.flatMap(({ at, usage: own, extra = {}, before = [] }, i) => {
    const parent = i === 0 ? null : `a${i - 1}`;
    return [
      ...before,
      user(`u${i}`, at, `question ${i}`, { parentUuid: parent, version }),
      assistant(
        `a${i}`,
        at + 1,
        `msg_${i}`,
        say('answer'),
        { ...MODEL, usage: own, ...extra },
        { parentUuid: `u${i}`, version },
      ),
    ];
  });
  return readSession(lines);
}

/** What is said of it. */
export function explained(transcript: Transcript): SessionWhy {
  const why = explainSession(transcript, { file: 'session.jsonl', project: 'project' });
  if (!('bill' in why)) throw new Error(why.reason);
  return why;
}

/** Dollars per million tokens of claude-sonnet-4-5: written for 5 min, for 1 h, read. */
export const [W5, W1, READ] = [3.75, 6, 0.3];

/** What this many tokens cost. */
export const nano = (tokens: number, price: number): number => Math.round(tokens * price * 1_000);
