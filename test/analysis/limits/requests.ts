import type { LimitRequest, TokenKind } from '../../../src/analysis/limits/limit-requests.js';

const USD: Readonly<Record<string, number>> = { 'claude-sonnet-5': 3, 'claude-opus-5': 6 };

/** A request of a main thread at a minute, with its tokens by kind; the input price is $3 for Sonnet, $6 for Opus. */
export function requestAt(
  minute: number,
  tokens: Partial<Record<TokenKind, number>>,
  model = 'claude-sonnet-5',
): LimitRequest {
  return {
    atMs: minute * 60_000,
    file: 'session.jsonl',
    model,
    asker: 'main',
    inputUsd: USD[model]!,
    parts: Object.entries(tokens).map(([kind, count]) => ({
      cause: kind === 'read' ? 'read' : kind === 'output' ? 'output' : 'growth',
      kind: kind as TokenKind,
      tokens: count,
    })),
  };
}
