import { describe, expect, it, vi } from 'vitest';
import { compiledTranscript } from '../../../bench/measure.js';
import { IndexText } from '../../../src/agent/layers/auto-memory/memory-index.js';
import { benchPlan } from '../../../src/cli/commands/bench/plan.js';
import { MemoriesText, MemoryText } from '../../../src/core/model/memory.js';
import { replay } from '../../../src/engine/run/replay.js';
import { WrittenNotes } from '../../../src/provider/fake-llm/answers/written-notes.js';

describe('what layers write', () => {
  it('SES-3 AUT-2 AUT-3 is never written out while nobody reads it', () => {
    const reads = [WrittenNotes, MemoryText, MemoriesText, IndexText].map(({ prototype }) =>
      vi.spyOn(prototype, 'read'),
    );
    const done = new Map<string, number>();
    replay(benchPlan('claude-code/2026'), compiledTranscript(600), {
      write(entry) {
        if (entry.type !== 'layer' || entry.outcome !== 'done') return;
        const what = `${entry.layer} ${entry.action}`;
        done.set(what, (done.get(what) ?? 0) + 1);
      },
    });
    for (const what of ['session-memory extract', 'session-memory compact', 'auto-memory write'])
      expect(done.get(what) ?? 0, what).toBeGreaterThan(1);
    for (const read of reads) expect(read).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});
