import { describe, expect, it } from 'vitest';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf, runLog } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';
import { sessionsOf } from '../../helpers/recordings/sessions.js';

const PREFIX = 15_000;
const NEVER = { when: { tokens: '>= 190k' }, ask: { shape: 'own' } };

describe('the cache key of a client', () => {
  it('is shared by sessions that begin alike, unless each names its own', () => {
    const transcript = sessionsOf([
      { name: 'a', talk: new Conversation().turn(100, 10).turn(10, 10) },
      { name: 'b', talk: new Conversation().turn(90, 10), afterHours: 0.05 },
    ]);
    const readsUnder = (cache: object) =>
      mainRequests(runLog(planUnder({ ...cache, rules: [NEVER] }, {}), transcript)).map(({ read }) => read);
    expect(readsUnder({})).toEqual([0, PREFIX + 100, PREFIX]);
    expect(readsUnder({ cache: { key: 'session' } })).toEqual([0, PREFIX + 100, 0]);
  });
});

describe('what a client shows of its conversation', () => {
  it('WIN-5 is told before the first request of a main thread, and not of a subagent', () => {
    const main = new Conversation()
      .human(10)
      .tools([{ tool: 'Task', tokens: 5 }])
      .wait(50)
      .answer(10);
    const child = new Conversation().wait(5).turn(10, 5).thread('child', 'main');
    const plan = planOf({ policy: 'claude-code/2026' });
    const entries = runLog(plan, main.transcript({ threads: [main.thread(), child] }));
    expect(ofType(entries, 'status')).toMatchObject([
      { thread: 'main', n: 1, turn: 1, warning: false, error: false },
    ]);
    const types = entries.map(({ type }) => type);
    expect(types.indexOf('status')).toBeLessThan(types.indexOf('request'));
  });
});

describe('an unpredictable break', () => {
  const requests = (set: Readonly<Record<string, unknown>>, init: PlanInit = {}) => {
    const talk = new Conversation().turn(1_000, 10).wait(30).turn(40, 10);
    talk
      .wait(90)
      .human(40)
      .tools([{ tool: 'Read', tokens: 5 }])
      .answer(5);
    const all = { 'client.use': 'none', 'client.breakpoints': 'system+last', ...set };
    return mainRequests(logFor({ policy: 'unbounded', set: all, ...init }, talk));
  };

  it('K14 has a chance that follows from who speaks and how long it took; the first request has none', () => {
    // 1.3 % of prompts within a minute, 4 % of later ones, 0.04 % of requests that go on with results.
    const chances = requests({ 'client.outside': 'half' }).map(({ risk }) => risk?.chance);
    expect(chances).toEqual([undefined, 0.013, 0.04, 0.0004]);
  });

  it('K14 is no risk besides where it is drawn, and none of the bare API', () => {
    for (const set of [{ 'client.hazard': 'drawn' }, {}])
      for (const request of requests(set)) expect(request).not.toHaveProperty('risk');
  });
});
