import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CcbenchError } from '../../src/core/base/errors.js';
import {
  closedAxes,
  grid,
  gridSize,
  parseAxes,
  parseVary,
  pointsOfGrid,
  pointsOfStep,
  possibleSettings,
  splitValues,
  valueAt,
} from '../../src/study/vary.js';
import { forAll } from '../helpers/for-all.js';

const window = () => 200_000;
const values = (text: string) => parseVary(text, window, 'refused').values;

describe('parseVary', () => {
  it('reads linear and log steps, both ends included', () => {
    expect(values('a.b=5..120:2')).toEqual(['5', '120']);
    expect(values('a=0..1:5')).toEqual(['0', '0.25', '0.5', '0.75', '1']);
    expect(values('a=10..1000:3:log')).toEqual(['10', '100', '1000']);
    expect(values('a=7..9:1')).toEqual(['7']);
  });

  it('rounds steps of whole ends to whole numbers and drops those that become equal', () => {
    expect(values('gap=5..120:12')).toEqual([
      '5',
      '15',
      '26',
      '36',
      '47',
      '57',
      '68',
      '78',
      '89',
      '99',
      '110',
      '120',
    ]);
    expect(values('a=1..4:4:log')).toEqual(['1', '2', '3', '4']);
  });

  it('reads lists, fractions of the window and auto', () => {
    expect(values('cache.ttl=5m,1h')).toEqual(['5m', '1h']);
    expect(values('window.explicit=0.3w,0.5w')).toEqual(['60000', '100000']);
    expect(values('window.explicit=0.5w..1w:3')).toEqual(['100000', '150000', '200000']);
    expect(values('window.explicit=auto')).toEqual([
      '60000',
      '80000',
      '100000',
      '120000',
      '140000',
      '160000',
      '180000',
      '200000',
    ]);
  });

  it('auto of a size tries every tenth of the window from three on', () => {
    const { values: tried } = parseVary('window.explicit=auto', () => 1_000_000, 'allowed');
    const tenths = [3, 4, 5, 6, 7, 8, 9, 10].map((tenth) => String(tenth * 100_000));
    expect(tried.filter((size) => Number(size) >= 300_000 && Number(size) % 100_000 === 0)).toEqual(tenths);
  });

  it('auto of a percentage of the window is in percent, and of anything else refused', () => {
    const percents = ['30', '40', '50', '60', '70', '80', '90', '100'];
    expect(values('window.percent=auto')).toEqual(percents);
    expect(parseVary('window.percent=auto', () => 200_000, 'allowed').values).toEqual(percents);
    expect(() => values('microcompact.timeBased.gapMinutes=auto')).toThrow(
      'auto is for sizes in tokens and for percentages of the window, and microcompact.timeBased.gapMinutes is in minutes',
    );
    expect(() => values('microcompact.timeBased.enabled=auto')).toThrow('.enabled is neither');
    expect(() => values('cache.ttl=auto')).toThrow('and cache.ttl is neither');
    expect(() => values('model=auto')).toThrow('and model is neither');
    // The paths of a policy file begin with other words, and a window is a size.
    expect(values('rules.compact.when.0.tokens=auto')).toEqual(values('window=auto'));
  });

  it('refuses empty ranges and lists with a hint', () => {
    const refused = ['a=9..5:3', 'a=1..5:0', 'a=', 'a=1,,2', 'a', '=1', 'a=1..5', 'a=0..5:3:log', 'a=1..x:3'];
    for (const text of refused) {
      expect(() => values(text), text).toThrow(CcbenchError);
      expect(() => values(text), text).toThrow(expect.objectContaining({ hint: expect.any(String) }));
    }
  });

  it('takes a range without steps where any value may be drawn', () => {
    const axis = parseVary('a=10..1000', window, 'allowed');
    expect([valueAt(axis, 0), valueAt(axis, 0.5), valueAt(axis, 1)]).toEqual(['10', '505', '1000']);
    const log = parseVary('a=10..1000:log', window, 'allowed');
    expect(valueAt(log, 0.5)).toBe('100');
  });

  it('reads ends in thousands and millions, and steps between whole ends that are finer than whole', () => {
    expect(values('a=1k..2K:3')).toEqual(['1000', '1500', '2000']);
    expect(values('a=0.5m..1m:2')).toEqual(['500000', '1000000']);
    expect(values('a=1..2:2')).toEqual(['1', '2']);
    expect(values('a=1..2:3')).toEqual(['1', '1.5', '2']);
    expect(values('a=0.1..0.3:3')).toEqual(['0.1', '0.2', '0.3']);
    expect(values('a=5..5:1')).toEqual(['5']);
    expect(values('a=1..100:3:log')).toEqual(['1', '10', '100']);
    expect(values('a=1..101:3:linear')).toEqual(['1', '51', '101']);
  });

  it('names each setting once, and no more steps than a million', () => {
    expect(() => parseAxes(['a=1,2', 'a=3'], window, 'refused')).toThrow('--vary names a twice');
    expect(parseAxes(['a=1,1,2', 'b=3'], window, 'refused').map(({ values: own }) => own)).toEqual([
      ['1', '2'],
      ['3'],
    ]);
    expect(() => values('a=1..5:1000001')).toThrow('1000001 steps are too many');
    expect(values('a=0..999999:1000000')).toHaveLength(1_000_000);
  });

  it('auto of a search has tenths and round sizes up to the window, and where requests become more expensive', () => {
    const axis = parseVary(
      'a=auto',
      () => 100_000,
      'allowed',
      () => [55_000, 100_001],
    );
    // tenths from 30,000 on; 40,000 to 100,000 are round sizes as well
    expect(axis.values).toEqual([
      '30000',
      '40000',
      '50000',
      '55000',
      '60000',
      '70000',
      '80000',
      '90000',
      '100000',
    ]);
    const large = parseVary('a=auto', () => 1_000_000, 'allowed').values.map(Number);
    expect(large.filter((size) => size < 300_000)).toEqual([
      40_000, 60_000, 80_000, 100_000, 128_000, 160_000, 200_000,
    ]);
    expect(large.at(-1)).toBe(1_000_000);
  });

  it('draws from lists and steps in equal parts', () => {
    const axis = parseVary('a=x,y,z', window, 'allowed');
    expect([0, 0.33, 0.34, 0.66, 0.67, 1].map((at) => valueAt(axis, at))).toEqual([
      'x',
      'x',
      'y',
      'y',
      'z',
      'z',
    ]);
    const fine = parseVary('a=0.5..1', window, 'allowed');
    expect(valueAt(fine, 0.5)).toBe('0.75');
  });

  it('stays inside its ends', () => {
    const range = fc.tuple(fc.integer({ min: -500, max: 500 }), fc.integer({ min: 0, max: 500 }));
    forAll(range, fc.integer({ min: 1, max: 40 }), ([from, span], steps) => {
      const steps_ = values(`a=${from}..${from + span}:${steps}`).map(Number);
      expect(Math.min(...steps_)).toBe(from);
      expect(Math.max(...steps_)).toBe(steps === 1 ? from : from + span);
      expect([...steps_].sort((a, b) => a - b)).toEqual(steps_);
    });
  });
});

describe('grid', () => {
  it('combines every value with every other, the last fastest', () => {
    const axes = ['a=1,2', 'b=x,y'].map((text) => parseVary(text, window, 'refused'));
    expect(grid(axes)).toEqual([
      ['1', 'x'],
      ['1', 'y'],
      ['2', 'x'],
      ['2', 'y'],
    ]);
  });

  it('refuses more points than anyone waits for', () => {
    const axes = ['a=1..1000:1000', 'b=1..1000:1000'].map((text) => parseVary(text, window, 'refused'));
    expect(gridSize(axes)).toBe(1_000_000);
    expect(() => grid(axes)).toThrow('1000000 points');
    const most = ['a=1..1000:1000', 'b=1..100:100'].map((text) => parseVary(text, window, 'refused'));
    expect(grid(most)).toHaveLength(100_000);
    expect(() => grid([...most.slice(0, 1), parseVary('b=1..101:101', window, 'refused')])).toThrow('101000');
  });
});

describe('splitValues', () => {
  it('splits at commas outside of brackets and quotes', () => {
    expect(splitValues('1, 2 ,"a,b",[x, y],{ k: 1, l: 2 }')).toEqual([
      '1',
      '2',
      '"a,b"',
      '[x, y]',
      '{ k: 1, l: 2 }',
    ]);
  });
});

describe('the settings that axes allow', () => {
  const axis = (text: string) => parseVary(text, window, 'allowed');

  it('are their steps, also where there is one, or every whole number of an open range', () => {
    const one = axis('a=10..20:1');
    expect([valueAt(one, 0.9), possibleSettings([one]), closedAxes([one])[0]!.values]).toEqual([
      '10',
      1,
      ['10'],
    ]);
    const open = axis('a=10..13');
    expect([valueAt(open, 1), possibleSettings([open])]).toEqual(['13', 4]);
    expect(closedAxes([open])[0]!.values).toEqual(['10', '11', '12', '13']);
    const list = axis('a=x,y');
    expect([possibleSettings([list, open]), closedAxes([list])[0]]).toEqual([8, list]);
    expect(possibleSettings([axis('a=0.5..2')])).toBe(Number.POSITIVE_INFINITY);
    expect(possibleSettings([])).toBe(1);
  });

  it('have corners: the first, the last, and those at which one setting alone is at its other end', () => {
    const points = pointsOfGrid([axis('a=1,2,3'), axis('b=x,y')]);
    expect([points.size, points.at(3)]).toEqual([6, ['2', 'y']]);
    expect(points.corners).toEqual([
      ['1', 'x'],
      ['3', 'x'],
      ['1', 'y'],
      ['3', 'y'],
    ]);
    expect(pointsOfGrid([axis('a=1')]).corners).toEqual([['1']]);
  });

  it('of a step of a search are those that it chose', () => {
    const chosen = [
      ['1', 'x'],
      ['2', 'x'],
    ];
    const step = pointsOfStep({ paths: ['a', 'b'], points: chosen, sessions: ['s'] });
    expect([step.size, step.at(1), step.corners]).toEqual([2, ['2', 'x'], chosen]);
    expect(step.axes.map(({ path, values: own }) => [path, own])).toEqual([
      ['a', ['1', '2']],
      ['b', ['x']],
    ]);
  });
});
