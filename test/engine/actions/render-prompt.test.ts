import { describe, expect, it } from 'vitest';
import { layerRegistry } from '../../../src/agent/layers/registry.js';
import { createFiles } from '../../../src/core/base/files.js';
import { createBlock } from '../../../src/core/model/block.js';
import { MEMORY_INDEX } from '../../../src/core/model/memory.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { renderPrompt } from '../../../src/engine/actions/context-message.js';
import { Context } from '../../../src/engine/context/context.js';
import { ThreadRun } from '../../../src/engine/thread/thread-run.js';
import { planOf } from '../../helpers/plan.js';

const SYSTEM = createBlock({ kind: 'system', role: 'system', tokens: 50, text: 'system' });
const LINE = '- [a](a.md): one of them\n';

/** A thread whose system prompt is rendered from its files. */
function thread(change: { readonly isMain?: boolean; readonly layers?: readonly string[] } = {}) {
  const files = createFiles();
  const context = new Context([SYSTEM]);
  context.sent();
  const entries: Extract<LogEntry, { type: 'notice' }>[] = [];
  const { isMain = true, layers = ['auto-memory'] } = change;
  const run = {
    isMain,
    env: {
      files,
      plan: planOf({ policy: 'claude-code/2026', set: { 'autoMemory.indexLines': 3 } }),
      layers: layers.map((name) => layerRegistry.get(name)),
      sink: { write: (entry: LogEntry) => entries.push(entry as never) },
    },
    thread: { id: 'main' },
    now: 9,
    note: ThreadRun.prototype.note,
    context,
  } as unknown as Parameters<typeof renderPrompt>[0];
  const render = (index: string | null) => {
    if (index !== null) files.write(MEMORY_INDEX, index, 0);
    renderPrompt(run);
    return context.prefix.map(({ text }) => text!.read());
  };
  return { render, context, entries, files, run };
}

describe('the part of the system prompt that follows from the files', () => {
  it('AUT-3 is the index of the memories, at the end, as news of this many tokens', () => {
    const { render, context, entries } = thread();
    expect(render(null)).toEqual(['system']);
    expect(render(LINE)).toEqual(['system', LINE]);
    const { tokens } = context.prefix[1]!;
    expect(context.freshTokens).toBe(tokens);
    expect(entries).toMatchObject([
      {
        t: 9,
        thread: 'main',
        what: 'memory-index',
        message: 'the memory index enters the system prompt: 1 lines',
        details: { lines: 1, bytes: LINE.length, shownLines: 1, cutBy: null, tokens },
      },
    ]);
  });

  it('AUT-3 says what cut it', () => {
    const { render, entries } = thread();
    render(LINE.repeat(5));
    expect(entries[0]!.message).toMatch(/: 3 of 5 lines, cut by the limit of lines$/);
    expect(entries[0]!.details).toMatchObject({ lines: 5, shownLines: 3, cutBy: 'lines' });
  });

  it('AUT-3 equal files give equal bytes: nothing is laid or told again', () => {
    const { render, context, entries } = thread();
    render(LINE);
    const { prefix } = context;
    context.sent();
    render(LINE);
    expect(context.prefix).toBe(prefix);
    expect([entries.length, context.freshTokens]).toEqual([1, 0]);
  });

  it('AUT-3 is put in the place of the one before, or taken out with it', () => {
    const { render, entries, files, run, context } = thread();
    render(LINE);
    expect(render(LINE.repeat(2))).toEqual(['system', LINE.repeat(2)]);
    expect(entries).toHaveLength(2);
    files.remove(MEMORY_INDEX);
    renderPrompt(run);
    expect(context.prefix).toEqual([SYSTEM]);
    expect(entries).toHaveLength(2);
  });

  it('AUT-3 leaves out what is no text, and says so', () => {
    const { render, entries } = thread();
    expect(render('\u0000\u0001\u0002'.repeat(20))).toEqual(['system']);
    expect(entries).toMatchObject([{ what: 'memory-index-binary', details: { isBinary: true } }]);
  });

  it('CLN-2 is the main thread’s, and only with the layer that keeps memories', () => {
    expect(thread({ isMain: false }).render(LINE)).toEqual(['system']);
    expect(thread({ layers: ['storage'] }).render(LINE)).toEqual(['system']);
    expect(thread({ layers: ['storage', 'auto-memory'] }).render(LINE)).toEqual(['system', LINE]);
  });
});
