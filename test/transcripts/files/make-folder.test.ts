import { existsSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../../src/transcripts/files/make-folder.js';
import { tempFolder } from '../../cli/cli.js';

describe('a folder with those above it', () => {
  it('is made where it is missing, and the outermost one is named', () => {
    const cwd = tempFolder();
    expect(makeFolder(join(cwd, 'a/b/c'), 0o700)).toBe(join(cwd, 'a'));
    expect(statSync(join(cwd, 'a/b/c')).mode & 0o777).toBe(0o700);
    expect(makeFolder(join(cwd, 'a/b/d'))).toBe(join(cwd, 'a/b/d'));
    expect(makeFolder(join(cwd, 'a/b/d'))).toBeUndefined();
  });

  it('is refused where a file stands in its place or above it', () => {
    const cwd = tempFolder({ file: '' });
    symlinkSync(join(cwd, 'gone'), join(cwd, 'link'));
    expect(() => makeFolder(join(cwd, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(cwd, 'file/a/b'))).toThrow('ENOTDIR');
    expect(() => makeFolder(join(cwd, 'link'))).toThrow('EEXIST');
  });

  it.runIf(existsSync('/proc/self'))('is refused where none can be made', () => {
    expect(() => makeFolder('/proc/ccbench/cache')).toThrow('ENOENT');
  });
});
