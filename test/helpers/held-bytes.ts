import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that this thread still holds after a collection, those of arrays outside its heap included. */
export function heldBytes(): number {
  // Arrays outside the heap are swept behind a collection; the next one waits for that.
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
