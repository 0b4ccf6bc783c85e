import { describe, expect, it } from 'vitest';
import { parseResults, resultLine, resultsHeader } from '../../src/study/results-file.js';

const RESULT = { key: 'k1', metrics: { costUsd: 1.5, cacheHitRate: null }, skipped: ['tier x: text'] };

describe('results file', () => {
  it('reads back what it wrote', () => {
    const text = resultsHeader('1.2.3') + resultLine(RESULT) + resultLine({ ...RESULT, key: 'k2' });
    const read = parseResults(text, '1.2.3');
    if (read.state !== 'usable') throw new Error(read.found);
    expect([...read.results.keys()]).toEqual(['k1', 'k2']);
    expect(read.results.get('k1')).toEqual(RESULT);
    expect(read.broken).toBe(0);
  });

  it('keeps the good lines of a broken file', () => {
    const broken = ['{"type":"point","key":"k9"', '17', '{"type":"point","key":3}', '{"type":"note"}'];
    const text = resultsHeader('1') + resultLine(RESULT) + broken.join('\n');
    expect(parseResults(text, '1')).toMatchObject({ state: 'usable', broken: 4 });
  });

  it('D10 does not use a line that was changed since it was written, or holds no metrics', () => {
    const line = resultLine(RESULT);
    const changed = [
      line.replace('1.5', '1.6'),
      line.replace('k1', 'k2'),
      line.replace('tier x', 'tier y'),
      line.replace('"point"', '"note"'),
      line.replace('{"costUsd":1.5,"cacheHitRate":null}', 'null'),
      line.replace('{"costUsd":1.5,"cacheHitRate":null}', '[]'),
      line.replace('1.5', '"1.5"'),
      line.replace('["tier x: text"]', '{}'),
    ];
    for (const text of changed)
      expect(parseResults(resultsHeader('1') + text, '1'), text).toEqual({
        state: 'usable',
        results: new Map(),
        broken: 1,
      });
    expect(JSON.parse(line).check).toMatch(/^[0-9a-f]{16}$/);
    expect(parseResults(`\n${resultsHeader('1')}\n  \n${line}`, '1')).toMatchObject({ broken: 0 });
    expect(parseResults('{"type":"sweep"}', '1')).toEqual({ state: 'foreign', found: 'format unknown' });
    expect(parseResults('{"type":"sweep","version":2}', '1')).toMatchObject({
      found: 'ccbench of no version',
    });
    expect(parseResults('[]', '1')).toMatchObject({ found: 'no header of a sweep' });
  });

  it('does not use results of another format, another version, or no results at all', () => {
    const old = '{"type":"sweep","version":0,"program":"1"}\n';
    expect(parseResults(old, '1')).toEqual({ state: 'foreign', found: 'format 0' });
    expect(parseResults(resultsHeader('0.9'), '1')).toEqual({ state: 'foreign', found: 'ccbench 0.9' });
    expect(parseResults('hello\n', '1').state).toBe('foreign');
  });
});
