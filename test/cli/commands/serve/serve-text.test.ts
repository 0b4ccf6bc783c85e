import { describe, expect, it } from 'vitest';
import type { ServedCall, ServedTotals } from '../../../../src/cli/commands/serve/ledger.js';
import { callLine, totalsText } from '../../../../src/cli/commands/serve/serve.js';
import { plainStyle } from '../../../../src/report/text/table.js';

const style = {
  ...plainStyle,
  dim: (text: string) => `<d>${text}</d>`,
  yellow: (text: string) => `<y>${text}</y>`,
};
const USAGE = { input: 10, cacheRead: 600, cacheWrite5m: 300, cacheWrite1h: 90, output: 5 };

const call = (change: Partial<ServedCall> = {}): ServedCall =>
  ({
    number: 7,
    startMs: 1_500,
    status: 200,
    method: 'POST',
    path: '/v1/messages',
    error: null,
    usage: USAGE,
    conversation: 2,
    model: 'm',
    costUsd: 0.25,
    writtenForMs: null,
    missReason: null,
    missedTokens: 0,
    change: null,
    billed: null,
    predicted: null,
    ...change,
  }) as ServedCall;
const line = (change: Partial<ServedCall>): string => callLine(call(change), { style });

describe('the line of a call', () => {
  it('says what was read, written and paid', () => {
    expect(line({})).toBe(
      '   7  +1.5 s    #2 m  prompt 1,000  read 600  wrote 300 (5 min) + 90 (1 h)  input 10  out 5  $0.2500',
    );
    expect(line({ usage: { ...USAGE, cacheWrite5m: 0 } })).toContain('wrote 90 (1 h)  ');
    expect(line({ usage: { ...USAGE, cacheWrite1h: 0 } })).toContain('wrote 300 (5 min)  ');
    expect(line({ usage: { ...USAGE, cacheWrite5m: 0, cacheWrite1h: 0 } })).toContain('wrote 0  ');
  });

  it('says why nothing was read, louder where something was lost', () => {
    expect(line({ missReason: 'first' })).toMatch(/ {2}<d>new conversation<\/d>$/);
    expect(line({ missReason: 'ttl-5m', missedTokens: 1_200 })).toMatch(
      / {2}<y>1,200 cached tokens missed: five minutes had passed<\/y>$/,
    );
    const change = { place: 'system block 1', before: 'at 10:00', after: 'at 10:01' };
    expect(line({ missReason: 'system', missedTokens: 1_200, change })).toContain(
      'the system prompt changed, system block 1: "at 10:00" became "at 10:01"',
    );
    expect(line({ error: 'cut', missReason: 'first' })).toMatch(
      / {2}<y>new conversation; cut half-way<\/y>$/,
    );
  });

  it('shows what was billed beside the predicted read, louder where they differ', () => {
    const billed = { ...USAGE, cacheRead: 100, input: 510 };
    expect(line({ billed, predicted: USAGE })).toMatch(
      /prompt 1,000 {2}read 100 \(predicted 600\) .* {2}<y>reads not as predicted<\/y>$/,
    );
    // 50 tokens are five per cent of the prompt
    const near = { ...USAGE, cacheRead: 550, input: 60 };
    expect(line({ billed: near, predicted: USAGE })).toMatch(/read 550 \(predicted 600\) .*\$0.2500$/);
  });

  it('shows what bills nothing, and what was refused', () => {
    expect(line({ usage: null, path: '/v1/models', method: 'GET' })).toBe(
      '<d>   7  +1.5 s    200 GET /v1/models</d>',
    );
    expect(line({ usage: null, status: 400, error: 'bad' })).toBe(
      '<y>   7  +1.5 s    400 POST /v1/messages: bad</y>',
    );
    expect(line({ usage: null, status: 0 })).toContain('cut POST');
  });
});

describe('the sums of a server', () => {
  const TOTALS: ServedTotals = {
    calls: 6,
    answered: 3,
    refused: 2,
    conversations: 1,
    compactions: 0,
    missedTokens: 0,
    usage: USAGE,
    costUsd: 0.5,
    uncachedUsd: 2,
    upstream: null,
    breaks: { 'ttl-5m': 2, model: 1 },
  };

  it('hold what the real API billed against what was predicted', () => {
    const upstream = { billed: 3, agreeing: 2, billedUsd: 0.5, predictedUsd: 0.25 };
    expect(totalsText({ ...TOTALS, upstream })).toContain(
      'upstream billed 3 requests: 2 read what was predicted; billed $0.5000, $0.2500 more than predicted',
    );
    expect(totalsText({ ...TOTALS, upstream: { ...upstream, billedUsd: 0.2 } })).toContain(
      '$0.0500 less than',
    );
  });

  it('split calls, tokens and money', () => {
    expect(totalsText(TOTALS).split('\n')).toEqual([
      '6 calls: 3 answered, 2 refused, 1 that cost nothing; 1 conversation',
      'prompt 1,000 tokens: read 600 (60.0%), written 5 min 300, written 1 h 90, uncached 10; output 5',
      'cost $0.5000; without a cache $2.00',
      'cache broke: five minutes had passed ×2, another model ×1',
      '',
    ]);
    expect(totalsText({ ...TOTALS, calls: 5, breaks: {} })).not.toMatch(/cost nothing|broke/);
    expect(totalsText({ ...TOTALS, calls: 2, answered: 0, breaks: {} })).toBe(
      '2 calls: 0 answered, 2 refused; 1 conversation\n',
    );
  });
});
