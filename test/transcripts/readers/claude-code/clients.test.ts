import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import { logFor, mainRequests } from '../../../helpers/plan.js';
import {
  answered,
  callsOf,
  eventsOf,
  type Fields,
  messagesOf,
  outline,
  readSession,
  say,
  system,
  usage,
  user,
  warningCodes,
} from '../../../helpers/session.js';

const OLD = { version: '2.1.100' };
const NEW = { version: '2.1.101' };

/** A prompt and its response; the response follows the prompt, the prompt a line of the conversation. */
function turn(
  n: number,
  parent: string | null,
  client: Fields,
  prompt = 20_000 + n * 400,
): readonly Fields[] {
  const counts = usage(10, prompt - 510, 500, 20);
  return [
    user(`u${n}`, n * 10, `prompt ${n}`, { parentUuid: parent, ...client }),
    answered(n, n * 10 + 5, say(`answer ${n}`), counts, {
      parentUuid: `u${n}`,
      ...client,
    }),
  ];
}

/** Two clients in turns: each goes on from its own line, the newer one from the second turn of the older. */
const IN_TURNS = [
  ...turn(1, null, OLD),
  ...turn(2, 'a1', OLD),
  ...turn(3, 'a2', NEW),
  ...turn(4, 'a2', OLD),
  ...turn(5, 'a3', NEW),
  ...turn(6, 'a4', OLD),
];

const ids = ({ threads }: Transcript) => threads.map((thread) => callsOf(thread).map((call) => call.id));

describe('clients that write one file in turns', () => {
  it('K15 are two conversations, and neither is a prefix that flips', () => {
    const transcript = readSession(IN_TURNS);
    expect(ids(transcript)).toEqual([
      ['m1', 'm2', 'm4', 'm6'],
      ['m3', 'm5'],
    ]);
    expect(transcript.threads.map(({ id, parentId, session }) => [id, parentId, session])).toEqual([
      ['main', null, 'main'],
      ['main-2', null, 'main-2'],
    ]);
    expect(transcript.sessions).toEqual([
      { name: 'main', startMs: 0, resumes: null, ending: 'clean' },
      { name: 'main-2', startMs: 20_000, resumes: 'main', ending: 'clean' },
    ]);
    const [first, second] = transcript.threads;
    expect(eventsOf(first!)).toEqual([]);
    expect(eventsOf(second!).map((event) => event.kind)).toEqual(['version', 'resume']);
    expect(warningCodes(transcript)).toContain('clients-in-turns');
  });

  it('K15 the second begins with what it took up, as context and not as calls', () => {
    const [, second] = readSession(IN_TURNS).threads;
    expect(outline(second!)).toEqual([
      'human u1',
      'model m1',
      'human u2',
      'model m2',
      'event version',
      'event resume',
      'human u3',
      'call m3',
      'human u5',
      'call m5',
    ]);
  });

  it('K15 what a conversation weighs is computed for each', () => {
    const small = [...IN_TURNS.slice(0, 4), ...turn(3, 'a2', NEW, 9_000), ...IN_TURNS.slice(6)];
    const weigh = (transcript: Transcript) =>
      messagesOf(transcript.threads[0]!).flatMap(({ blocks }) => blocks.map((block) => block.tokens));
    expect(weigh(readSession(small))).toEqual(weigh(readSession(IN_TURNS)));
  });

  it('K15 only what is left after a compaction is taken up', () => {
    const boundary = system('b', 22, 'compact_boundary', { ...OLD, compactMetadata: { trigger: 'auto' } });
    const summary = user('s', 23, 'summary', { ...OLD, parentUuid: 'b', isCompactSummary: true });
    const lines = [...IN_TURNS.slice(0, 4), boundary, summary, ...IN_TURNS.slice(4)];
    const [, second] = readSession(lines).threads;
    expect(outline(second!).slice(0, 3)).toEqual(['summary s', 'event version', 'event resume']);
  });

  it('K15 a session that starts afresh in the file takes up nothing', () => {
    const lines = [...IN_TURNS.slice(0, 4), ...turn(3, null, NEW), ...IN_TURNS.slice(6)];
    const transcript = readSession(lines);
    expect(outline(transcript.threads[1]!)).toEqual(['human u3', 'call m3', 'human u5', 'call m5']);
    expect(transcript.sessions![1]!.resumes).toBeNull();
  });

  it('K15 sessions alternate as versions do', () => {
    const lines = JSON.parse(
      JSON.stringify(IN_TURNS).replaceAll(
        '"sessionId":"s1","version":"2.1.101"',
        '"sessionId":"s2","version":"2.1.100"',
      ),
    ) as Fields[];
    expect(ids(readSession(lines))).toEqual([
      ['m1', 'm2', 'm4', 'm6'],
      ['m3', 'm5'],
    ]);
  });

  it.each<readonly [string, readonly Fields[]]>([
    [
      'each takes up what the other left',
      [...turn(1, null, OLD), ...turn(2, 'a1', NEW), ...turn(3, 'a2', OLD), ...turn(4, 'a3', NEW)],
    ],
    ['an update', [...turn(1, null, OLD), ...turn(2, 'a1', NEW), ...turn(3, 'a2', NEW)]],
    ['one comes back once', [...turn(1, null, OLD), ...turn(2, 'a1', NEW), ...turn(3, 'a1', OLD)]],
    [
      'parents that are not in the file',
      [...turn(1, null, OLD), ...turn(2, 'x', NEW), ...turn(3, 'y', OLD), ...turn(4, 'z', NEW)],
    ],
    [
      'one of them gets no response',
      [...turn(1, null, OLD), turn(2, 'a1', NEW)[0]!, ...turn(3, 'a1', OLD), turn(4, 'u2', NEW)[0]!],
    ],
  ])('K15 in doubt there is one: %s', (_name, lines) => {
    const transcript = readSession(lines);
    expect(transcript.threads).toHaveLength(1);
    expect(transcript.sessions).toBeUndefined();
  });

  it('K15 replayed, each reads what it wrote itself', () => {
    const requests = mainRequests(
      logFor({ policy: 'unbounded', set: { 'client.use': 'none' } }, readSession(IN_TURNS)),
    );
    const reads = requests.filter(({ thread }) => thread === 'main').map(({ read }) => read);
    const prompts = requests.filter(({ thread }) => thread === 'main').map(({ prompt }) => prompt);
    expect(reads).toEqual([0, ...prompts.slice(0, -1)]);
  });
});
