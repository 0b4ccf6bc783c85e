import { MS_PER_HOUR } from '../../core/base/clock.js';
import { createFiles, type Files } from '../../core/base/files.js';
import {
  MEMORY_DIRECTORY,
  MEMORY_INDEX,
  MEMORY_TYPES,
  type Memory,
  renderMemory,
} from '../../core/model/memory.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { indexLimits, renderIndex } from '../layers/auto-memory/memory-index.js';
import { DREAM_LOCK } from '../layers/dreaming/lock.js';

/** The home as the first session finds it: time 0 is when that one starts. */
export function createHome(plan: RunPlan): Files {
  const files = createFiles();
  const { home } = plan;
  if (home === undefined) return files;
  const memories: Memory[] = [];
  for (let i = 1; i <= home.memories; i++) {
    const type = MEMORY_TYPES[(i - 1) % MEMORY_TYPES.length]!;
    const name = `${type}-kept-${String(i).padStart(4, '0')}`;
    const body = `Sensor s${String(i).padStart(4, '0')} was put into service yesterday.`;
    const memory: Memory = {
      name,
      description: `one of the ${home.memories} that were here before`,
      type,
      body,
    };
    memories.push(memory);
    files.write(`${MEMORY_DIRECTORY}/${name}.md`, renderMemory(memory), -i * MS_PER_HOUR);
  }
  if (memories.length > 0) {
    const { lineChars } = indexLimits(plan.policy.params);
    files.write(MEMORY_INDEX, renderIndex(memories, lineChars), -MS_PER_HOUR);
  }
  for (const { path, text, hoursAgo } of home.files) files.write(path, text, -hoursAgo * MS_PER_HOUR);
  if (home.lock !== null) files.write(DREAM_LOCK, home.lock.body, -home.lock.hoursAgo * MS_PER_HOUR);
  return files;
}
