import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { processHost } from '../../src/cli/host.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the host of a process', () => {
  it.each([
    ['160', 160],
    ['', null],
    ['wide', null],
    ['-5', null],
    ['12.5', null],
  ])('has the columns that COLUMNS asks for where no terminal tells them: %j', (asked, columns) => {
    vi.stubEnv('COLUMNS', asked);
    const told = process.stdout.columns;
    const host = processHost(new AbortController().signal, () => {});
    expect(host.stdout.columns).toBe(told ?? columns);
  });

  it('writes nothing more once its reader is gone, and reports any other failure once', () => {
    const listeners = process.stdout.listeners('error');
    onTestFinished(() => {
      for (const own of process.stdout.listeners('error'))
        if (!listeners.includes(own)) process.stdout.off('error', own as () => void);
    });
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    const told: string[] = [];
    const { stdout } = processHost(new AbortController().signal, (reason) => told.push(reason));
    stdout.write('one');
    process.stdout.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' }));
    process.stdout.emit('error', Object.assign(new Error('odd'), { code: 'EIO' }));
    process.stdout.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
    stdout.write('two');
    expect(write.mock.calls).toEqual([['one']]);
    expect(told).toEqual(['the disk is full']);
  });
});
