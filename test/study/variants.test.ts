import { describe, expect, it } from 'vitest';
import { ProblemList } from '../../src/core/base/errors.js';
import { variantsOf } from '../../src/study/variants.js';

const TEXT = `name: v
transcript: { synthetic: { turns: 5, text: none } }
policy: none
variants:
  - { name: hour, cache: { ttl: 1h } }
`;

function names(policies: readonly string[], set: readonly string[], text = TEXT) {
  return variantsOf({ text, file: 'v.yaml', set: [] }, { policies, set }).map(({ name }) => name);
}

describe('variantsOf', () => {
  it('takes base and variants from the file', () => {
    expect(names([], [])).toEqual(['base', 'hour']);
  });

  it('combines policies, values and the variants of the file', () => {
    expect(names(['none', 'baselines/mask'], [])).toEqual([
      'none',
      'none, hour',
      'baselines/mask',
      'baselines/mask, hour',
    ]);
    expect(names([], ['seed=1,2', 'estimatorFactor=1,2'], TEXT.replace(/variants[\s\S]*/, ''))).toEqual([
      'seed=1, estimatorFactor=1',
      'seed=1, estimatorFactor=2',
      'seed=2, estimatorFactor=1',
      'seed=2, estimatorFactor=2',
    ]);
  });

  it('refuses a setting that is named twice: only the last of its values would hold', () => {
    for (const set of [
      ['seed=1,2', 'seed=3'],
      ['seed=1', 'seed=2'],
    ])
      expect(() => names([], set)).toThrow('--set names seed twice');
  });

  it('treats a single value as a setting, keeps what was asked for, and has a variant of the file once', () => {
    expect(names(['unbounded'], ['timing=recorded'])).toEqual(['base', 'hour']);
    expect(names([], ['cache.ttl=5m,1h'])).toEqual(['cache.ttl=5m', 'cache.ttl=5m, hour', 'cache.ttl=1h']);
  });

  it('has a value that is given twice once, as --vary does', () => {
    expect(names(['none', 'unbounded', 'none'], [])).toEqual(names(['none', 'unbounded'], []));
    expect(names(['none', 'none'], ['seed=1,2,1'])).toEqual([
      'seed=1',
      'seed=1, hour',
      'seed=2',
      'seed=2, hour',
    ]);
    expect(names([], ['cache.ttl=5m, 5m'])).toEqual(['base', 'hour']);
  });

  it('keeps variants of the file that run the same', () => {
    const twins = `${TEXT}  - { name: again, cache: { ttl: 1h } }\n`;
    expect(names([], [], twins)).toEqual(['base', 'hour', 'again']);
  });

  it('reports what is wrong with a value once, at that value', () => {
    const wrong = () => names(['none', 'unbounded'], ['cache.ttl=5m,7h']);
    expect(wrong).toThrow(expect.objectContaining({ place: { file: '--set cache.ttl=7h' } }));
    expect(() => names(['none', 'nobody'], ['no.path=1'])).toThrow(ProblemList);
  });
});
