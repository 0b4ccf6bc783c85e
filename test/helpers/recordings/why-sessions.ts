import { explainSession, type SessionWhy } from '../../../src/analysis/why/session-why.js';
import { assistant, readSession, say, usage, user } from '../session.js';

const HOUR_S = 3_600;

/** What one answer of a session read and wrote, and the pause before it. */
interface Answer {
  readonly after: number;
  readonly read: number;
  readonly written: number;
}

/** A session of these answers, explained. */
function explained(file: string, project: string, answers: readonly Answer[]): SessionWhy {
  let at = 0;
  const lines = answers.flatMap(({ after, read, written }, i) => {
    at += after;
    return [
      user(`${file}u${i}`, at, `question ${i}`, { parentUuid: i === 0 ? null : `${file}a${i - 1}` }),
      assistant(
        `${file}a${i}`,
        at + 1,
        `${file}-${i}`,
        say('answer'),
        { model: 'claude-sonnet-4-5', usage: usage(10, read, written, 50) },
        { parentUuid: `${file}u${i}` },
      ),
    ];
  });
  const why = explainSession(readSession(lines), { file, project });
  if (!('bill' in why)) throw new Error(why.reason);
  return why;
}

/** This many answers, each of which reads what is there and writes 1,000 tokens more. */
function steady(count: number, from: number): readonly Answer[] {
  return Array.from({ length: count }, (_, i) => ({ after: 30, read: from + i * 1_000, written: 1_000 }));
}

/**
 * Three sessions of claude-sonnet-4-5 with entries of one hour. The first loses 40,000 tokens with its 12th request, after two
 * hours; the second has no break; the third loses 20,000 with its second request.
 */
export function whySessions(): readonly SessionWhy[] {
  return [
    explained('quiet.jsonl', 'garden', [{ after: 0, read: 0, written: 20_000 }, ...steady(5, 20_000)]),
    explained('lunch.jsonl', 'shop', [
      { after: 0, read: 0, written: 30_000 },
      ...steady(10, 30_000),
      { after: 2 * HOUR_S, read: 0, written: 40_000 },
      ...steady(4, 40_000),
    ]),
    explained('early.jsonl', 'shop', [
      { after: 0, read: 0, written: 20_000 },
      { after: 2 * HOUR_S, read: 0, written: 20_000 },
    ]),
  ];
}
