import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storageLayer } from '../../../../src/agent/layers/storage/storage.js';
import { callBlock, LayerDriver, resultBlock } from '../../../helpers/drive/drive-layer.js';
import { forAll } from '../../../helpers/for-all.js';

const line = `${'x'.repeat(99)}\n`;
const lines = (count: number): string => line.repeat(count);

function stored(tool: string, chars: number): boolean {
  const driver = new LayerDriver([storageLayer]);
  driver.exchange('t1', { tool, text: 'y'.repeat(chars) });
  driver.ask('results');
  return driver.result('t1').facts.replaces === 'stored';
}

describe('thresholds', () => {
  it('STO-1 stores above 50,000 characters, Bash above 30,000, Grep above 20,000, Read never', () => {
    expect([stored('Glob', 50_000), stored('Glob', 50_001)]).toEqual([false, true]);
    expect([stored('Bash', 30_000), stored('Bash', 30_001)]).toEqual([false, true]);
    expect([stored('Grep', 20_000), stored('Grep', 20_001)]).toEqual([false, true]);
    expect(stored('Read', 150_000)).toBe(false);
  });

  it('STO-1 lets a threshold of its own come before the exemption', () => {
    const driver = new LayerDriver([storageLayer], { 'storage.tools': { Read: 10_000 } });
    driver.exchange('t1', { tool: 'Read', text: lines(101) });
    driver.ask('results');
    expect(driver.result('t1').facts.replaces).toBe('stored');
  });

  it('STO-1 does not store again what the recording’s client had cut at the same limit, its mark included', () => {
    const isStored = (chars: number, limited: boolean) => {
      const driver = new LayerDriver([storageLayer]);
      driver.exchange('t1', { tool: 'Bash', text: 'y'.repeat(chars), facts: { limited } });
      driver.ask('results');
      return driver.result('t1').facts.replaces === 'stored';
    };
    expect([isStored(30_300, false), isStored(30_300, true), isStored(30_301, true)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('STO-1 leaves results with images alone', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('t1', { tool: 'Bash', text: lines(400), facts: { images: 1 } });
    expect(driver.ask('results')).toEqual([]);
  });
});

describe('what is left in the context', () => {
  it('STO-1 shows the first 2,000 bytes up to a line end, with size and path, in a wrapper', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('toolu_1', { tool: 'Bash', text: `head\n${lines(400)}` });
    driver.ask('results');
    const shown = driver.result('toolu_1').text!.read();
    expect(shown.startsWith('<persisted-output>\n')).toBe(true);
    expect(shown.endsWith('</persisted-output>')).toBe(true);
    expect(shown).toContain('40005 characters');
    expect(shown).toContain('tool-results/main/toolu_1.txt');
    expect(shown).toContain(`head\n${lines(19)}\n`);
    expect(shown.split(line).length - 1).toBe(19);
  });

  it('STO-1 counts bytes, not characters, and splits none', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('t1', { tool: 'Bash', text: '語'.repeat(40_000) });
    driver.ask('results');
    expect(driver.result('t1').text!.read().split('語').length - 1).toBe(666);
  });

  it('STO-1 keeps a preview of about 2.2 K of a result with tokens by its share', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('t1', { tool: 'Bash', text: lines(400), tokens: 20_000 });
    driver.ask('results');
    const block = driver.result('t1');
    expect(block.chars).toBeGreaterThan(2_000);
    expect(block.chars).toBeLessThan(2_300);
    // 2,000 of 40,000 characters are 1,000 of 20,000 tokens; the rest is the wrapper.
    expect(block.tokens).toBeGreaterThan(1_000);
    expect(block.tokens).toBeLessThan(1_150);
  });

  it('STO-1 sizes opaque results without reading them', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('t1', { tool: 'Bash', chars: 40_000, tokens: 10_000 });
    const before = driver.result('t1');
    driver.ask('results');
    const after = driver.result('t1');
    expect(after.text).toBeNull();
    expect(after.digest).not.toBe(before.digest);
    expect(after.chars).toBeLessThan(2_300);
    expect(after.tokens).toBeLessThan(650);
  });

  it('STO-4 reads the whole result back from its file', () => {
    const driver = new LayerDriver([storageLayer]);
    const text = `first\n${lines(600)}last`;
    driver.exchange('toolu_9', { tool: 'Bash', text });
    driver.ask('results');
    expect(driver.files.read('tool-results/main/toolu_9.txt')?.text).toBe(text);
  });

  it('STO-4 keeps files below their folder whatever the id says', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('../../etc/x', { tool: 'Bash', text: lines(400) });
    driver.ask('results');
    expect(driver.files.list('/tool-results/main')).toHaveLength(1);
  });

  it('STO-1 cuts to the threshold and writes no file where the client does so', () => {
    const driver = new LayerDriver([storageLayer], { 'storage.how': 'cut' });
    driver.exchange('t1', { tool: 'Bash', text: lines(500) });
    driver.ask('results');
    const block = driver.result('t1');
    expect(block.facts.replaces).toBe('cut');
    expect(block.chars).toBeLessThanOrEqual(30_000);
    expect(block.chars).toBeGreaterThan(29_900);
    expect(driver.files.list('/')).toEqual([]);
    expect(driver.reports.map((report) => report.action)).toEqual(['cut']);
  });
});

describe('the budget of a message', () => {
  it('STO-2 stores the largest results first until 200,000 characters are not exceeded', () => {
    const driver = new LayerDriver([storageLayer]);
    const sizes: Record<string, number> = { a: 45_000, b: 49_000, c: 48_000, d: 47_000, e: 46_000 };
    const ids = Object.keys(sizes);
    driver.respond(ids.map((id) => callBlock(id, { tool: 'Glob' })));
    driver.receive(ids.map((id) => resultBlock(id, { tool: 'Glob', chars: sizes[id]! })));
    driver.ask('results');
    expect(ids.filter((id) => driver.result(id).facts.replaces === 'stored')).toEqual(['b']);
  });

  it('STO-2 counts parallel results that arrive as messages of their own together', () => {
    const driver = new LayerDriver([storageLayer]);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    driver.respond(ids.map((id) => callBlock(id, { tool: 'Glob' })));
    for (const id of ids) driver.receive([resultBlock(id, { tool: 'Glob', chars: 45_000 })]);
    driver.ask('results');
    expect(ids.filter((id) => driver.result(id).facts.replaces === 'stored')).toEqual(['a']);
  });

  it('STO-2 sends eight results of 29,000 characters inline where there is no budget', () => {
    const driver = new LayerDriver([storageLayer], { 'storage.messageBudget': null });
    const ids = [...'abcdefgh'];
    driver.respond(ids.map((id) => callBlock(id, { tool: 'Bash' })));
    driver.receive(ids.map((id) => resultBlock(id, { tool: 'Bash', chars: 29_000 })));
    expect(driver.ask('results')).toEqual([]);
  });

  it('STO-2 INV-10 never leaves a message above its budget', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 49_999 }), { minLength: 1, maxLength: 30 });
    forAll(sizes, fc.constantFrom('Read', 'Glob', 'Bash'), (chars, tool) => {
      const driver = new LayerDriver([storageLayer]);
      driver.respond(chars.map((_, i) => callBlock(`t${i}`, { tool })));
      driver.receive(chars.map((size, i) => resultBlock(`t${i}`, { tool, chars: size })));
      driver.ask('results');
      const total = chars.reduce((sum, _, i) => sum + driver.result(`t${i}`).chars, 0);
      expect(total).toBeLessThanOrEqual(200_000);
    });
  });
});

describe('decisions are final', () => {
  it('STO-3 never touches a result that was sent, even when it would not fit any more', () => {
    const driver = new LayerDriver([storageLayer]);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      driver.exchange(id, { tool: 'Glob', chars: 45_000 });
      expect(driver.ask('results')).toEqual([]);
    }
  });

  it('STO-3 INV-4 sends the same bytes in later turns, after a compaction that kept them, and after a resume', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('big', { tool: 'Bash', text: lines(400) });
    driver.ask('results');
    const first = driver.result('big');
    driver.exchange('more', { tool: 'Grep', text: lines(300) });
    driver.ask('results');
    driver.compact(driver.messages);
    for (const message of driver.messages) for (const layer of driver.layers) layer.observe?.(message);
    expect(driver.ask('results')).toEqual([]);
    driver.resume();
    expect(driver.ask('results')).toEqual([]);
    expect(driver.result('big')).toBe(first);
    expect(driver.result('more').facts.replaces).toBe('stored');
  });

  it('STO-3 decides after a resume what arrived just before it', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('big', { tool: 'Bash', text: lines(400) });
    driver.resume();
    driver.ask('results');
    expect(driver.result('big').facts.replaces).toBe('stored');
  });

  it('STO-3 INV-4 makes the same replacement of the same result', () => {
    forAll(fc.string({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 40 }), (word, id) => {
      const text = `${word}\n`.repeat(Math.ceil(31_000 / (word.length + 1)));
      const [one, two] = [0, 1].map(() => {
        const driver = new LayerDriver([storageLayer]);
        driver.exchange(`t${id}`, { tool: 'Bash', text });
        driver.ask('results');
        return driver.result(`t${id}`);
      });
      expect(one!.digest).toBe(two!.digest);
      expect(one!.text!.read()).toBe(two!.text!.read());
    });
  });
});

describe('repeated reads', () => {
  const read = { tool: 'Read', text: lines(50), facts: { path: '/repo/a.ts' } } as const;

  it('sends an unchanged file again unless told otherwise', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.exchange('r1', read);
    driver.ask('results');
    driver.exchange('r2', read);
    expect(driver.ask('results')).toEqual([]);
  });

  it('R10 a process that takes the session up sends the file in full once more, and a stub from then on', () => {
    const driver = new LayerDriver([storageLayer], { 'storage.stubRepeatedReads': true });
    const read = (id: string) => {
      driver.exchange(id, { tool: 'Read', text: 'x'.repeat(4_000), facts: { path: '/repo/a.ts' } });
      driver.ask('results');
      return driver.result(id).facts.stub === true;
    };
    expect([read('r1'), read('r2')]).toEqual([false, true]);
    driver.resume();
    expect([read('r3'), read('r4')]).toEqual([false, true]);
  });

  it('points at the earlier read while the file is unchanged, and sends a changed one whole', () => {
    const driver = new LayerDriver([storageLayer], { 'storage.stubRepeatedReads': true });
    driver.exchange('r1', read);
    driver.ask('results');
    driver.exchange('r2', read);
    driver.ask('results');
    driver.exchange('r3', { ...read, text: lines(49) + line.replace('x', 'z') });
    driver.ask('results');
    expect(driver.result('r1').facts.stub).toBeUndefined();
    expect(driver.result('r2').facts).toEqual({ path: '/repo/a.ts', stub: true });
    expect(driver.result('r2').chars).toBeLessThan(100);
    expect(driver.result('r3').facts.stub).toBeUndefined();
  });

  it('CLN-1 sends the file again after a compaction', () => {
    const driver = new LayerDriver([storageLayer], { 'storage.stubRepeatedReads': true });
    driver.exchange('r1', read);
    driver.ask('results');
    driver.compact([]);
    driver.exchange('r2', read);
    driver.ask('results');
    expect(driver.result('r2').facts.stub).toBeUndefined();
  });
});

it('STO-1 reports what was stored, before and after', () => {
  const driver = new LayerDriver([storageLayer]);
  driver.exchange('t1', { tool: 'Bash', text: lines(400), tokens: 20_000 });
  const before = driver.trueTokens;
  driver.ask('results');
  const [report] = driver.reports;
  expect(report).toMatchObject({
    layer: 'storage',
    action: 'store',
    trigger: 'auto',
    outcome: 'done',
    trueBefore: before,
  });
  expect(report!.trueAfter).toBe(driver.trueTokens);
  expect(report!.saved).toBe(before - driver.trueTokens);
  expect(report!.details).toMatchObject({ tools: { Bash: 1 }, ids: 1, chars: 40_000 });
});
