import { describe, expect, it } from 'vitest';
import {
  cutBlock,
  findSlots,
  fullText,
  isWholeRead,
  previewBlock,
  stubBlock,
} from '../../../../src/agent/layers/storage/replacements.js';
import { storageLayer } from '../../../../src/agent/layers/storage/storage.js';
import { messageFrom } from '../../../helpers/blocks.js';
import { callBlock, LayerDriver, type ResultShape, resultBlock } from '../../../helpers/drive/drive-layer.js';

/** Results of one message: which of them are replaced, in letters. */
function replaced(results: Readonly<Record<string, ResultShape>>, set: Record<string, number | string> = {}) {
  const driver = new LayerDriver([storageLayer], set);
  driver.respond(Object.keys(results).map((id) => callBlock(id, results[id]!)));
  driver.receive(Object.entries(results).map(([id, shape]) => resultBlock(id, shape)));
  driver.ask('results');
  const ids = Object.keys(results).filter((id) => driver.result(id).facts.replaces !== undefined);
  return { driver, ids: ids.join('') };
}
const of = (chars: number, tool = 'Read'): ResultShape => ({ tool, text: 'x'.repeat(chars) });

describe('STO-1 STO-2 at their edges', () => {
  it('a result at its threshold stays, also beside one that is longer', () => {
    expect(replaced({ a: of(30_000, 'Bash'), b: of(30_001, 'Bash'), c: of(50_000, 'Glob') }).ids).toBe('b');
  });

  it('a message at its budget stays, also where one of its results went to a file', () => {
    const small = replaced({ a: of(60_000, 'Glob') }).driver.result('a').chars;
    const rest = 100_000 - small;
    const set = { 'storage.messageBudget': 100_000 };
    expect(replaced({ a: of(60_000, 'Glob'), b: of(rest) }, set).ids).toBe('a');
    expect(replaced({ a: of(60_000, 'Glob'), b: of(rest + 1) }, set).ids).toBe('ab');
  });

  it('the largest go until the message is at its budget, and no further', () => {
    const preview = replaced({ a: of(60_000, 'Glob') }).driver.result('a').chars;
    const fits = { a: of(40_000), b: of(60_000), c: of(50_000) };
    // Without the second: 90,000 characters and its preview.
    const set = (budget: number) => ({ 'storage.messageBudget': budget });
    const { driver, ids } = replaced(fits, set(90_000 + preview));
    expect(ids).toBe('b');
    expect(driver.reports[0]!.details).toMatchObject({
      tools: { Read: 1 },
      ids: 1,
      chars: 60_000,
      forBudget: 1,
    });
    expect(replaced(fits, set(90_000 + preview - 1)).ids).toBe('bc');
    expect(replaced(fits, set(150_000)).ids).toBe('');
  });

  it('results with images count for the budget and stay', () => {
    const image = { ...of(60_000), facts: { images: 1 } };
    expect(replaced({ a: image, b: of(50_000) }, { 'storage.messageBudget': 100_000 }).ids).toBe('b');
  });

  it('a result that a preview would not make shorter stays', () => {
    expect(replaced({ a: of(100), b: of(90) }, { 'storage.messageBudget': 150 }).ids).toBe('');
    const tight = { 'storage.defaultThreshold': 50 };
    expect(replaced({ a: of(60, 'Glob') }, tight).ids).toBe('');
  });

  it('tells what it saved of each tool; a result of no tool is unknown', () => {
    const block = { ...resultBlock('b', of(60_000, 'Glob')), tool: null };
    const driver = new LayerDriver([storageLayer]);
    driver.receive([resultBlock('a', of(60_000, 'Glob')), block]);
    driver.ask('results');
    const [report] = driver.reports;
    const left = driver.result('a').tokens + driver.result('b').tokens;
    expect(report!.details).toMatchObject({ tools: { Glob: 1, unknown: 1 }, ids: 2, chars: 120_000 });
    expect(report!.saved).toBe(2 * 15_000 - left);
    expect(report!.details.seenSaved).toBe(2 * 15_000 - driver.result('a').rough - driver.result('b').rough);
  });

  it('what the model has answered is looked at no more', () => {
    const driver = new LayerDriver([storageLayer]);
    driver.receive([resultBlock('a', of(60_000, 'Glob'))]);
    driver.respond([callBlock('b')]);
    expect(driver.ask('results')).toEqual([]);
  });
});

describe('what stands in the place of a result', () => {
  const result = (text: string, tokens: number) => resultBlock('t', { text, tokens, facts: { path: '/a' } });

  it('a preview ends at a line end of its second half, or where its bytes do', () => {
    const shown = (text: string, bytes: number) =>
      /Its beginning:\n([\s\S]*)\n\[the rest/.exec(
        previewBlock(result(text, 1_000), '/p', bytes).text!.read(),
      )![1];
    expect(shown('12345\n789abc', 10)).toBe('12345\n');
    expect(shown('1234\n6789abc', 10)).toBe('1234\n6789a');
    expect(shown('12\n4', 4)).toBe('12\n4');
    expect(shown('語語語', 7)).toBe('語語');
  });

  it('has the tokens of its share, those of the frame, and never more than before', () => {
    const original = result('x'.repeat(1_000), 500);
    const preview = previewBlock(original, '/p', 100);
    const frame = preview.chars - 100;
    expect(preview.tokens).toBe(50 + Math.ceil(frame / 2.75));
    expect(previewBlock(result('x'.repeat(1_000), 20), '/p', 100).tokens).toBe(20);
    const stub = stubBlock(original);
    expect([stub.tokens, stub.facts]).toEqual([Math.ceil(stub.chars / 2.75), { path: '/a', stub: true }]);
    expect(preview.facts).toEqual({ path: '/a', replaces: 'stored' });
  });

  it('a cut has its limit in characters, note included, and parts no pair of surrogates', () => {
    const note = '\n[cut here: 970 more characters]';
    const cut = cutBlock(result('x'.repeat(1_000), 500), 30 + '\n[cut here: 1000 more characters]'.length);
    expect(cut.text!.read()).toBe(`${'x'.repeat(30)}${note}`);
    const smile = cutBlock(
      result(`xx😀${'x'.repeat(996)}`, 500),
      3 + '\n[cut here: 1000 more characters]'.length,
    );
    expect(smile.text!.read().startsWith('xx\n[cut here: 998 ')).toBe(true);
    expect(cutBlock(result('x'.repeat(1_000), 500), 5).text!.read()).toBe(
      '\n[cut here: 1000 more characters]',
    );
    const opaque = cutBlock(resultBlock('t', { chars: 1_000, tokens: 500 }), 133);
    expect([opaque.text, opaque.chars]).toEqual([null, 100 + '\n[cut here: 900 more characters]'.length]);
  });
});

describe('results that wait', () => {
  const message = (id: string, ...ids: readonly string[]) =>
    messageFrom(
      'tool',
      id,
      ids.map((each) => resultBlock(each)),
    );

  it('are found where they stand, oldest first; what is gone is left out', () => {
    const [a, b, c] = [message('a', 'r1'), message('b', 'r2', 'r3'), message('c', 'r4')];
    const found = (waiting: readonly (typeof a)[], messages: readonly (typeof a)[]) =>
      findSlots(waiting, messages).map(({ messageId, blockIndex }) => `${messageId}${blockIndex}`);
    expect(found([b, c], [a, b, c])).toEqual(['b0', 'b1', 'c0']);
    expect(found([b], [a, b, c])).toEqual(['b0', 'b1']);
    expect(found([b, c], [a, c])).toEqual(['c0']);
    expect(found([], [a, b])).toEqual([]);
  });

  it('whole reads have a path, no error and no pointer', () => {
    const is = (shape: ResultShape) => isWholeRead(resultBlock('t', shape));
    expect(is({ facts: { path: '/a' } })).toBe(true);
    expect(is({})).toBe(false);
    expect(is({ tool: 'Bash', facts: { path: '/a' } })).toBe(false);
    expect(is({ facts: { path: '/a', isError: true } })).toBe(false);
    expect(is({ facts: { path: '/a', stub: true } })).toBe(false);
  });

  it('go to disk with their words, or with a word on them (STO-4)', () => {
    expect(fullText(resultBlock('t', { chars: 70 }))).toBe(
      '[70 characters that the transcript does not hold]',
    );
    expect(fullText(resultBlock('t', { text: 'words' }))).toMatchObject({ chars: 5 });
  });
});
