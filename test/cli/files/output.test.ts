import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGrowing } from '../../../src/cli/files/output.js';
import { tempFolder } from '../cli.js';

/** The files of a folder that this process has open. */
function openBelow(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', name));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
}

describe('a file that grows', () => {
  it('takes the place of the previous one with the first text, for its owner alone', () => {
    const cwd = tempFolder({ 'log.jsonl': 'before' });
    const path = join(cwd, 'log.jsonl');
    const file = openGrowing('log.jsonl', cwd);
    expect(readFileSync(path, 'utf8')).toBe('before');
    file.add('one\n');
    expect(readFileSync(path, 'utf8')).toBe('one\n');
    file.add('two\n');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(readdirSync(cwd)).toEqual(['log.jsonl']);
  });

  it('leaves the previous one where nothing was added', () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'log.jsonl'), 'before');
    openGrowing('log.jsonl', cwd).close();
    expect(readdirSync(cwd)).toEqual(['log.jsonl']);
    expect(readFileSync(join(cwd, 'log.jsonl'), 'utf8')).toBe('before');
  });

  it.runIf(existsSync('/proc/self/fd'))('is closed in the end', () => {
    const cwd = tempFolder();
    const file = openGrowing('log.jsonl', cwd);
    file.add('one\n');
    expect(openBelow(cwd)).toHaveLength(1);
    file.close();
    expect(openBelow(cwd)).toEqual([]);
  });
});
