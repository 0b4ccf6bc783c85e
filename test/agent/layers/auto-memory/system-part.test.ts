import { describe, expect, it } from 'vitest';
import { memoryIndexPart } from '../../../../src/agent/layers/auto-memory/fork-turns.js';
import { createFiles } from '../../../../src/core/base/files.js';
import { MEMORY_INDEX } from '../../../../src/core/model/memory.js';
import { planOf } from '../../../helpers/plan.js';

describe('the block of the memory index', () => {
  const params = planOf({ policy: 'claude-code/2026' }).policy.params;

  it('AUT-3 is not there without an index, or for an empty one', () => {
    const files = createFiles();
    expect(memoryIndexPart.render(files, params)).toBeNull();
    files.write(MEMORY_INDEX, '', 0);
    expect(memoryIndexPart.render(files, params)!.block).toBeNull();
  });

  it('AUT-3 is what the file says, made once for each writing and each set of limits', () => {
    const files = createFiles();
    const line = '- [a](a.md): one of them\n';
    files.write(MEMORY_INDEX, line, 0);
    const first = memoryIndexPart.render(files, params)!;
    expect(first.block!.text!.read()).toBe(line);
    expect(first.block!.facts).toEqual({ attachment: 'memory-index' });
    expect(memoryIndexPart.render(files, params)).toBe(first);
    const narrow = memoryIndexPart.render(files, { ...params, 'autoMemory.indexLines': 0 })!;
    expect(narrow).not.toBe(first);
    files.write(MEMORY_INDEX, line.repeat(2), 1);
    expect(memoryIndexPart.render(files, params)!.block!.text!.read()).toBe(line.repeat(2));
  });
});
