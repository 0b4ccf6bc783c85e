import { ask, assistant, type Fields, result, say, usage, user } from '../session.js';

/** What a call does: it reads a file of a length that nobody read before, or names what earlier ones told. */
export type Deed = { readonly reads: number } | { readonly names: readonly number[] };

const MODEL = 'claude-sonnet-4-5';
const marker = (file: number): string => `retryLimit_of_${file}`;
const PLAIN = 'and so it goes on and on. ';

/** The lines of a session whose first prompt has 10,000 tokens with all that is in front of it, and whose calls do one thing each. */
export function linesOf(deeds: readonly Deed[]): readonly Fields[] {
  let tokens = 10_000;
  let file = 0;
  const lines: Fields[] = [user('u0', 0, 'look at the files')];
  deeds.forEach((deed, i) => {
    const content =
      'reads' in deed
        ? ask(`t${i}`, 'Read', { file_path: `/repo/${file}.ts` })
        : say(`it is ${deed.names.filter((each) => each < file).map(marker)}`);
    const counts = usage(0, i === 0 ? 0 : tokens - 100, i === 0 ? tokens : 100, 20);
    lines.push(assistant(`a${i}`, 60 * i + 10, `m${i}`, content, { model: MODEL, usage: counts }));
    if ('reads' in deed) {
      const text = `${marker(file)}\n${`line ${file} ${PLAIN}`.repeat(Math.ceil(deed.reads / 8))}`;
      lines.push(result(`r${i}`, 60 * i + 20, `t${i}`, text));
      file++;
      tokens += deed.reads;
    } else lines.push(user(`u${i + 1}`, 60 * i + 50, 'go on'));
  });
  return lines;
}
