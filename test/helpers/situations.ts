import type { Transcript } from '../../src/model/transcript.js';
import { generateTranscript } from '../../src/transcript/synthetic/generate-transcript.js';
import { Conversation } from './conversation.js';
import type { PlanInit } from './plan.js';
import { sessionsOf } from './sessions.js';

/** Circumstances in which some parameters can be seen to matter. */
export interface Situation {
  readonly name: string;
  readonly transcript: Transcript;
  readonly init: PlanInit;
  /** Parameters that bring the situation about; those a policy does not have are left out. */
  readonly set?: Readonly<Record<string, unknown>>;
}

/** A session in which most layers have something to do. */
const BUSY = generateTranscript({
  workload: 'huge-outputs',
  turns: 150,
  seed: 3,
  text: 'filler',
  idle: [
    { afterTurn: 60, minutes: 75 },
    { afterTurn: 90, minutes: 7 },
  ],
  compactAt: [{ afterTurn: 40 }],
  resumeAt: [{ afterTurn: 80 }],
  forks: [
    {
      afterTurn: 100,
      children: 3,
      turns: 2,
      letters: [{ afterTurn: 1, to: 'main', subject: 'plan-request' }],
    },
    { afterTurn: 120, children: 4, turns: 1 },
  ],
  letters: [
    { afterTurn: 30, to: '*' },
    { afterTurn: 101, to: '*', way: 'team' },
  ],
  subagents: { everyTurns: 50, turns: 25 },
});

/** What a recording tells of its client: speakers, a lookup of tools, a new process, a response in one piece, images, thinking. */
function recorded(): Transcript {
  const found = (cacheRead: number) => ({
    input: 0,
    cacheRead,
    cacheWrite5m: 1_000,
    cacheWrite1h: 0,
    output: 10,
  });
  const talk = new Conversation({ model: 'claude-opus-4-5' });
  talk.event((at) => ({ kind: 'speaker', at, thinking: 'on' }));
  talk.human(900).answer(60, { thinking: 500, usage: found(14_000) });
  for (let i = 0; i < 14; i++)
    talk
      .human(100)
      .tools([{ tool: 'Read', tokens: 900, path: `/repo/${i}.ts` }], { thinking: 300 })
      .answer(50);
  talk.event((at) => ({ kind: 'speaker', at, thinking: 'off' }));
  talk
    .image(1_500)
    .human(50)
    .tools([{ tool: 'ToolSearch', tokens: 60 }])
    .answer(40);
  talk
    .event((at) => ({ kind: 'fallback', at }))
    .human(50)
    .answer(40);
  talk
    .event((at) => ({ kind: 'speaker', at, thinking: 'on' }))
    .human(50)
    .answer(10, { thinking: 90 });
  talk.human(30).tools(
    Array.from({ length: 24 }, (_, i) => ({ tool: 'Grep', tokens: 40, path: `/repo/${i}.ts` })),
    { thinking: 200 },
  );
  talk.answer(10).wait(290).human(20).answer(10).wait(3_700).human(20).answer(10);
  const lostIds = talk.steps.flatMap((step) =>
    step.kind === 'message' && step.message.origin === 'tool' ? [step.message.id] : [],
  );
  talk.event((at) => ({ kind: 'resume', at, reason: 'restart', lostIds: lostIds.slice(-3) }));
  talk
    .human(20)
    .tools([{ tool: 'ToolSearch', tokens: 60 }])
    .answer(10);
  for (let i = 0; i < 40; i++) talk.human(40).wait(20).answer(30);
  return talk.transcript({ agentVersion: '2.1.112', carries: ['text', 'timestamps', 'tools', 'usage'] });
}

/** Two sessions a day apart and a few beside them, so that dreams have something to do. */
function week(): Transcript {
  const day = (name: string, afterHours: number) => ({
    name,
    afterHours,
    talk: chatty(name),
  });
  return sessionsOf([
    day('a', 0),
    day('b', 2),
    day('c', 4),
    day('d', 6),
    day('e', 8),
    day('f', 30),
    day('g', 31),
    day('h', 60),
  ]);
}

function chatty(name: string): Conversation {
  const talk = new Conversation({ ids: name });
  const words = [
    'Please always use tabs for indentation in this project.',
    'Actually, never use tabs here: we indent with two spaces.',
    'We deploy from the release branch since yesterday.',
    'I prefer short commit messages.',
    'Thanks, that looks good.',
  ];
  for (const text of words) {
    talk
      .human(60, text)
      .tools([{ tool: 'Read', tokens: 2_500, path: `/repo/${name}.ts` }])
      .answer(300)
      .wait(30);
  }
  return talk;
}

const FILLED = { window: 70_000 } as const;

/** Every situation, the most telling first. */
export const SITUATIONS: readonly Situation[] = [
  {
    name: 'a busy session in a small window',
    transcript: BUSY,
    init: { ...FILLED, home: { memories: 3, files: [], lock: null } },
  },
  {
    name: 'what a recording tells of its client',
    transcript: recorded(),
    init: { cache: { fade: 'client' } },
  },
  { name: 'a week', transcript: week(), init: {} },
  {
    name: 'a summariser without notes',
    transcript: BUSY,
    init: FILLED,
    set: { 'sessionMemory.enabled': false },
  },
  ...(
    [
      ['prompt_too_long', 4_000],
      ['prompt_too_long_unparseable', null],
      ['overloaded', null],
      ['empty_summary', null],
      ['no_summary_tags', null],
      ['invalid_request', null],
    ] as const
  ).map(
    ([error, gapTokens]): Situation => ({
      name: `summaries that fail: ${error}`,
      transcript: BUSY,
      init: { ...FILLED, faults: [{ call: 'compact', error, gapTokens }] },
      set: { 'sessionMemory.enabled': false, 'client.retries': 1 },
    }),
  ),
  {
    name: 'nothing compacts',
    transcript: BUSY,
    init: FILLED,
    set: { 'compact.enabled': false },
  },
  {
    name: 'a service that stumbles',
    transcript: BUSY,
    init: { ...FILLED, faults: [{ call: 'main', error: 'overloaded', every: 3 }] },
  },
  { name: 'a large window', transcript: BUSY, init: {} },
];
