import { describe, expect, it } from 'vitest';
import { FileState } from '../../../src/tiers/file-state/file-state.js';
import { Conversation } from '../../helpers/conversation.js';
import { messagesOf } from '../../helpers/drive-compaction.js';

const talk = messagesOf(
  new Conversation()
    .human(10)
    .tools([{ tool: 'Read', tokens: 100, path: '/repo/a.ts' }])
    .tools([{ tool: 'Read', tokens: 200, path: '/repo/b.ts' }])
    .tools([{ tool: 'Edit', tokens: 10, path: '/repo/a.ts', effect: { kind: 'edit', chars: 40 } }])
    .transcript(),
);

function known(): FileState {
  const state = new FileState();
  for (const message of talk) state.observe(message);
  return state;
}

const paths = (state: FileState): readonly string[] => [...state.recent()].map(({ path }) => path);

describe('what a thread knows of files', () => {
  it('hears of a message once, however many tiers tell of it', () => {
    const state = new FileState();
    for (const message of talk) for (let i = 0; i < 3; i++) state.observe(message);
    expect(state.get('/repo/a.ts')!.version.tokens).toBe(110);
  });

  it('AGT-1 a copy goes its own way and leaves the original as it was', () => {
    const parent = known();
    const child = parent.clone();
    expect(paths(child)).toEqual(['/repo/a.ts', '/repo/b.ts']);
    child.forgetRead('response4-0', '/repo/b.ts');
    for (const message of messagesOf(
      new Conversation({ ids: 'child-' })
        .tools([{ tool: 'Edit', tokens: 10, path: '/repo/a.ts', effect: { kind: 'edit', chars: 400 } }])
        .transcript(),
    ))
      child.observe(message);
    expect(paths(child)).toEqual(['/repo/a.ts']);
    expect(child.get('/repo/a.ts')!.version.tokens).toBe(210);
    expect(paths(parent)).toEqual(['/repo/a.ts', '/repo/b.ts']);
    expect(parent.get('/repo/a.ts')!.version.tokens).toBe(110);
  });

  it('CLN-1 after a compaction it remembers what the new history shows, in the order of use; sizes stay known', () => {
    const state = known();
    state.reset(talk.slice(-2));
    expect(paths(state)).toEqual(['/repo/a.ts']);
    expect(state.get('/repo/b.ts')!.version.tokens).toBe(200);
    state.reset(talk); // a resume that reads the whole record back
    expect(paths(state)).toEqual(['/repo/a.ts', '/repo/b.ts']);
  });
});
