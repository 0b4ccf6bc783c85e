import { getHeapStatistics } from 'node:v8';
import { afterEach, describe, expect, it } from 'vitest';
import { listenForInterrupt, runInterruptible } from '../../../src/cli/terminal/interrupt.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const before = SIGNALS.map((name) => process.listeners(name));

afterEach(() => {
  for (const [i, name] of SIGNALS.entries())
    for (const listener of process.listeners(name))
      if (!before[i]!.includes(listener)) process.off(name, listener);
});

describe('work that Ctrl-C breaks off', () => {
  it('gives its result, and a hundred of it take the memory of one context', async () => {
    const interrupt = listenForInterrupt();
    const contexts = (): number => getHeapStatistics().number_of_native_contexts;
    expect(await runInterruptible(interrupt, () => 0)).toBe(0);
    const first = contexts();
    for (let n = 1; n <= 100; n++) expect(await runInterruptible(interrupt, () => n)).toBe(n);
    expect(contexts()).toBeLessThanOrEqual(first);
  });

  it('throws what the work throws, and does other work after that', async () => {
    const interrupt = listenForInterrupt();
    const failing = runInterruptible(interrupt, () => {
      throw new RangeError('too far');
    });
    await expect(failing).rejects.toThrow(new RangeError('too far'));
    expect(await runInterruptible(interrupt, () => 'done')).toBe('done');
  });
});
