import { describe, expect, it } from 'vitest';
import type { SourceName } from '../../../src/core/model/source-kind.js';
import { pageFill } from '../../../src/report/page-data/page-run.js';

const kind = (name: SourceName['kind']): SourceName => ({ kind: name, name: null });
const tool = (name: string): SourceName => ({ kind: 'tool', name });

describe('the parts of prompts on a page', () => {
  it('are stacked from the front of the prompt, each by how much it grew', () => {
    const of = new Map([
      ['a', [0, 7_000, 100]],
      ['b', [300, 7_000, 100]],
      ['c', [0, 7_000]],
    ]);
    const fill = pageFill({ columns: [kind('model'), kind('system'), kind('user')], of }, ['a', 'b', 'c']);
    expect(fill.map(({ title, grown }) => [title, grown])).toEqual([
      ['system prompt', [7_000, 0, 0]],
      ['user', [100, 0, -100]],
      ['model output', [0, 300, -300]],
    ]);
  });

  it('are empty for a request of which nothing is known', () => {
    const of = new Map([['a', [500]]]);
    const [part] = pageFill({ columns: [kind('system')], of }, ['a', 'unknown', 'a']);
    expect(part!.grown).toEqual([500, -500, 500]);
  });

  it('name the five largest tools, and sum up the others', () => {
    const columns = [kind('tool'), ...['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(tool)];
    const of = new Map([['a', [5, 10, 70, 20, 60, 30, 50, 40]]]);
    const fill = pageFill({ columns, of }, ['a']);
    expect(fill.map(({ title, grown }) => [title, grown[0]])).toEqual([
      ['tool B', 70],
      ['tool D', 60],
      ['tool F', 50],
      ['tool G', 40],
      ['tool E', 30],
      ['other tools', 5 + 10 + 20],
    ]);
    expect(new Set(fill.map(({ color }) => color)).size).toBe(6);
  });
});
