import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../../src/cli/commands/serve/ledger.js';
import { type KeptText, RecordingLines } from '../../../../src/cli/commands/serve/recording.js';
import { chainDigest, type Digest } from '../../../../src/core/base/digest.js';
import type { Thread } from '../../../../src/core/model/transcript.js';
import type { Usage } from '../../../../src/core/model/usage.js';
import { createWarnings } from '../../../../src/core/run/warning.js';
import { createPromptCache } from '../../../../src/provider/cache/prompt-cache.js';
import { createFakeApi } from '../../../../src/provider/fake-api/fake-api.js';
import { Prompts, readLines, servedReader } from '../../../../src/transcripts/readers/served.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { callsIn } from '../../../helpers/session.js';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** What a client does before its next request. */
type Act =
  | { readonly kind: 'grow'; readonly words: number }
  | { readonly kind: 'edit'; readonly at: number; readonly words: number }
  | { readonly kind: 'retry' }
  | { readonly kind: 'tools' }
  | { readonly kind: 'compact'; readonly words: number };

const words = fc.integer({ min: 1, max: 4 });
const written = (n: number): string => `word ${n} ${'x'.repeat(n * 3_000)}`;

/** So long that no edit takes two fifths of a prompt away, which would count as a compaction. */
const SYSTEM = 'You help. '.repeat(6_000);
const edits: fc.Arbitrary<Act>[] = [
  fc.record({ kind: fc.constant('grow' as const), words }),
  fc.record({ kind: fc.constant('grow' as const), words }),
  fc.record({ kind: fc.constant('edit' as const), at: fc.nat(20), words }),
  fc.constant({ kind: 'retry' as const }),
];
const rewrites: fc.Arbitrary<Act>[] = [
  fc.constant({ kind: 'tools' as const }),
  fc.record({ kind: fc.constant('compact' as const), words }),
];

interface Recorded {
  readonly bytes: Buffer;
  readonly sent: readonly {
    readonly digests: readonly Digest[];
    readonly sums: readonly number[];
    readonly usage: Usage;
  }[];
}

/** A server as `serve` puts it together, and a client that does these acts. */
async function record(acts: readonly Act[], text: KeptText): Promise<Recorded> {
  const ledger = new Ledger(() => 0);
  const lines = new RecordingLines(text);
  let file = lines.header(0, 'heuristic');
  const sent: Recorded['sent'][number][] = [];
  const clock = { now: 0, advanceTo: () => undefined };
  const api = createFakeApi({
    clock,
    counter: { count: (given) => Math.ceil(given.length / 4) },
    cache: createPromptCache({ fade: 'off', seed: 1 }),
    latencyScale: 0,
    onCall(call, answered) {
      const served = ledger.add(call, answered);
      if (answered === null) throw new Error(call.error ?? 'refused');
      file += lines.line(served, answered);
      const { digests, sums } = answered.request.view;
      sent.push({ digests: Array.from(digests), sums: Array.from(sums), usage: call.usage! });
    },
  });
  let tools = 1;
  const ask = async (messages: readonly Turn[]): Promise<string> => {
    clock.now += 10_000;
    const names = Array.from({ length: tools }, (_, i) => ({
      name: `tool${i}`,
      input_schema: { type: 'object' },
    }));
    const cache_control = { type: 'ephemeral' };
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 99,
      system: SYSTEM,
      tools: names,
      cache_control,
      messages,
    };
    const headers = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await api.fetch('http://localhost/v1/messages', init);
    const answer = (await response.json()) as { readonly content: readonly [{ readonly text: string }] };
    return answer.content[0].text;
  };
  let turns: Turn[] = [{ role: 'user', content: 'begin' }];
  let answer = await ask(turns);
  for (const act of acts) {
    const grown: Turn[] = [...turns, { role: 'assistant', content: answer }];
    if (act.kind === 'grow') turns = [...grown, { role: 'user', content: written(act.words) }];
    else if (act.kind === 'edit')
      turns = turns.map((turn, i) =>
        i === Math.max(1, act.at % turns.length) ? { ...turn, content: written(act.words) } : turn,
      );
    else if (act.kind === 'tools') tools += 1;
    else if (act.kind === 'compact') {
      await ask([...grown, { role: 'user', content: 'Write a summary of this conversation.' }]);
      turns = [{ role: 'user', content: `Summary ${turns.length}: ${written(act.words)}` }];
    }
    answer = await ask(turns);
  }
  return { bytes: Buffer.from(file), sent };
}

/** The prompts that the steps of a thread lead to: what each call sends behind tools and system prompt. */
function promptsOf({ steps }: Thread): readonly (readonly Digest[])[] {
  let held: { readonly id: string; readonly digests: readonly Digest[] }[] = [];
  const prompts: (readonly Digest[])[] = [];
  for (const step of steps) {
    if (step.kind === 'event') {
      const { event } = step;
      if (event.kind !== 'rewind') throw new Error(event.kind);
      held = held.slice(0, held.findIndex(({ id }) => id === event.lastId) + 1);
      continue;
    }
    if (step.kind === 'call') prompts.push(held.flatMap(({ digests }) => digests));
    const { id, blocks } = step.kind === 'call' ? step.call.response : step.message;
    held.push({ id, digests: blocks.map(({ digest }) => digest) });
  }
  return prompts;
}

const chained = (digests: readonly Digest[]): readonly Digest[] => {
  let digest = 0;
  return digests.map((each) => {
    digest = chainDigest(digest, each);
    return digest;
  });
};

describe('what is recorded is read back', () => {
  const kept = fc.constantFrom<KeptText>('kept', 'digests');

  it('every prompt has the prefixes and sizes that were sent, and its usage', async () => {
    const acts = fc.array(fc.oneof(...edits, ...rewrites), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(acts, kept, async (done, text) => {
        const { bytes, sent } = await record(done, text);
        const { requests } = readLines(bytes, 'r', createWarnings());
        const prompts = new Prompts();
        const back = requests.map((request) => {
          const { prompt, usage } = prompts.whole(request);
          let sum = 0;
          const sums = prompt.map(({ tokens }) => (sum += tokens));
          return { digests: chained(prompt.map(({ digest }) => digest)), sums, usage };
        });
        expect(back).toEqual(sent);
        expect(prompts.incomplete).toBe(0);
        const calls = callsIn(servedReader.read(bytes, { id: 'r' }));
        const total = (all: readonly (Usage | null)[]) => all.map((usage) => JSON.stringify(usage)).sort();
        expect(total(calls.map(({ usage }) => usage))).toEqual(total(sent.map(({ usage }) => usage)));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('the steps of a thread lead to the prompts that were sent', async () => {
    const acts = fc.array(fc.oneof(...edits), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(acts, kept, async (done, text) => {
        const { bytes, sent } = await record(done, text);
        const [main, ...others] = servedReader.read(bytes, { id: 'r' }).threads;
        expect(others).toEqual([]);
        const prefix = main!.prefix.map(({ digest }) => digest);
        const led = promptsOf(main!).map((digests) => chained([...prefix, ...digests]));
        expect(led).toEqual(sent.map(({ digests }) => digests));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});
