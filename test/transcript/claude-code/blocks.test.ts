import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../src/transcript/claude-code/blocks.js';

function limited(content: string): boolean | undefined {
  const part = { type: 'tool_result', tool_use_id: 't1', content };
  return blocksOf([part], 'user', new Map())[0]!.facts.limited;
}

describe('results that a client had cut or stored before the model saw them', () => {
  const long = 'x'.repeat(16_000);

  it.each([
    ['stored', '<persisted-output>\nOutput too large (60 KB)', true],
    ['cut by characters', `${long}\n[4321 characters truncated]`, true],
    ['cut by lines', `${long}\n... [12 lines truncated] ...\n${long}`, true],
    ['long and whole', long, undefined],
    ['too short to have been cut', 'a file that says [4321 characters truncated]', undefined],
    ['about stored ones', 'see <persisted-output>', undefined],
  ])('STO-1 are known as such: %s', (_what, content, expected) => {
    expect(limited(content)).toBe(expected);
  });
});
