import { describe, expect, it } from 'vitest';
import {
  answered,
  ask,
  assistant,
  type Fields,
  readSession,
  result,
  say,
  system,
  usage,
  user,
} from '../../helpers/session.js';
import { explained, short } from './sessions.js';

const HOUR_S = 3_600;

/** What the second answer says, and what comes behind it before the third request. */
interface Pause {
  readonly answer: unknown;
  readonly behind: readonly Fields[];
}

const WORD = user('u2', 3 * HOUR_S, 'go on', { parentUuid: 'a1' });
const backAt = (seconds: number): Fields => result('r1', seconds, 't1', 'ok', { parentUuid: 'a1' });

/** Whether a pause of three hours before a request that writes 150,000 again is avoidable, and by how much a compaction saves. */
function compacting({ answer, behind }: Pause): { readonly avoidable: boolean; readonly acts: boolean } {
  const { requests, changes } = explained(
    readSession([
      user('u0', 0, 'question'),
      answered(0, 1, say('answer'), usage(10, 0, 20_000, 50), { parentUuid: 'u0' }),
      user('u1', 30, 'question', { parentUuid: 'a0' }),
      answered(1, 31, answer, usage(10, 20_000, 130_000, 50), { parentUuid: 'u1' }),
      ...behind,
      answered(2, 3 * HOUR_S + 1, say('answer'), usage(10, 0, 150_000, 50), {
        parentUuid: behind.at(-1)!.uuid,
      }),
    ]),
  );
  const change = changes.find(({ name }) => name === '/compact before long pauses')!;
  return {
    avoidable: requests[2]!.parts.some(({ avoidableNano }) => avoidableNano > 0),
    acts: change.savedNano !== 0 || change.offNano !== 0,
  };
}

describe('a compaction before a pause', () => {
  it('is possible where the agent waited for the user', () => {
    expect(compacting({ answer: say('done'), behind: [WORD] })).toEqual({ avoidable: true, acts: true });
  });

  it('is possible where the turn ended behind the result of a tool', () => {
    const behind = [backAt(32), { ...WORD, parentUuid: 'r1' }];
    expect(compacting({ answer: ask('t1', 'Edit'), behind })).toEqual({ avoidable: true, acts: true });
  });

  it('is not possible while a tool asks or runs', () => {
    const behind = [backAt(3 * HOUR_S)];
    expect(compacting({ answer: ask('t1', 'AskUserQuestion'), behind })).toEqual({
      avoidable: false,
      acts: false,
    });
  });

  it('comes too late where the cache ran out while the tool ran', () => {
    const behind = [backAt(2 * HOUR_S), { ...WORD, parentUuid: 'r1' }];
    expect(compacting({ answer: ask('t1', 'Bash'), behind })).toEqual({ avoidable: false, acts: false });
  });

  it('is not possible where no user spoke: the word before the last answer was about something else', () => {
    const behind = [user('u2', 3 * HOUR_S, 'a task has ended', { parentUuid: 'a1', isMeta: true })];
    expect(compacting({ answer: say('done'), behind })).toEqual({ avoidable: false, acts: false });
  });

  it('is not made twice', () => {
    const boundary = system('c0', 40, 'compact_boundary', {
      parentUuid: 'a1',
      compactMetadata: { trigger: 'manual', preTokens: 150_000 },
    });
    const behind = [boundary, { ...WORD, parentUuid: 'c0' }];
    expect(compacting({ answer: say('done'), behind })).toEqual({ avoidable: false, acts: false });
  });

  it('makes what follows smaller, also where an earlier compaction shows how large system and tools are', () => {
    const boundary = system('c0', 58, 'compact_boundary', {
      parentUuid: 'a1',
      compactMetadata: { trigger: 'auto', preTokens: 150_000 },
    });
    const summary = user('s0', 59, 'It was about a file.', { parentUuid: 'c0', isCompactSummary: true });
    const model = { model: 'claude-sonnet-4-6' };
    const long = 'the words of a long file '.repeat(16_000);
    const turn = (
      i: number,
      at: number,
      text: string,
      own: Fields,
      parentUuid: string,
    ): readonly Fields[] => [
      user(`u${i}`, at, text, { parentUuid }),
      assistant(`a${i}`, at + 1, `m${i}`, say('ok'), { ...model, usage: own }, { parentUuid: `u${i}` }),
    ];
    const { changes } = explained(
      readSession([
        user('u0', 0, 'question'),
        assistant(
          'a0',
          1,
          'm0',
          say('ok'),
          { ...model, usage: short(10, 0, 20_000, 50) },
          { parentUuid: 'u0' },
        ),
        ...turn(1, 30, long, short(10, 20_000, 130_000, 50), 'a0'),
        boundary,
        summary,
        ...turn(2, 60, 'go on', short(10, 12_000, 8_000, 50), 's0'),
        ...turn(3, 90, long, short(10, 20_000, 100_000, 50), 'a2'),
        ...turn(4, 90 + 3 * HOUR_S, 'go on', short(10, 0, 120_000, 50), 'a3'),
      ]),
    );
    const { savedNano } = changes.find(({ name }) => name === '/compact before long pauses')!;
    // The return wrote 120,000 tokens at $3.75 a million: $0.45. Compacted, it writes 12,000 of system and tools and a short
    // summary, which has read 120,000 at $0.30: $0.036. A summary of 5,000 tokens is $0.075.
    expect(savedNano).toBeGreaterThan(200_000_000);
    expect(savedNano).toBeLessThan(450_000_000);
  });
});
