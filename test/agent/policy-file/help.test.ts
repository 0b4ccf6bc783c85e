import { describe, expect, it } from 'vitest';
import { helpFor } from '../../../src/agent/policy-file/read-policy.js';

describe('the unit of a value of a policy file', () => {
  it.each([
    [['rules', 0, 'when', 0, 'tokens'], 'tokens'],
    [['rules', 0, 'select', 'keep', 'user', 'head'], 'tokens'],
    [['rules', 0, 'replace', 'head'], 'characters'],
    [['rules', 0, 'until', 'chars'], 'characters'],
    [['rules', 0, 'select', 'keep', 'share'], 'share'],
    [['rules', 0, 'select', 'keep', 'chars'], 'characters'],
    [['rules', 0, 'fail', 'shrink', 0, 'times'], 'attempts'],
    [['rules', 0, 'fail', 'shrink', 0, 'chars', 0], 'characters'],
    [['base', 'times'], 'share'],
    [['cache', 'keepAlive', 'times'], 'times'],
  ])('%j is %s', (path, unit) => {
    expect(helpFor(path).unit).toBe(unit);
  });
});
