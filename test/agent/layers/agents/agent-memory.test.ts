import { describe, expect, it } from 'vitest';
import { CcbenchError } from '../../../../src/core/base/errors.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { mergeSessions } from '../../../../src/transcripts/sessions/merge-sessions.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor, ofType, planOf, runLog } from '../../../helpers/plan.js';
import { actionsOf } from '../../../helpers/recordings/sessions.js';

const POLICY = 'claude-code/2026';

function withAgent(id: string) {
  const base = new Conversation()
    .human(10)
    .tools([{ tool: 'Task', tokens: 50 }])
    .wait(60)
    .answer(10);
  const child = new Conversation().wait(5).turn(20, 20).thread(id, 'main');
  const transcript = base.transcript();
  return { ...transcript, threads: [...transcript.threads, child] };
}

interface Place {
  readonly project?: string;
  readonly checkout?: string;
  readonly resumes?: string;
}

/** Sessions with one agent each, one after the other. */
function sessionsAt(places: Readonly<Record<string, Place>>) {
  return mergeSessions(
    Object.entries(places).map(([name, { resumes, ...place }]) => ({
      name,
      transcript: withAgent('explore-1'),
      start: { afterMs: 3_600_000 },
      resumes: resumes ?? null,
      ending: 'clean' as const,
      place: null,
      ...place,
    })),
  );
}

const TWO_PROJECTS = sessionsAt({
  one: { project: 'alpha', checkout: 'left' },
  two: { project: 'alpha', checkout: 'right' },
  three: { project: 'beta', checkout: 'left' },
  four: { project: 'alpha', checkout: 'left' },
});

describe('the memory of agents', () => {
  it.each([
    ['user', '/user/agent-memory/explore/MEMORY.md'],
    ['project', '/repo/.agents/memory/explore/MEMORY.md'],
    ['local', '/repo/.agents/memory-local/explore/MEMORY.md'],
  ])('AGT-5 of the scope %s is read by the next agent of its kind', (scope, path) => {
    const home = {
      memories: 0,
      lock: null,
      files: [{ path, text: '- something an agent left\n', hoursAgo: 1 }],
    };
    const run = (set: object, id: string) =>
      ofType(runLog({ ...planOf({ policy: POLICY, set: { ...set } }), home }, withAgent(id)), 'request').find(
        (entry) => entry.purpose === 'subagent',
      )!.prompt;
    const without = run({ 'agents.memory': 'none' }, 'explore-1');
    expect(run({ 'agents.memory': scope }, 'explore-1')).toBe(without + Math.ceil(26 / 2.75));
    expect(run({ 'agents.memory': scope }, 'review-1')).toBe(without);
    for (const other of ['user', 'project', 'local'].filter((item) => item !== scope))
      expect(run({ 'agents.memory': other }, 'explore-1')).toBe(without);
  });

  it.each([
    ['none', []],
    ['local', ['four']],
    ['project', ['two', 'four']],
    ['user', ['two', 'three', 'four']],
  ])('C36 of the scope %s is read by the sessions %j of two projects', (scope, readers) => {
    const entries = logFor({ policy: POLICY, set: { 'agents.memory': scope } }, TWO_PROJECTS);
    const recalled = actionsOf(entries, 'agents').filter(({ action }) => action === 'recall');
    expect(recalled.map(({ thread }) => thread)).toEqual(readers.map((name) => `${name}/explore-1`));
    expect(metricValues(foldLog(entries)).agentMemoriesRead).toBe(readers.length);
  });

  it('C36 what an agent reads is one line for each agent of its kind that could leave it one', () => {
    const run = (scope: string) =>
      ofType(logFor({ policy: POLICY, set: { 'agents.memory': scope } }, TWO_PROJECTS), 'request')
        .filter(({ purpose }) => purpose === 'subagent')
        .map(({ prompt }) => prompt);
    const lines = (...names: readonly string[]) =>
      Math.ceil(names.reduce((sum, name) => sum + lineOf(name).length, 0) / 2.75);
    const lineOf = (name: string) => `- ${name}/explore-1 finished its task in turn 1\n`;
    const none = run('none');
    expect(run('user').map((prompt, i) => prompt - none[i]!)).toEqual([
      0,
      lines('one'),
      lines('one', 'two'),
      lines('one', 'two', 'three'),
    ]);
    expect(run('local').map((prompt, i) => prompt - none[i]!)).toEqual([0, 0, 0, lines('one')]);
  });

  it('C36 a session that is taken up stays in its project', () => {
    const recalled = (project: Place) =>
      actionsOf(
        logFor(
          { policy: POLICY, set: { 'agents.memory': 'project' } },
          sessionsAt({ one: { project: 'alpha' }, two: { resumes: 'one', ...project } }),
        ),
        'agents',
      ).filter(({ action }) => action === 'recall').length;
    expect(recalled({})).toBe(1);
    expect(() => recalled({ project: 'beta' })).toThrow(CcbenchError);
  });
});
