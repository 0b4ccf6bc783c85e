import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../../../src/transcripts/readers/claude-code/blocks.js';

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

describe('rough size of a tool result', () => {
  const rough = (content: unknown): number =>
    blocksOf([{ type: 'tool_result', tool_use_id: 't1', content }], 'user', new Map())[0]!.rough;

  it('TOK-2 a string counts by its length, empty content nothing', () => {
    expect(rough('x'.repeat(41))).toBe(10);
    expect(rough('')).toBe(0);
    expect(rough([])).toBe(0);
    expect(rough(undefined)).toBe(0);
  });

  it('TOK-2 a list counts its texts and images; other kinds count nothing', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'x' } };
    const reference = { type: 'tool_reference', tool_name: 'x'.repeat(400) };
    expect(rough([{ type: 'text', text: 'x'.repeat(40) }, image, reference])).toBe(10 + 2_000);
  });
});
