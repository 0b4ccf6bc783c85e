import { describe, expect, it } from 'vitest';
import { recordedTruth } from '../../../src/analysis/validate/truth.js';
import { countOnce } from '../../../src/analysis/why/count-once.js';
import { type JudgedCompaction, judgeCompactions } from '../../../src/analysis/why/judge-compactions.js';
import { sumUp } from '../../../src/analysis/why/sum-up.js';
import type { Step, Transcript } from '../../../src/core/model/transcript.js';
import {
  answered,
  ask,
  attachment,
  type Fields,
  firstThread,
  messagesOf,
  readSession,
  result,
  say,
  system,
  usage,
  user,
} from '../../helpers/session.js';
import { explained, nano, READ, W1 } from './sessions.js';

const FILE = [
  'export const retryLimit_ms = 4200;',
  'export function connectSocket(host: string) {',
  '  return openChannel(host, retryLimit_ms);',
  '}',
  ...Array.from(
    { length: 95 },
    (_, i) => `// ${i}: a line that says nothing, and is here for the sake of its length`,
  ),
].join('\n');

/** Call `i`, a minute after the one before; what it writes is written for an hour. */
const called = (i: number, content: unknown, read: number, written: number): Fields =>
  answered(i, 60 * i, content, usage(0, read, written, 100));
const reads = (i: number, read: number, written: number): Fields =>
  called(i, ask(`t${i}`, 'Read', { file_path: '/repo/socket.ts' }), read, written);
const got = (i: number, text = FILE): Fields => result(`r${i}`, 60 * i + 1, `t${i}`, text);
const boundary = (at: number, summary: string): readonly Fields[] => [
  system('b', at, 'compact_boundary', { compactMetadata: { trigger: 'manual', preTokens: 32_200 } }),
  user('s', at + 1, summary, { isCompactSummary: true }),
];

/** The file is read by the first of two calls: 2,000 tokens, as the next prompt has 100 for the call and 2,000 more. */
const OPENING: readonly Fields[] = [
  user('u1', 0, 'look at the socket'),
  reads(1, 20_000, 10_000),
  got(1),
  called(2, say('I see.'), 30_000, 2_100),
];
/** It is read again by the first call behind the compaction, sent by the second and carried by the third. */
const AGAIN: readonly Fields[] = [
  user('u3', 170, 'go on'),
  reads(3, 20_000, 3_000),
  got(3),
  called(4, say('I see.'), 23_000, 2_100),
  user('u5', 290, 'and now?'),
  called(5, say('done'), 25_100, 300),
];
const SILENT = 'We looked at a file.';

const judged = (transcript: Transcript): readonly JudgedCompaction[] =>
  judgeCompactions(transcript, recordedTruth(transcript));
const one = (...lines: Fields[]): JudgedCompaction => {
  const all = judged(readSession(lines));
  expect(all).toHaveLength(1);
  return all[0]!;
};

describe('what is read again behind a recorded compaction', () => {
  const found = one(...OPENING, ...boundary(125, SILENT), ...AGAIN);

  it('is counted with what it cost when it was sent, and while it is carried', () => {
    expect(found.after).toEqual({
      calls: 3,
      rereads: 1,
      tokens: 2_000,
      writtenNano: nano(2_000, W1),
      carriedNano: nano(2_000, READ),
    });
    expect(found).toMatchObject({ request: 3, trigger: 'manual', tokensBefore: 32_200, isMain: true });
  });

  it('stands beside what was read again in front of it, in calls of the same number', () => {
    expect(found.before).toEqual({ calls: 2, rereads: 0, tokens: 0, writtenNano: 0, carriedNano: 0 });
    // 24 calls between the first reading and the third: what they read again was there in front of them.
    const idle = Array.from({ length: 22 }, (_, k) => [
      user(`u${k + 3}`, 60 * (k + 3) - 1, `step ${k}`),
      called(k + 3, say('fine'), 32_100 + 300 * k, 300),
    ]).flat();
    const transcript = readSession([
      ...OPENING,
      ...idle,
      user('v', 60 * 25 - 1, 'again'),
      reads(25, 38_700, 300),
      got(25),
      called(26, say('I see'), 39_000, 2_100),
      ...boundary(60 * 26 + 5, SILENT),
      user('w', 60 * 27 - 1, 'go on'),
      called(27, say('fine'), 20_000, 3_000),
    ]);
    const [late] = judged(transcript) as readonly [JudgedCompaction];
    const { tokens } = messagesOf(firstThread(transcript)).find(({ id }) => id === 'r25')!.blocks[0]!;
    expect(late.before).toMatchObject({ calls: 24, rereads: 1, tokens, writtenNano: nano(tokens, W1) });
    expect(late.after).toMatchObject({ calls: 1, rereads: 0, tokens: 0 });
  });

  it('is not counted beyond 24 calls, nor where the file was edited meanwhile', () => {
    const idle = Array.from({ length: 24 }, (_, k) => [
      user(`u${k + 3}`, 60 * (k + 3) - 1, `step ${k}`),
      called(k + 3, say('fine'), 20_000 + 300 * k, 300),
    ]).flat();
    const late = one(
      ...OPENING,
      ...boundary(125, SILENT),
      ...idle,
      user('v', 60 * 27 - 1, 'again'),
      reads(27, 28_000, 300),
      got(27),
      called(28, say('done'), 28_300, 2_100),
    );
    expect(late.after).toMatchObject({ calls: 24, rereads: 0, tokens: 0 });
    const edit = { file_path: '/repo/socket.ts', old_string: 'ms = 4200', new_string: 'ms = 9' };
    const edited = one(
      ...OPENING,
      ...boundary(125, SILENT),
      user('u3', 170, 'go on'),
      called(3, ask('t3', 'Edit', edit), 20_000, 3_000),
      got(3, 'ok'),
      reads(4, 23_000, 200),
      got(4),
      called(5, say('done'), 23_200, 2_100),
    );
    expect(edited.after.rereads).toBe(0);
  });

  it('counts once: what is read a second time behind it was there behind it', () => {
    const twice = one(
      ...OPENING,
      ...boundary(125, SILENT),
      ...AGAIN,
      user('u6', 350, 'once more'),
      reads(6, 25_400, 300),
      got(6),
      called(7, say('done'), 25_700, 2_100),
    );
    expect(twice.after).toMatchObject({ calls: 5, rereads: 1, tokens: 2_000 });
  });

  it('is looked for in sessions with a compaction alone', () => {
    const transcript = readSession([...OPENING, ...AGAIN]);
    const unreadable = (step: Step): Step => {
      if (step.kind !== 'message') return step;
      const blocks = step.message.blocks.map((block) => ({
        ...block,
        text: {
          ...block.text!,
          read: (): string => {
            throw new Error('the text was read');
          },
        },
      }));
      return { ...step, message: { ...step.message, blocks } };
    };
    const threads = transcript.threads.map((thread) => ({ ...thread, steps: thread.steps.map(unreadable) }));
    expect(judged({ ...transcript, threads })).toEqual([]);
    const blank = readSession([...OPENING, ...boundary(125, SILENT), ...AGAIN]);
    expect(judged({ ...blank, carries: blank.carries.filter((each) => each !== 'text') })).toEqual([]);
  });

  it('counts once in sessions that share it', () => {
    const session = explained(readSession([...OPENING, ...boundary(125, SILENT), ...AGAIN]));
    const both = [session, { ...session, file: 'copy.jsonl' }];
    expect(countOnce(both).map(({ compactions }) => compactions.length)).toEqual([1, 0]);
    const { compactions } = sumUp(both, []);
    expect(compactions).toMatchObject([
      {
        file: 'session.jsonl',
        request: 3,
        sessionRequest: 3,
        at: '2026-01-02 00:02',
        rereadTokens: 2_000,
        rereadUsd: 0.012,
        carriedUsd: 0.0006,
        before: { rereadTokens: 0, rereadUsd: 0 },
      },
    ]);
  });
});

describe('what is missing behind a recorded compaction', () => {
  const named = (summary: string, ...between: Fields[]): JudgedCompaction['lost'] =>
    one(
      ...OPENING,
      ...boundary(125, summary),
      ...between,
      user('u3', 170, 'go on'),
      called(3, say('connectSocket waits too long'), 20_000, 3_000),
      user('u4', 230, 'and now?'),
      called(4, say('rename connectSocket, and retryLimit_ms too'), 23_000, 300),
    ).lost;

  it('is what a call names that no message behind it tells: once, with the line it stood in', () => {
    expect(named(SILENT)).toEqual([
      {
        kind: 'echo',
        what: 'connectSocket',
        line: 'export function connectSocket(host: string) {',
        origin: 'result',
        tool: 'Read',
        path: '/repo/socket.ts',
        tokens: 2_000,
        request: 3,
      },
    ]);
  });

  const NAME = 'connectSocket';
  it.each([
    ['whole where it has 100 characters', `${'x '.repeat(40)}${NAME} y y y;`, null],
    ['without its beginning', `${'x '.repeat(60)}${NAME}`, `…${'x '.repeat(21)}${NAME}`],
    ['without its end', `${NAME}${' y'.repeat(60)}`, `${NAME}${' y'.repeat(43)}…`],
    [
      'without both, cut in front of the 43 characters before it',
      `${'x '.repeat(60)}${NAME}${' y'.repeat(60)}`,
      `…${'x '.repeat(21)}${NAME}${' y'.repeat(22)}…`,
    ],
  ])('is shown with its line %s', (_, line, shown) => {
    const file = FILE.replace(/^.*connectSocket.*$/m, line);
    const [lost] = one(
      ...OPENING.slice(0, 2),
      got(1, file),
      OPENING[3]!,
      ...boundary(125, SILENT),
      user('u3', 170, 'go on'),
      called(3, say(`${NAME} waits too long`), 20_000, 3_000),
    ).lost!;
    expect(lost!.line).toBe(shown ?? line);
  });

  it('is nothing that the summary tells, the user says, or a file has that is attached again', () => {
    expect(named('We looked at connectSocket and its retryLimit_ms.')).toEqual([]);
    expect(named(SILENT, user('v', 128, 'what of `net.connectSocket` and retryLimit_ms?'))).toEqual([]);
    const restored = {
      type: 'file',
      filename: '/repo/socket.ts',
      content: { type: 'text', file: { content: 'x' } },
    };
    expect(named(SILENT, attachment('f', 128, restored))).toEqual([]);
    const other = { ...restored, filename: '/repo/other.ts' };
    expect(named(SILENT, attachment('f', 128, other))).toHaveLength(1);
  });

  it('is nothing that stood in a message which the compaction kept', () => {
    const transcript = readSession([
      ...OPENING,
      ...boundary(125, SILENT),
      user('u3', 170, 'go on'),
      called(3, say('connectSocket waits too long'), 20_000, 3_000),
    ]);
    const keeping = (keptIds: readonly string[]): Transcript => ({
      ...transcript,
      threads: transcript.threads.map((thread) => ({
        ...thread,
        steps: thread.steps.map((step) =>
          step.kind === 'event' && step.event.kind === 'recorded-compaction'
            ? { ...step, event: { ...step.event, keptIds } }
            : step,
        ),
      })),
    });
    expect(judged(keeping([]))[0]!.lost).toHaveLength(1);
    expect(judged(keeping(['r1']))[0]!.lost).toEqual([]);
  });

  it('is nothing that was fetched again before', () => {
    const fetched = one(
      ...OPENING,
      ...boundary(125, SILENT),
      user('u3', 170, 'go on'),
      reads(3, 20_000, 3_000),
      got(3),
      called(4, say('connectSocket waits too long'), 23_000, 2_100),
    );
    expect(fetched.lost).toEqual([]);
  });

  it('is not known where the summary is not recorded', () => {
    const transcript = readSession([...OPENING, ...boundary(125, SILENT), ...AGAIN]);
    const threads = transcript.threads.map((thread) => ({
      ...thread,
      steps: thread.steps.map((step) =>
        step.kind === 'event' && step.event.kind === 'recorded-compaction'
          ? { ...step, event: { ...step.event, summary: null } }
          : step,
      ),
    }));
    expect(judged({ ...transcript, threads })[0]!.lost).toBeNull();
  });
});

it('counts what the user says again behind a compaction', () => {
  const rules =
    'Never touch the folder dist.\nWrite every test before the code.\nUse tabs and no semicolons.';
  const said = (at: number): Fields => user(`rules${at}`, at, rules);
  const asked = (...behind: Fields[]): number =>
    one(
      said(0),
      called(1, say('fine'), 20_000, 10_000),
      ...boundary(65, SILENT),
      ...behind,
      called(2, say('sorry'), 20_000, 3_000),
      user('u3', 170, 'go on'),
      called(3, say('fine'), 23_000, 300),
    ).repeats;
  expect(asked(said(100))).toBe(1);
  expect(asked(user('u2', 100, 'go on'))).toBe(0);
});
