import type { BenchResult } from '../../src/cli/commands/bench/result.js';
import { createRandom } from '../../src/core/base/random.js';
import { countGuarded, loadCounter } from '../../src/core/tokens/counter.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { interleave } from '../measure.js';

const CHARS = 100_000;
/** Chunk of the guard; ordinary text is never cut, so that only the looking costs. */
const CHUNK_BYTES = 512;

/** Prose as the generator writes it. */
function prose(): string {
  const { threads } = generateTranscript({
    workload: 'refactor',
    turns: 400,
    seed: 1,
    model: 'claude-sonnet-4-5',
  });
  let text = '';
  for (const step of threads[0]!.steps) {
    const message = step.kind === 'message' ? step.message : step.kind === 'call' ? step.call.response : null;
    for (const block of message?.blocks ?? []) text += block.text?.read() ?? '';
    if (text.length > CHARS) return text.slice(0, CHARS);
  }
  return text;
}

function drawn(units: string): string {
  const random = createRandom('bpe');
  return Array.from({ length: CHARS }, () => units[random.integer(0, units.length - 1)]).join('');
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Counting with the guard against the tokenizer alone on prose, and the worst inputs against prose. */
export async function bpeSuite(options: { readonly quick: boolean }): Promise<Partial<BenchResult>> {
  const counter = await loadCounter('gpt-tokenizer');
  const ordinary = prose();
  const worst: Readonly<Record<string, string>> = {
    'one letter': 'a'.repeat(CHARS),
    spaces: ' '.repeat(CHARS),
    newlines: '\n'.repeat(CHARS),
    base64: drawn(BASE64),
    CJK: drawn('的一是不了人我在有他这为之大来以个中上们'),
  };
  const [whole, guard, ...others] = interleave(
    [
      () => void counter.count(ordinary),
      () => void countGuarded(ordinary, (part) => part.length, CHUNK_BYTES),
      ...Object.values(worst).map((text) => () => void counter.count(text)),
    ],
    options.quick ? 1 : 15,
  );
  const times = Object.keys(worst).map((name, i) => ({ name, times: others[i]!.median / whole!.median }));
  const slowest = times.reduce((a, b) => (b.times > a.times ? b : a));
  return {
    ratios: [
      {
        name: 'bpe-guard',
        ratio: 1 - guard!.median / whole!.median,
        promised: 0.9,
        detail: `the tokenizer alone against the guarded count of ${CHARS} characters of prose (${whole!.median.toFixed(1)} ms)`,
      },
      {
        name: 'bpe-worst',
        ratio: 1 / slowest.times,
        promised: 0.1,
        detail: `${times.map((each) => `${each.name} ${each.times.toFixed(1)} ×`).join(', ')} the time of prose`,
      },
    ],
  };
}
