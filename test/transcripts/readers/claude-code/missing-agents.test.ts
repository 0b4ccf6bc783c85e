import { describe, expect, it } from 'vitest';
import { readClaudeCodeFiles } from '../../../../src/transcripts/readers/claude-code/read.js';
import {
  ask,
  assistant,
  type Fields,
  jsonl,
  readSession,
  result,
  say,
  told,
  user,
} from '../../../helpers/session.js';

const DONE = 'agentId: ag1 (for resuming to continue this agent’s work if needed)';
const STARTED = 'Async agent launched successfully.\nagentId: ag2 (internal ID - do not mention to user.)';

/** A session that starts agents; what their results say. */
const started = (...results: readonly unknown[]): readonly Fields[] => [
  user('u1', 0, 'go'),
  ...results.flatMap((content, i) => [
    assistant(`a${i}`, 10 * i + 1, `m${i}`, ask(`t${i}`, i % 2 === 0 ? 'Agent' : 'Task', { prompt: 'look' })),
    result(`r${i}`, 10 * i + 2, `t${i}`, content),
  ]),
  assistant('end', 900, 'last', say('done')),
];
const missing = (lines: readonly Fields[]): number =>
  readSession(lines).warnings.find(({ code }) => code === 'agents-missing')?.count ?? 0;

const text = (value: string) => ({ type: 'text', text: value });

describe('agents whose requests are in no file', () => {
  it('are counted once each, whether they have answered or were only started', () => {
    expect(missing(started([text('found it'), text(DONE)], STARTED, STARTED))).toBe(2);
    expect(missing(started([text('agentId: other (quoted) '), text(DONE)]))).toBe(1);
  });

  it('are not those whose lines stand in the progress of the parent, or in a file beside it', () => {
    const [first, ...rest] = started([text('found it'), text(DONE)]);
    const line = user('g1', 1, 'look');
    expect(missing([first!, told('ag1', line), ...rest])).toBe(0);
    const files = [
      { name: 's.jsonl', bytes: jsonl(started([text('found it'), text(DONE)])) },
      { name: 'agent-ag1.jsonl', bytes: jsonl([{ ...line, isSidechain: true, agentId: 'ag1' }]) },
    ];
    const { warnings } = readClaudeCodeFiles(files, { id: 's' });
    expect(warnings.map(({ code }) => code)).not.toContain('agents-missing');
  });

  it('are not told by other tools, by failures or by results that name nobody', () => {
    const other = assistant('a1', 1, 'm1', ask('t1', 'Bash', { command: 'cat log' }));
    expect(missing([user('u1', 0, 'go'), other, result('r1', 2, 't1', DONE)])).toBe(0);
    const failed = [{ type: 'tool_result', tool_use_id: 't0', content: DONE, is_error: true }];
    expect(missing(started('x').map((line) => (line.uuid === 'r0' ? user('r0', 2, failed) : line)))).toBe(0);
    expect(missing(started('found it'))).toBe(0);
  });
});
