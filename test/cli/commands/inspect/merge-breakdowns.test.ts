import { expect, it } from 'vitest';
import { mergeBreakdowns } from '../../../../src/cli/commands/inspect/inspect-facts.js';
import type { Breakdown } from '../../../../src/core/tokens/breakdown.js';

const tool = (name: string, tokens: number, count: number) => ({ tool: name, tokens, count });
const read = (path: string, waste: number) => ({ path, count: 2, tokens: 2 * waste, waste });

const MAIN: Breakdown = {
  total: 1_000,
  human: 100,
  assistant: 200,
  localCommandOutput: 30,
  other: 4,
  toolRequests: [tool('Bash', 5, 1), tool('Read', 4, 2)],
  toolResults: [tool('Read', 300, 2), tool('Grep', 200, 1), tool('Bash', 100, 1)],
  attachments: [
    { type: 'image', count: 1 },
    { type: 'file', count: 2 },
  ],
  duplicateReads: [read('a.ts', 50)],
  duplicateReadTokens: 50,
  duplicateReadShare: 0.05,
};
const SUBAGENT: Breakdown = {
  total: 600,
  human: 1,
  assistant: 2,
  localCommandOutput: 3,
  other: 4,
  toolRequests: [tool('Read', 2, 3), tool('Glob', 5, 1)],
  toolResults: [tool('Bash', 100, 4), tool('Edit', 200, 2)],
  attachments: [{ type: 'image', count: 1 }],
  duplicateReads: [read('b.ts', 70), read('a.ts', 10)],
  duplicateReadTokens: 80,
  duplicateReadShare: 0.13,
};

it('adds up what threads hold: the largest first, those of one size by name, and whose file was read twice', () => {
  expect(
    mergeBreakdowns([
      { thread: 'main', breakdown: MAIN, unrecorded: 40 },
      { thread: 'sub', breakdown: SUBAGENT, unrecorded: 0 },
    ]),
  ).toEqual({
    total: 1_600,
    human: 61,
    unrecorded: 40,
    assistant: 202,
    localCommandOutput: 33,
    other: 8,
    toolRequests: [tool('Read', 6, 5), tool('Bash', 5, 1), tool('Glob', 5, 1)],
    toolResults: [tool('Read', 300, 2), tool('Bash', 200, 5), tool('Edit', 200, 2), tool('Grep', 200, 1)],
    attachments: [
      { type: 'file', count: 2 },
      { type: 'image', count: 2 },
    ],
    duplicateReads: [
      { ...read('b.ts', 70), thread: 'sub' },
      { ...read('a.ts', 50), thread: 'main' },
      { ...read('a.ts', 10), thread: 'sub' },
    ],
    duplicateReadTokens: 130,
    duplicateReadShare: 130 / 1_600,
  });
});
