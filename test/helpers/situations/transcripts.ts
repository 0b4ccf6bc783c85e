import type { Transcript } from '../../../src/core/model/transcript.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { Conversation } from '../generators/conversation.js';
import { sessionsOf } from '../recordings/sessions.js';

/** A generated session in which most layers have something to do. */
export const BUSY = generateTranscript({
  workload: 'huge-outputs',
  turns: 100,
  seed: 3,
  text: 'filler',
  idle: [
    { afterTurn: 50, minutes: 75 },
    { afterTurn: 60, minutes: 7 },
  ],
  compactAt: [{ afterTurn: 40 }],
  resumeAt: [{ afterTurn: 70 }],
  messages: [{ afterTurn: 30, to: '*' }],
  subagents: { everyTurns: 40, turns: 10 },
});

/** Results of 60,000 tokens that the user has cleared. */
export const CLEARED_BY_HAND = generateTranscript({
  workload: 'bugfix',
  turns: 40,
  seed: 3,
  text: 'filler',
  steady: { gapSeconds: 20, outputTokens: 50, resultTokens: 2_000, charsPerToken: 4 },
  compactAt: [{ afterTurn: 30, only: 'results' }],
});

/** Children of one turn, some of which write to their parent. */
export const FORKS = generateTranscript({
  workload: 'huge-outputs',
  turns: 12,
  seed: 3,
  text: 'filler',
  forks: [
    {
      afterTurn: 4,
      children: 3,
      turns: 3,
      messages: [{ afterTurn: 1, to: 'main', subject: 'plan-request' }],
    },
    { afterTurn: 8, children: 4, turns: 2 },
  ],
  messages: [{ afterTurn: 5, to: '*', way: 'team' }],
});

/** What the recorded first request of a thread found in the cache. */
const FOUND = { input: 0, cacheRead: 14_000, cacheWrite5m: 1_000, cacheWrite1h: 0, output: 10 };

/** The latest response of a conversation. */
function lastResponse(talk: Conversation): string {
  const step = talk.steps.at(-1)!;
  if (step.kind !== 'call') throw new Error('the latest step is no call');
  return step.call.response.id;
}

/** What a recording tells of its client: speakers, a lookup of tools, new processes, a response in one piece, images, thinking. */
function recorded(): Transcript {
  const talk = new Conversation({ model: 'claude-opus-4-5' });
  talk.event((at) => ({ kind: 'speaker', at, thinking: 'on' }));
  talk.human(900).answer(60, { thinking: 500, usage: FOUND });
  for (let i = 0; i < 6; i++)
    talk
      .human(100)
      .tools([{ tool: 'Read', tokens: 900, path: `/repo/${i}.json`, facts: { jsonLike: true } }], {
        thinking: 300,
      })
      .answer(50);
  talk.event((at) => ({ kind: 'rewind', at, lastId: lastResponse(talk) }));
  talk.type(30).answer(20);
  // Ten calls and ten results behind one breakpoint: as far as a breakpoint looks back.
  const ten = Array.from({ length: 10 }, (_, i) => ({ tool: 'Grep', tokens: 40, path: `/repo/${i}.ts` }));
  talk.human(30).tools(ten, { thinking: 200 }).answer(10);
  talk.event((at) => ({ kind: 'resume', at, reason: 'restart' })).turn(20, 10);
  talk.event((at) => ({ kind: 'speaker', at, thinking: 'off' }));
  talk.image(1_500).human(50);
  talk.tools([{ tool: 'ToolSearch', tokens: 60 }]).answer(40);
  talk.event((at) => ({ kind: 'fallback', at })).turn(50, 40);
  talk
    .event((at) => ({ kind: 'speaker', at, thinking: 'on' }))
    .human(50)
    .answer(10, { thinking: 90 });
  talk.wait(303).turn(20, 10);
  talk
    .wait(187)
    .event((at) => ({ kind: 'away-summary', at }))
    .wait(200)
    .turn(20, 10);
  for (let i = 0; i < 4; i++) talk.wait(3_700).turn(20, 10);
  const results = talk.steps.flatMap((step) =>
    step.kind === 'message' && step.message.origin === 'tool' ? [step.message.id] : [],
  );
  talk.event((at) => ({ kind: 'resume', at, reason: 'restart', lostIds: results.slice(-3) }));
  talk
    .human(20)
    .tools([{ tool: 'ToolSearch', tokens: 60 }])
    .answer(10);
  for (let i = 0; i < 40; i++) talk.human(40).wait(20).answer(30);
  return talk.transcript({
    source: 'claude-code',
    agentVersion: '2.1.112',
    carries: ['text', 'timestamps', 'tools', 'usage'],
  });
}

export const RECORDED = recorded();

/** Work on files of many sizes with all that comes back after a compaction: skills, lists, plans, background work, images. */
function work(): Transcript {
  const talk = new Conversation();
  talk.attach(600, null, { attachment: 'file', path: '/repo/src/notes.ts' });
  talk.human(3_000).tools([
    { tool: 'Skill', tokens: 20, effect: { kind: 'skill', name: 'review' } },
    { tool: 'Bash', tokens: 30, effect: { kind: 'background', label: 'npm run watch' } },
    { tool: 'TodoWrite', tokens: 20, effect: { kind: 'todo-list', items: 3, chars: 300 } },
  ]);
  talk.say('meta', 7_000).answer(40);
  const again = { tool: 'Read', tokens: 400, path: '/repo/src/again.ts', text: 'again\n'.repeat(250) };
  talk.human(20).tools([again]).tools([again]).answer(20);
  for (let i = 0; i < 36; i++) {
    if (i % 4 === 0) talk.human(200);
    if (i % 9 === 3) talk.image(1_500);
    const path = `/repo/src/${i % 8}.ts`;
    const tokens = 1_500 + (i % 8) * 900;
    const effect = { kind: 'write', chars: 8_000 } as const;
    if (i % 5 === 2)
      talk.tools([{ tool: 'Write', tokens: 30, callTokens: 2_000, path, effect }], { thinking: 300 });
    else talk.tools([{ tool: i % 3 === 0 ? 'Bash' : 'Read', tokens, path }], { thinking: 200 });
    if (i % 4 === 3) talk.answer(120).wait(40);
  }
  const compaction = { instructions: null, partial: null };
  talk.turn(40, 40).event((at) => ({ kind: 'manual-compact', at, compaction }));
  return talk.turn(40, 40).transcript();
}

export const WORK = work();

/** A talk without hurry: notes are written while nobody asks for anything. */
function slowTalk(): Transcript {
  const talk = new Conversation();
  for (let i = 0; i < 45; i++)
    talk
      .human(500)
      .tools([{ tool: 'Read', tokens: 300, path: `/repo/src/${i}.ts` }])
      .answer(700)
      .wait(60);
  return talk.transcript();
}

export const SLOW_TALK = slowTalk();

/** An agent that a session started, with more to read than a small window holds. */
function subagent(): Transcript {
  const main = new Conversation();
  main
    .human(50)
    .tools([{ tool: 'Task', tokens: 300 }])
    .wait(900)
    .answer(30);
  const child = new Conversation({ ids: 'child-' });
  child.human(500);
  for (let i = 0; i < 20; i++) child.tools([{ tool: 'Read', tokens: 4_000, path: `/repo/src/${i}.ts` }]);
  child.answer(200);
  return main.transcript({ threads: [main.thread(), child.thread('child', 'main')] });
}

export const SUBAGENT = subagent();

/** A model with a long window. */
export const LONG_MODEL = new Conversation({ model: 'claude-opus-4-6' })
  .turn(50, 20)
  .turn(50, 20)
  .transcript();

/** A conversation of 260,000 tokens whose user is away for 90 minutes, and another as long until its end. */
export const LEFT_ALONE = (() => {
  const talk = new Conversation({ model: 'claude-opus-4-6' });
  for (let half = 0; half < 2; half++) {
    talk.human(50);
    for (let i = 0; i < 26; i++) talk.tools([{ tool: 'Task', tokens: 10_000 }]);
    talk.answer(20).wait(5_400);
  }
  return talk.transcript();
})();

const WORDS = [
  'Please always use tabs for indentation in this project.',
  'Actually, never use tabs here: we indent with two spaces.',
  'We deploy from the release branch since yesterday.',
  'I prefer short commit messages.',
  'Thanks, that looks good.',
];

function chatty(name: string): Conversation {
  const talk = new Conversation({ ids: name });
  for (const text of WORDS) {
    talk
      .human(60, text)
      .tools([{ tool: 'Read', tokens: 2_500, path: `/repo/${name}.ts` }])
      .answer(300)
      .wait(30);
  }
  return talk;
}

/** Sessions of three days, so that dreams have something to do. */
export const WEEK = sessionsOf(
  [0, 2, 4, 6, 8, 30, 31, 60].map((afterHours, i) => {
    const name = 'abcdefgh'[i]!;
    return { name, afterHours, talk: chatty(name) };
  }),
);
