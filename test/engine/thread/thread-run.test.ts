import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { HookContext } from '../../../src/core/run/layer.js';
import { LayerHost } from '../../../src/engine/thread/layer-host.js';
import { messageFrom } from '../../helpers/blocks.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../helpers/plan.js';

type Asked = HookContext & { readonly warm: boolean; readonly expires: number | null };

/** What the layers of a run are asked, and when. */
function momentsOf(transcript: Transcript, init: PlanInit = {}): readonly Asked[] {
  const moments: Asked[] = [];
  const { ask } = LayerHost.prototype;
  LayerHost.prototype.ask = function (this: LayerHost, moment, view, ...rest) {
    moments.push({ ...moment, warm: view.cacheIsWarm, expires: view.cacheExpiresMs });
    ask.call(this, moment, view, ...rest);
  };
  try {
    logFor(init, transcript);
  } finally {
    LayerHost.prototype.ask = ask;
  }
  return moments;
}

const brief = ({ point, now, turn, prompt }: Asked) =>
  `${point} ${now / 1_000} s, turn ${turn}, prompt ${prompt}`;

describe('the moments that layers are asked at', () => {
  const talk = () =>
    new Conversation()
      .turn(100, 10)
      .wait(299)
      .human(20)
      .tools([{ tool: 'Read', tokens: 5 }])
      .answer(10);

  it('LOP-1 are before and after each request, at the end of a loop, of the thread and of the session', () => {
    expect(momentsOf(talk().transcript()).map(brief)).toEqual([
      'results 0 s, turn 1, prompt 1',
      'before-request 0 s, turn 1, prompt 1',
      'after-response 1 s, turn 1, prompt 1',
      'end-of-loop 1 s, turn 1, prompt 1',
      'results 300 s, turn 2, prompt 2',
      'before-request 300 s, turn 2, prompt 2',
      'after-response 301 s, turn 2, prompt 2',
      'results 301 s, turn 3, prompt 2',
      'before-request 301 s, turn 3, prompt 2',
      'after-response 302 s, turn 3, prompt 2',
      'end-of-loop 302 s, turn 3, prompt 2',
      'thread-end 302 s, turn 3, prompt 2',
      'session-end 302 s, turn 3, prompt 2',
    ]);
  });

  it('CCH-2 know when the latest response came, and whether what it left is still cached: five minutes from its start', () => {
    const known = momentsOf(talk().transcript()).map(
      ({ lastResponseMs, warm, expires }) => [lastResponseMs, warm, expires] as const,
    );
    expect(known.slice(0, 2)).toEqual(Array(2).fill([null, false, null]));
    expect(known.slice(2, 4)).toEqual(Array(2).fill([1_000, true, 300_000]));
    // At 300 s to the millisecond it has ended.
    expect(known.slice(4, 6)).toEqual(Array(2).fill([1_000, false, 300_000]));
    expect(known.slice(6, 9)).toEqual(Array(3).fill([301_000, true, 600_000]));
    const sooner = new Conversation().turn(100, 10).wait(298.999).turn(20, 10);
    expect(momentsOf(sooner.transcript())[4]).toMatchObject({ now: 299_999, warm: true });
  });

  it('BRK-2 say whose they are: the main thread’s, a subagent’s or a fork’s', () => {
    const main = new Conversation()
      .human(10)
      .tools([{ tool: 'Task', tokens: 5 }])
      .wait(50)
      .answer(10);
    const child = new Conversation().wait(5).turn(10, 5).thread('child', 'main');
    const threads = [main.thread(), child];
    const sources = (transcript: Transcript) =>
      new Set(momentsOf(transcript, { policy: 'claude-code/2026' }).map(({ source }) => source));
    expect(sources(main.transcript({ threads }))).toEqual(new Set(['main', 'subagent']));
    const forked = bugfixSession(6, { forks: [{ afterTurn: 4, children: 1, turns: 1 }] });
    expect(sources(forked)).toEqual(new Set(['main', 'fork']));
  });

  it('count the prompts of users and directives, and nobody else’s words', () => {
    const spoken = new Conversation().human(10).say('command', 5).attach(5).answer(10);
    const directive = messageFrom('directive', 'd', []);
    spoken.steps.push({ kind: 'message', message: directive });
    spoken.say('meta', 5).answer(10);
    const prompts = momentsOf(spoken.transcript()).map(({ prompt, turn }) => [turn, prompt].join(' '));
    expect([...new Set(prompts)]).toEqual(['1 1', '2 2']);
  });
});

describe('a thread that makes no calls', () => {
  it('takes in nothing of what it would have been sent, until the next prompt', () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Read', tokens: 500 }])
      .answer(10)
      .turn(20, 10);
    const faults = [{ call: 'main', error: 'invalid_request', nth: 1 }] as const;
    const entries = logFor({ faults }, talk);
    // The prompt that failed is there, the result of the call that was lost is not.
    expect(mainRequests(entries).map(({ prompt }) => prompt)).toEqual([15_000 + 100 + 20]);
    expect(ofType(entries, 'lost')).toMatchObject([{ calls: 2 }]);
  });

  it('C36 does not lose a second time what it had done before its plan was rejected', () => {
    const transcript = bugfixSession(8, {
      steady: { gapSeconds: 60, outputTokens: 50, resultTokens: 500 },
      forks: [
        {
          afterTurn: 3,
          children: 1,
          turns: 20,
          parent: 'goes-on',
          messages: [{ afterTurn: 2, to: 'main', subject: 'plan-request', rejections: 1 }],
        },
      ],
    });
    const faults = [{ call: 'plan_again', error: 'invalid_request', nth: 1 }] as const;
    const entries = logFor({ policy: 'claude-code/2026', faults }, transcript);
    // Two of its twenty calls were made; the two that are made again are no calls of the recording.
    expect(ofType(entries, 'request').filter(({ purpose }) => purpose === 'subagent')).toHaveLength(2);
    expect(ofType(entries, 'lost')).toMatchObject([{ thread: 'fork-3-1', calls: 18 }]);
  });
});
