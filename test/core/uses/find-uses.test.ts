import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { nextUse, usesByThread, usesOf } from '../../../src/core/uses/find-uses.js';
import type { Use } from '../../../src/core/uses/uses.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { ask, assistant, type Fields, readSession, result, say, usage, user } from '../../helpers/session.js';

/** A file as the client shows it, with numbered lines. */
const FILE = [
  'export const retryLimit_ms = 4200;',
  'export function connectSocket(host: string) {',
  '  return openChannel(host, retryLimit_ms);',
  '}',
].join('\n');
const shown = (text: string): string =>
  text
    .split('\n')
    .map((line, i) => `     ${i + 1}→${line}`)
    .join('\n');

const USED = (i: number): Fields => ({ usage: usage(0, 1_000 * i, 1_000, 50) });
const read = (i: number, path: string): Fields =>
  assistant(`a${i}`, 10 * i, `m${i}`, ask(`t${i}`, 'Read', { file_path: path }), USED(i));
const answer = (i: number, text: string): Fields => assistant(`a${i}`, 10 * i, `m${i}`, say(text), USED(i));
const got = (i: number, text: string): Fields => result(`r${i}`, 10 * i + 1, `t${i}`, text);
const prompt = (i: number, text: string): Fields => user(`u${i}`, 10 * i - 1, text);

/** A session in which the second call has read the file, and some calls follow. */
const session = (...lines: Fields[]): Transcript =>
  readSession([
    prompt(1, 'look at the socket'),
    read(1, '/repo/socket.ts'),
    got(1, shown(FILE)),
    answer(2, 'I see.'),
    ...lines,
  ]);

const found = (transcript: Transcript): readonly Pick<Use, 'kind' | 'at' | 'what'>[] =>
  usesOf(transcript)![0]!.uses.map(({ kind, at, what }) => ({ kind, at, what }));

describe('what a call needs of earlier ones', () => {
  it('is the result that a rare identifier was first in', () => {
    const transcript = session(prompt(3, 'go on'), answer(3, 'connectSocket waits too long'));
    expect(found(transcript)).toEqual([{ kind: 'echo', at: 2, what: 'connectSocket' }]);
    const { items, uses } = usesOf(transcript)![0]!;
    expect(items[uses[0]!.item]).toMatchObject({
      origin: 'result',
      tool: 'Read',
      path: '/repo/socket.ts',
      seenAt: 1,
    });
  });

  it('is nothing where only plain words or words of its own come back', () => {
    expect(found(session(prompt(3, 'go on'), answer(3, 'the function returns a channel')))).toEqual([]);
    const own = session(
      prompt(3, 'go on'),
      answer(3, 'call it newSocketName'),
      prompt(4, 'and?'),
      answer(4, 'newSocketName it is'),
    );
    expect(found(own)).toEqual([]);
  });

  it('is the result whose lines an edit changes', () => {
    const edit = {
      file_path: '/repo/socket.ts',
      old_string: '  return openChannel(host, retryLimit_ms);',
      new_string: '  return null;',
    };
    const transcript = session(
      prompt(3, 'go on'),
      assistant('a3', 30, 'm3', ask('t3', 'Edit', edit)),
      got(3, 'ok'),
      answer(4, 'done'),
    );
    expect(found(transcript).map(({ kind }) => kind)).toContain('edit');
  });

  it('is a result that is fetched again, whatever the command, at the call that asks for it', () => {
    const again = session(
      prompt(3, 'go on'),
      assistant('a3', 30, 'm3', ask('t3', 'Bash', { command: 'cat socket.ts' }), USED(3)),
      got(3, FILE),
      answer(4, 'done'),
    );
    const rereads = usesOf(again)![0]!.uses.filter(({ kind }) => kind === 'reread');
    expect(rereads).toMatchObject([{ call: 'm3', at: 2, isStale: false }]);
    expect(rereads[0]!.tokens).toBeGreaterThan(0);
  });

  it('is not the result of a call that writes a file, whatever commands it writes', () => {
    const rereads = (tool: string, input: Fields) =>
      usesOf(
        session(
          prompt(3, 'go on'),
          assistant('a3', 30, 'm3', ask('t3', tool, input), USED(3)),
          got(3, shown(FILE)),
        ),
      )![0]!.uses.filter(({ kind }) => kind === 'reread').length;
    expect(rereads('Bash', { command: 'cat /repo/socket.ts' })).toBe(1);
    const script = { file_path: '/repo/show.sh', content: 'cat /repo/socket.ts' };
    expect(rereads('Write', script)).toBe(0);
  });

  it('is a result of which half of the lines were there before, and none with less', () => {
    const rereads = (...lines: readonly string[]) =>
      usesOf(
        session(
          prompt(3, 'go on'),
          assistant('a3', 30, 'm3', ask('t3', 'Bash', { command: 'cat other.ts' }), USED(3)),
          got(3, lines.join('\n')),
          answer(4, 'done'),
        ),
      )![0]!.uses.filter(({ kind }) => kind === 'reread').length;
    const old = FILE.split('\n').slice(0, 2);
    const others = [
      'const entirelyOtherName = 1;',
      'const anotherOtherName = 2;',
      'const thirdOtherName = 3;',
    ];
    expect(rereads(...old, ...others.slice(0, 2))).toBe(1);
    expect(rereads(...old, ...others)).toBe(0);
  });

  it('is not needed as it was where its file was edited since', () => {
    const edit = {
      file_path: '/repo/socket.ts',
      old_string: 'retryLimit_ms = 4200',
      new_string: 'retryLimit_ms = 9',
    };
    const transcript = session(
      prompt(3, 'go on'),
      assistant('a3', 30, 'm3', ask('t3', 'Edit', edit)),
      got(3, 'ok'),
      read(4, '/repo/socket.ts'),
      got(4, shown(FILE.replace('4200', '9'))),
      answer(5, 'done'),
    );
    const rereads = usesOf(transcript)![0]!.uses.filter(({ kind }) => kind === 'reread');
    expect(rereads).toMatchObject([{ isStale: true }]);
  });

  it('is what the user said before and says again', () => {
    const rules = [
      'Never touch the folder dist.',
      'Write every test before the code.',
      'Use tabs and no semicolons.',
    ].join('\n');
    const transcript = readSession([
      prompt(1, rules),
      answer(1, 'fine'),
      prompt(2, rules),
      answer(2, 'sorry'),
    ]);
    expect(found(transcript).map(({ kind }) => kind)).toEqual(['repeat']);
  });

  it('is not looked for in sessions that are made up, nor where there is no text', () => {
    expect(
      usesOf(generateTranscript({ workload: 'bugfix', turns: 5, seed: 1, model: 'claude-sonnet-4-5' })),
    ).toBeNull();
    expect(usesOf({ ...session(), carries: ['usage'] })).toBeNull();
  });
});

describe('the next use of an item', () => {
  it('is the first from a call on, that call included', () => {
    const transcript = session(
      prompt(3, 'go on'),
      answer(3, 'connectSocket waits too long'),
      prompt(4, 'and?'),
      answer(4, 'no idea'),
    );
    const [thread] = transcript.threads;
    const uses = usesByThread(transcript)!.get(thread!.id)!;
    const calls = thread!.steps.flatMap((step) => (step.kind === 'call' ? [step.call.id] : []));
    const [needed] = uses.items;
    // The third of four calls names what the file holds.
    expect(calls.map((call) => nextUse(thread!, uses, call, needed!))).toEqual([
      2,
      2,
      2,
      Number.POSITIVE_INFINITY,
    ]);
    expect(nextUse(thread!, uses, calls[0]!, { ...needed!, block: 7 })).toBe(Number.POSITIVE_INFINITY);
  });
});
