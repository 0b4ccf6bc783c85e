import { afterEach, describe, expect, it, vi } from 'vitest';
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
});
