import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WaitingFile } from '../../../src/transcripts/files/waiting-file.js';
import { forAll } from '../../helpers/for-all.js';
import { heldBytes } from '../../helpers/held-bytes.js';

let folder = '';
let waiting: WaitingFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccbench-waiting-'));
  waiting = new WaitingFile(join(folder, 'cache'));
});

afterEach(() => {
  waiting.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('bytes that wait', () => {
  it('come back as they were, in any order and as often as they are asked for', () => {
    forAll(fc.array(fc.uint8Array({ maxLength: 300 })), (all) => {
      const places = all.map((bytes) => waiting.put(bytes));
      for (const read of [...places].reverse()) read();
      expect(places.map((read) => new Uint8Array(read()))).toEqual(all);
    });
  });

  it('take no memory', () => {
    const before = heldBytes();
    const places = Array.from({ length: 200 }, (_, i) => waiting.put(new Uint8Array(65_536).fill(i)));
    expect(heldBytes() - before).toBeLessThan(65_536 * 50);
    expect(places[199]!()[0]).toBe(199);
  });

  it('leave no name on disk, and nothing of it when an earlier process was killed', () => {
    waiting.put(Buffer.from('one'));
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
    writeFileSync(join(folder, 'cache', 'waiting.999999999.part'), 'left behind');
    const another = new WaitingFile(join(folder, 'cache'));
    another.put(Buffer.from('two'));
    another.close();
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('wait in memory where no file can be made, as they were when they were put there', () => {
    writeFileSync(join(folder, 'taken'), '');
    const bytes = Buffer.from('as it was');
    const read = new WaitingFile(join(folder, 'taken')).put(bytes);
    bytes.fill(0);
    expect(Buffer.from(read()).toString()).toBe('as it was');
  });
});
