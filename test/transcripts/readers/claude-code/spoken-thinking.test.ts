import { describe, expect, it } from 'vitest';
import { spokenThinking } from '../../../../src/transcripts/readers/claude-code/effects.js';
import {
  ask,
  assistant,
  eventsOf,
  type Fields,
  outline,
  result,
  say,
  threadOf,
  user,
} from '../../../helpers/session.js';

const ON = { thinkingMetadata: { level: 'high', disabled: false, triggers: [] } };
const OFF = { thinkingMetadata: { level: 'none', disabled: true, triggers: [] } };

/** What each speaker of a session says, in order. */
function spoken(lines: readonly Fields[]): readonly string[] {
  return eventsOf(threadOf(lines)).flatMap((event) => (event.kind === 'speaker' ? [event.thinking] : []));
}

describe('what a line says about thinking', () => {
  it.each([
    [{ level: 'high', disabled: false }, 'on'],
    [{ level: 'high' }, 'on'],
    [{ level: 'high', disabled: true }, 'off'],
    [{ level: 'none', disabled: false }, 'off'],
    [{ disabled: false }, 'off'],
    [{ maxThinkingTokens: 31_999 }, 'on'],
    [{ maxThinkingTokens: 0, level: 'high' }, 'off'],
  ] as const)('K1 metadata %o is %s', (thinkingMetadata, state) => {
    expect(spokenThinking({ thinkingMetadata }, 'human', null, 'go')).toBe(state);
    expect(spokenThinking({ thinkingMetadata }, 'command', null, '<command-name>/x</command-name>')).toBe(
      state,
    );
  });

  it('K1 without metadata prompts, skills and commands leave it unsaid, and nobody else speaks', () => {
    expect(spokenThinking({}, 'human', null, 'go')).toBe('unsaid');
    expect(spokenThinking({}, 'meta', null, 'do this')).toBe('unsaid');
    expect(spokenThinking({}, 'meta', 'Skill', 'do this')).toBe('unsaid');
    expect(spokenThinking({}, 'meta', 'Read', 'a file')).toBeNull();
    expect(spokenThinking({}, 'meta', null, '[Request interrupted by user]')).toBeNull();
    expect(spokenThinking({}, 'command', null, '<command-name>/model</command-name>')).toBeNull();
  });
});

describe('speakers of a session', () => {
  it('K1 come right before what they say', () => {
    const lines = [
      user('u1', 0, 'go', ON),
      assistant('a1', 1, 'm1', ask('t1')),
      result('r1', 2, 't1'),
      assistant('a2', 3, 'm2', say('x')),
      user('u2', 4, 'more', OFF),
      user('u3', 5, 'and more'),
      assistant('a3', 6, 'm3', say('x')),
    ];
    expect(outline(threadOf(lines))).toEqual([
      'event speaker',
      'human u1',
      'call m1',
      'tool r1',
      'call m2',
      'event speaker',
      'human u2',
      'event speaker',
      'human u3',
      'call m3',
    ]);
    expect(spoken(lines)).toEqual(['on', 'off', 'unsaid']);
  });

  it('K1 are the texts of commands and skills too, and no other lines of the client', () => {
    const first = [user('u1', 0, 'go', ON), assistant('a1', 1, 'm1', say('x'))];
    const command = user('c1', 2, '<command-message>review</command-message>');
    const local = user('c1', 2, '<local-command-stdout>done</local-command-stdout>');
    const text = (fields: Fields = {}) => user('k1', 3, 'how to review', { isMeta: true, ...fields });
    expect(spoken([...first, command, text()])).toEqual(['on', 'unsaid']);
    expect(spoken([...first, command, assistant('a2', 3, 'm2', say('x')), text()])).toEqual(['on']);
    expect(spoken([...first, local, text()])).toEqual(['on']);
    expect(spoken([...first, text()])).toEqual(['on']);
    const called = (tool: string) => [
      ...first,
      assistant('a2', 2, 'm2', ask('t1', tool)),
      result('r1', 3, 't1'),
      text({ sourceToolUseID: 't1' }),
    ];
    expect(spoken(called('Skill'))).toEqual(['on', 'unsaid']);
    expect(spoken(called('Read'))).toEqual(['on']);
  });

  it('K1 are left out of a conversation that says nothing about thinking', () => {
    const lines = [user('u1', 0, 'go'), assistant('a1', 1, 'm1', say('x')), user('u2', 2, 'more')];
    expect(spoken(lines)).toEqual([]);
    expect(spoken([...lines, user('u3', 3, 'more', OFF)])).toEqual(['unsaid', 'unsaid', 'off']);
  });
});
