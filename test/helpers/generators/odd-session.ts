import fc from 'fast-check';
import {
  ask,
  assistant,
  attachment,
  type Fields,
  progress,
  result,
  say,
  system,
  told,
  usage,
  user,
} from '../session.js';

const MODEL = { model: 'claude-sonnet-4-5' };

/** A response that grows the conversation by this many tokens. */
function response(uuid: string, seconds: number, id: string, content: unknown, prompt: number): Fields {
  return assistant(uuid, seconds, id, content, { ...MODEL, usage: usage(4, prompt - 2_004, 2_000, 300) });
}

const boundary = (uuid: string, seconds: number, preTokens: number, fields: Fields = {}): Fields =>
  system(uuid, seconds, 'compact_boundary', {
    compactMetadata: { trigger: 'auto', preTokens, ...fields },
    logicalParentUuid: 'r2',
  });

/** A small session with everything that sessions are known to hold, in order. */
export const ODD_LINES: readonly Fields[] = [
  user('u0', 0, []),
  user('u1', 1, 'please look at the code '.repeat(40)),
  response('a1a', 2, 'm1', [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }], 30_000),
  response('a1b', 3, 'm1', ask('t1', 'Read', { file_path: '/repo/a.ts' }), 30_000),
  response('a1c', 3, 'm1', ask('t2', 'Bash', { command: 'ls' }), 30_000),
  progress('p1', 4, { type: 'bash_progress', output: 'half' }),
  result('r1', 4, 't1', 'const a = 1;\n'.repeat(900)),
  result('r2', 5, 't2', 'a.ts\n'.repeat(200)),
  result('r2again', 5, 't2', 'a.ts\n'),
  attachment('att1', 5, { type: 'todo_reminder', content: [] }, { parentUuid: 'r2' }),
  response('a2', 6, 'm2', ask('agent-call', 'Task', { prompt: 'look' }), 60_000),
  told('ag1', user('g1', 7, 'look')),
  told('ag1', assistant('g2', 8, 'mg1', ask('tg1'), { ...MODEL, usage: usage(3, 9_000, 900, 40) })),
  told('ag1', result('g3', 9, 'tg1')),
  result('r3', 10, 'agent-call', 'found it'),
  result('r4', 10, 'nobody', 'a result without a call'),
  response('a3', 12, 'm3', say('done'), 110_000),
  assistant('syn', 13, 'syn', say('API Error'), { model: '<synthetic>' }, { isApiErrorMessage: true }),
  system('err', 13, 'api_error', { error: { status: 529 } }),
  user('meta', 14, 'keep going', { isMeta: true }),
  user('cmd', 15, '<command-name>/compact</command-name>'),
  user('shown', 15, 'only on screen', { isVisibleInTranscriptOnly: true }),
  response('a4', 16, 'm4', ask('t4', 'Grep'), 160_000),
  result('r5', 17, 't4', 'match\n'.repeat(9_000)),
  boundary('b1', 18, 175_000),
  user('s1', 18, 'summary of it all', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
  attachment(
    'att2',
    19,
    { type: 'file', filename: '/repo/a.ts', content: 'const a = 1;' },
    { parentUuid: 's1' },
  ),
  response('a5', 20, 'm5', say('going on'), 40_000),
  user('u2', 1_000, 'and now the tests'),
  response('a6', 1_002, 'm6', ask('t6', 'Edit', { file_path: '/repo/a.ts' }), 90_000),
  response('a6b', 1_003, 'm6', ask('t7', 'Edit', { file_path: '/repo/b.ts' }), 90_000),
  result('r7', 1_004, 't7', 'edited'),
  result('r6', 1_005, 't6', 'edited'),
  system('mb', 1_006, 'microcompact_boundary', {
    microcompactMetadata: { trigger: 'auto', preTokens: 9, tokensSaved: 5, compactedToolIds: ['t1'] },
  }),
  response('a7', 1_007, 'm7', [], 150_000),
  boundary('b2', 1_008, 190_000, { preservedMessages: { anchorUuid: 's2', uuids: ['a6', 'r6', 'gone'] } }),
  user('s2', 1_009, [{ type: 'text', text: 'second summary' }], { isCompactSummary: true }),
  response('a8', 1_010, 'm8', say('still here'), 20_000),
  user('u3', 9_000, 'after a pause', { version: '2.1.101' }),
  user('exit', 9_001, '<command-name>/exit</command-name>', { version: '2.1.101' }),
  user('u4', 9_100, 'back again', { version: '2.1.101', sessionId: 's2' }),
  response('a9', 9_101, 'm9', say('hello again'), 175_000),
  response('a10', 9_102, 'm10', ask('t10', 'Bash'), 196_000),
  { type: 'queue-operation', operation: 'enqueue', sessionId: 's1', content: 'later' },
  user('side', 50, 'warmup', { isSidechain: true }),
  assistant(
    'aside',
    51,
    'mside',
    say('ready'),
    { ...MODEL, usage: usage(1, 0, 500, 5) },
    { isSidechain: true },
  ),
  assistant('bare', 9_200, 'mbare', ask('t11'), { ...MODEL, usage: null }),
];

/** The lines by two clients in any turns, each line behind the latest of its own client or behind any. */
const clientsInTurns: fc.Arbitrary<readonly Fields[]> = fc
  .tuple(
    fc.array(fc.constantFrom('2.1.100', '2.1.101'), {
      minLength: ODD_LINES.length,
      maxLength: ODD_LINES.length,
    }),
    fc.constantFrom('own', 'any'),
  )
  .map(([versions, parents]) =>
    ODD_LINES.map((line, i) => {
      const own = parents === 'own' ? versions.lastIndexOf(versions[i]!, i - 1) : -1;
      const parent = i === 0 ? undefined : ODD_LINES[own === -1 ? i - 1 : own];
      return { ...line, version: versions[i]!, parentUuid: parent?.uuid ?? null };
    }),
  );

/** Recordings that nobody wrote so: some of the lines, in any order, some of them twice. */
export const oddSession: fc.Arbitrary<readonly Fields[]> = fc.oneof(
  fc.shuffledSubarray([...ODD_LINES], { minLength: 1 }),
  fc.subarray([...ODD_LINES], { minLength: 1 }),
  fc.array(fc.constantFrom(...ODD_LINES), { minLength: 1, maxLength: 30 }),
  clientsInTurns,
  fc
    .tuple(fc.nat(ODD_LINES.length - 1), fc.nat(ODD_LINES.length - 1))
    .map(([a, b]) => ODD_LINES.slice(Math.min(a, b), Math.max(a, b) + 1)),
);
