import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/core/base/nearest.js';

const MODELS = ['claude-sonnet-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'gpt-5.5'];

describe('the name that was meant', () => {
  it.each([
    ['sonnet-5.5', 'claude-sonnet-5-5'],
    ['Sonnet 5.5', 'claude-sonnet-5-5'],
    ['haiku', 'claude-haiku-5-5'],
    ['sonnet', 'claude-sonnet-5'],
    ['gtp-5.5', 'gpt-5.5'],
    ['sonet-5.5', 'claude-sonnet-5-5'],
    ['claude-sonet-5-5', 'claude-sonnet-5-5'],
  ])('%s is %s: its parts in a row come before letters that differ', (wanted, meant) => {
    expect(nearestName(wanted, MODELS)).toBe(meant);
  });

  it('is none for parts too short to mean one', () => {
    expect(nearestName('5.5', ['claude-sonnet-5-5', 'claude-haiku-5-5'])).toBeNull();
    expect(nearestName('----', MODELS)).toBeNull();
  });
});
