import { answered, ask, type Fields, result, say, usage, user } from '../session.js';

/** What a call does: it reads a file of a length that nobody read before, reads one again, or names what earlier ones told. */
export type Deed =
  | { readonly reads: number }
  | { readonly again: number }
  | { readonly names: readonly number[] };

const marker = (file: number): string => `retryLimit_of_${file}`;
const PLAIN = 'and so it goes on and on. ';

/** A line that only this file has, two more, and a long one. */
const textOf = (file: number, tokens: number): string =>
  `${marker(file)}\nthe second line of ${file}\nthe third line of ${file}\nthe fourth line of ${file}\n${`line ${file} ${PLAIN}`.repeat(Math.ceil(tokens / 8))}`;

/** The lines of a session whose first prompt has 10,000 tokens with all that is in front of it, and whose calls do one thing each. */
export function linesOf(deeds: readonly Deed[]): readonly Fields[] {
  let tokens = 10_000;
  const lengths: number[] = [];
  const lines: Fields[] = [user('u0', 0, 'look at the files')];
  deeds.forEach((deed, i) => {
    const known = lengths.length;
    const again = 'again' in deed && deed.again < known ? deed.again : null;
    const read = 'reads' in deed ? known : again;
    const named = 'names' in deed ? deed.names : [];
    const content =
      read === null
        ? say(`it is ${named.filter((each) => each < known).map(marker)}`)
        : ask(`t${i}`, 'Read', { file_path: `/repo/${read}.ts` });
    const counts = usage(0, i === 0 ? 0 : tokens - 100, i === 0 ? tokens : 100, 20);
    lines.push(answered(i, 60 * i + 10, content, counts));
    if ('reads' in deed) lengths.push(deed.reads);
    if (read !== null) {
      lines.push(result(`r${i}`, 60 * i + 20, `t${i}`, textOf(read, lengths[read]!)));
      tokens += lengths[read]!;
    } else lines.push(user(`u${i + 1}`, 60 * i + 50, 'go on'));
  });
  return lines;
}
