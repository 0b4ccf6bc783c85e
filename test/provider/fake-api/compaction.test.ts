import Anthropic from '@anthropic-ai/sdk';
import type {
  BetaMessageParam,
  BetaUsage,
  MessageCreateParamsNonStreaming,
} from '@anthropic-ai/sdk/resources/beta/messages';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/cli/commands/serve/ledger.js';
import type { FaultRule } from '../../../src/core/run/run-plan.js';
import { createPromptCache } from '../../../src/provider/cache/prompt-cache.js';
import { createFakeApi } from '../../../src/provider/fake-api/fake-api.js';
import { createClock } from '../../helpers/clock.js';
import { hideWarnings } from '../../helpers/hide-warnings.js';

hideWarnings();

type Body = Partial<MessageCreateParamsNonStreaming>;

const cache_control = { type: 'ephemeral' } as const;
const SYSTEM = 's'.repeat(5_000);
const LONG = 'm'.repeat(60_000);
const SUMMARY = 'What was said so far.'; // 21 characters, a token each
const long: BetaMessageParam = { role: 'user', content: [{ type: 'text', text: LONG, cache_control }] };

/** One character is one token; a request for a summary gets the summary, any other `done` and how many turns it has. */
function setUp(fault: FaultRule['error'] | null = null) {
  const ledger = new Ledger(() => 0);
  const { fetch } = createFakeApi({
    clock: createClock(),
    counter: { count: (text) => text.length },
    cache: createPromptCache(),
    latencyScale: 0,
    faults:
      fault === null
        ? null
        : { next: (call) => (call === 'compact' ? ({ error: fault } as FaultRule) : null) },
    answer: {
      callsTools: false,
      answer: ({ messages }, { kind }) => ({
        content: [{ type: 'text', text: kind === 'summary' ? SUMMARY : `done ${messages.length}` }],
      }),
    },
    onCall: (call, answered) => void ledger.add(call, answered),
  });
  const client = new Anthropic({ apiKey: 'test', fetch, maxRetries: 0, baseURL: 'http://fake.test' });
  const bodyOf = (more: Body): MessageCreateParamsNonStreaming => ({
    model: 'claude-sonnet-4-6',
    max_tokens: 500,
    system: [{ type: 'text', text: SYSTEM, cache_control }],
    messages: [long],
    betas: ['compact-2026-01-12'],
    ...more,
  });
  return { client, ledger, bodyOf, send: (more: Body = {}) => client.beta.messages.create(bodyOf(more)) };
}

const threshold = (more: object = {}): Body => ({
  context_management: {
    edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 60_000 }, ...more }],
  },
});

const counts = ({ input_tokens, cache_creation_input_tokens, cache_read_input_tokens }: Counted) => [
  input_tokens,
  cache_creation_input_tokens,
  cache_read_input_tokens,
];
type Counted = Pick<BetaUsage, 'input_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens'>;
const iterations = ({ usage }: { readonly usage: BetaUsage }) =>
  (usage.iterations ?? []).map((part) => [part.type, ...counts(part), part.output_tokens]);

describe('compaction by the API at a threshold', () => {
  it('summarises, answers behind the summary, and tells what each of the two used', async () => {
    const { send, ledger } = setUp();
    const message = await send(threshold());
    expect(message.content).toMatchObject([
      { type: 'compaction', content: SUMMARY },
      { type: 'text', text: 'done 1' },
    ]);
    expect(message.stop_reason).toBe('end_turn');
    // The call for the summary writes all 65,000 tokens; the answer reads the system prompt, and the summary is new.
    expect(iterations(message)).toEqual([
      ['compaction', 0, 65_000, 0, 21],
      ['message', 21, 0, 5_000, 6],
    ]);
    expect(counts(message.usage)).toEqual([21, 0, 5_000]);
    expect(ledger.totals).toMatchObject({
      answered: 2,
      conversations: 1,
      compactions: 1,
      usage: { input: 21, cacheWrite5m: 65_000, cacheRead: 5_000, output: 27 },
    });
  });

  it('everything before the latest block is left out of later requests, and of their count', async () => {
    const { send, client, bodyOf, ledger } = setUp();
    const first = await send(threshold());
    const messages: BetaMessageParam[] = [
      long,
      { role: 'assistant', content: first.content },
      { role: 'user', content: 'go on' },
    ];
    const second = await send({ ...threshold(), messages });
    // 21 of the summary, 6 of the answer, 5 of the prompt.
    expect(iterations(second)).toEqual([['message', 32, 0, 5_000, 6]]);
    expect(second.content).toEqual([{ type: 'text', text: 'done 2' }]);
    const { input_tokens } = await client.beta.messages.countTokens({
      ...bodyOf({}),
      ...threshold(),
      messages,
    } as never);
    expect(input_tokens).toBe(5_032);
    expect(ledger.totals).toMatchObject({ conversations: 1, compactions: 1, breaks: { compaction: 1 } });
  });

  it('a marker at the block keeps the summary in the cache', async () => {
    const { send } = setUp();
    const text = 'S'.repeat(3_000);
    const messages: BetaMessageParam[] = [
      { role: 'assistant', content: [{ type: 'compaction', content: text, cache_control }] },
      { role: 'user', content: 'go on' },
    ];
    expect(counts((await send({ messages })).usage)).toEqual([5, 8_000, 0]);
    expect(counts((await send({ messages })).usage)).toEqual([5, 0, 8_000]);
  });

  it('nothing happens below the threshold, and a count triggers nothing', async () => {
    const { send, client, bodyOf, ledger } = setUp();
    const message = await send({
      context_management: { edits: [{ type: 'compact_20260112' }] }, // 150,000 tokens where nothing is said
    });
    expect(iterations(message)).toEqual([['message', 0, 65_000, 0, 6]]);
    await client.beta.messages.countTokens({ ...bodyOf({}), ...threshold() } as never);
    expect(ledger.totals).toMatchObject({ answered: 1, compactions: 0 });
  });

  it('streams the block in one piece, before the answer', async () => {
    const { client, bodyOf } = setUp();
    const stream = client.beta.messages.stream(bodyOf(threshold()) as never);
    const summaries: (string | null)[] = [];
    stream.on('compaction' as never, ((content: string) => summaries.push(content)) as never);
    const message = await stream.finalMessage();
    expect(message.content).toMatchObject([
      { type: 'compaction', content: SUMMARY },
      { type: 'text', text: 'done 1' },
    ]);
    expect(summaries).toEqual([SUMMARY]);
    expect(iterations(message).map(([type]) => type)).toEqual(['compaction', 'message']);
  });

  it('pauses behind the block where it is told to', async () => {
    const { send, ledger } = setUp();
    const message = await send(threshold({ pause_after_compaction: true, instructions: 'Be short.' }));
    expect(message.content).toMatchObject([{ type: 'compaction', content: SUMMARY }]);
    expect(message.stop_reason).toBe('compaction');
    // The instructions are 9 tokens behind the last marker; what a compaction used is not in the sum.
    expect(iterations(message)).toEqual([['compaction', 9, 65_000, 0, 21]]);
    expect(counts(message.usage)).toEqual([0, 0, 0]);
    const messages: BetaMessageParam[] = [
      { role: 'assistant', content: message.content },
      { role: 'user', content: 'go on' },
    ];
    expect(counts((await send({ ...threshold(), messages })).usage)).toEqual([26, 0, 5_000]);
    expect(ledger.totals).toMatchObject({ conversations: 1, compactions: 1 });
  });

  it('a summary that fails leaves an empty block, which stands for nothing', async () => {
    const { send } = setUp('empty_summary');
    const message = await send(threshold());
    expect(message.content).toMatchObject([
      { type: 'compaction', content: null },
      { type: 'text', text: 'done 1' },
    ]);
    expect(iterations(message)).toMatchObject([
      ['compaction', 0, 65_000, 0, 1],
      ['message', 0, 0, 65_000, 6],
    ]);
    const messages: BetaMessageParam[] = [
      long,
      { role: 'assistant', content: message.content },
      { role: 'user', content: 'go on' },
    ];
    expect(counts((await send({ messages })).usage)).toEqual([11, 0, 65_000]);
  });

  it.each([
    ['without its beta', threshold(), { betas: [] }, 'compact-2026-01-12'],
    ['below 50,000 tokens', threshold({ trigger: { type: 'input_tokens', value: 49_999 } }), {}, '50000'],
    [
      'at a number of calls',
      threshold({ trigger: { type: 'tool_uses', value: 60_000 } }),
      {},
      'trigger.type',
    ],
    ['by a model before 4.6', threshold(), { model: 'claude-sonnet-4-5' }, 'does not support it'],
  ])('is refused %s', async (_name, asked, more, message) => {
    const { send } = setUp();
    await expect(send({ ...asked, ...more } as Body)).rejects.toThrow(message);
  });
});

describe('compaction by the API on demand', () => {
  const betas = ['compact-2026-09-04'];

  it('answers with one signed block, which later requests begin with', async () => {
    const { send, ledger } = setUp();
    const message = await send({ compaction: { type: 'summarize' }, betas } as Body);
    expect(message.stop_reason).toBe('compaction');
    expect(message.content).toEqual([
      {
        type: 'compaction',
        content: SUMMARY,
        encrypted_content: expect.any(String),
        signature: expect.any(String),
      },
    ]);
    const messages: BetaMessageParam[] = [
      { role: 'assistant', content: message.content },
      { role: 'user', content: 'go on' },
    ];
    const next = await send({ messages, betas });
    expect(counts(next.usage)).toEqual([26, 0, 5_000]);
    expect(ledger.totals).toMatchObject({ conversations: 1, compactions: 1, breaks: { compaction: 1 } });
  });

  it.each([
    ['without its beta', { compaction: { type: 'summarize' } }, 'compact-2026-09-04'],
    ['of another kind', { compaction: { type: 'odd' }, betas }, 'compaction.type'],
    ['with edits', { compaction: { type: 'summarize' }, betas, ...threshold() }, 'context_management'],
  ])('is refused %s', async (_name, asked, message) => {
    const { send } = setUp();
    await expect(send(asked as Body)).rejects.toThrow(message);
  });
});
