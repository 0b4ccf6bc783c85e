import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../../../src/config/compile.js';
import { builtinContext } from '../../../../src/config/context.js';
import { openRef } from '../../../../src/config/files/open-ref.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { ofType, runLog } from '../../../helpers/plan.js';

function logOf(text: string): readonly LogEntry[] {
  const [run] = compileScenario({ text, file: 'test.yaml', set: [] }, builtinContext).runs;
  return runLog(run!.plan, openRef(run!.transcript, { cwd: '.' }));
}

describe('a summary request that extends the conversation', () => {
  it('sends it in its own order, also where an earlier summary stands in front of what stays', () => {
    const log = logOf(`
name: order
transcript:
  synthetic:
    turns: 60
    prefixTokens: 5000
    steady: { gapSeconds: 10, promptTokens: 20000, outputTokens: 400, resultTokens: 1600, tool: Read, charsPerToken: 4 }
model: claude-sonnet-4-5
policy:
  count: { source: usage }
  rules:
    - name: compact
      when: [{ tokens: ">= 70k" }]
      select: { what: history, keep: { first: opening, tokens: 4000 } }
      ask: { shape: extend, marks: false }
      layout: [summary, first, tail]
`);
    const asked = ofType(log, 'request').filter(({ purpose }) => purpose === 'compact');
    expect(asked.length).toBeGreaterThan(1);
    // Only the latest round and the instruction are not in the cache yet.
    for (const { read, prompt } of asked) expect(prompt - read).toBeLessThan(6_000);
  });
});

describe('a summary written in the background', () => {
  it('is still good when the server has dropped earlier thinking meanwhile', () => {
    const log = logOf(`
name: thinking
transcript:
  synthetic: { workload: refactor, turns: 200, text: none }
model: claude-sonnet-4-5
policy:
  count: { source: usage }
  rules:
    - name: compact
      when: [{ tokens: ">= 100k" }]
      select: { what: history, keep: { tokens: 8000 } }
      ask: { shape: extend, run: { background: { apply: { at: ">= 160k" } } } }
      layout: [summary, tail]
`);
    const outcomes = ofType(log, 'layer').map(({ outcome }) => outcome);
    expect(outcomes.length).toBeGreaterThan(1);
    // The last one is still waiting for its size when the session ends.
    expect(new Set(outcomes.slice(0, -1))).toEqual(new Set(['done']));
    expect(outcomes.at(-1)).toBe('declined');
  });
});

describe('a summary request for the newest part alone that is too long', () => {
  it('INV-9 is sent again only once it is shorter, not each time that something outside of it was left out', () => {
    // 400k tokens of history, of which the newest 250k are sent to a summariser with a window of 200k.
    const log = logOf(`
name: too-long
transcript:
  synthetic:
    turns: 80
    prefixTokens: 5000
    steady: { gapSeconds: 10, promptTokens: 2000, outputTokens: 400, resultTokens: 8000, tool: Read, charsPerToken: 4 }
model: claude-opus-5
policy:
  count: { source: usage }
  rules:
    - name: compact
      when: [{ tokens: ">= 400k" }]
      select: { what: history, keep: { tokens: 4000 } }
      ask: { shape: own, model: claude-sonnet-4-5, input: { last: 250k } }
      layout: [summary, tail]
      fail: { shrink: [{ drop-oldest: item }] }
`);
    const asked = log.flatMap((entry) =>
      (entry.type === 'refused' || entry.type === 'request') && entry.purpose === 'compact'
        ? [entry.prompt]
        : [],
    );
    expect(asked.length).toBeGreaterThan(2);
    for (const [n, prompt] of asked.slice(1).entries()) expect(prompt).toBeLessThan(asked[n]!);
  });
});
