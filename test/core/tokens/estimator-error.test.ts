import { describe, expect, it } from 'vitest';
import { estimatorError, PADDED_RULES } from '../../../src/core/tokens/heuristic.js';
import { assistant, text, user } from './build.js';

describe('estimatorError', () => {
  const messages = [user([text(220, { tokens: 80 })]), assistant([text(220, { tokens: 80 })])];

  it('TOK-10 shows chars / 4 under-counting text of 2.75 characters a token', () => {
    expect(estimatorError(messages)).toEqual({ heuristic: 110, true: 160, ratio: 0.6875 });
  });

  it('TOK-10 takes the rules of the client', () => {
    expect(estimatorError(messages, PADDED_RULES)).toEqual({ heuristic: 147, true: 160, ratio: 147 / 160 });
  });

  it('TOK-10 has no ratio where there is nothing to compare, and leaves boundaries out of both sides', () => {
    const boundary = user([text(40, { tokens: 10 })], { origin: 'boundary' });
    expect(estimatorError([])).toEqual({ heuristic: 0, true: 0, ratio: null });
    expect(estimatorError([boundary])).toEqual({ heuristic: 0, true: 0, ratio: null });
  });
});
