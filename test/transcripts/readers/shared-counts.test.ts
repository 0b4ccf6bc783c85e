import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { promptTokens } from '../../../src/core/model/usage.js';
import { loadTranscript } from '../../../src/transcripts/files/transcripts.js';
import { cli, tempFolder } from '../../cli/cli.js';
import {
  claudeCalls,
  countCalls,
  geminiCalls,
  piCalls,
  type RawCall,
  rolloutCalls,
} from '../../helpers/recordings/count-raw.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { callsIn } from '../../helpers/session.js';

/** How each agent's raw lines are counted, and the folders of its recordings with how many files they hold. */
const AGENTS: readonly {
  readonly agent: string;
  readonly folders: Readonly<Record<string, number>>;
  readonly raw: (path: string) => Iterable<RawCall>;
}[] = [
  {
    agent: 'claude-code',
    folders: { 'transcripts/claude-code': 16, 'more/claude-code': 39, 'third/claude-code': 35 },
    raw: (path) => claudeCalls([path]),
  },
  {
    agent: 'codex',
    folders: { 'transcripts/codex': 1, 'more/codex': 22, 'third/codex': 37 },
    raw: rolloutCalls,
  },
  { agent: 'pi', folders: { 'transcripts/pi': 1 }, raw: piCalls },
  {
    agent: 'gemini-cli',
    folders: { 'transcripts/gemini-cli': 1 },
    raw: (path) => geminiCalls(gunzipSync(readFileSync(path)).toString('utf8')),
  },
];

/** Calls, and what their prompts cost in twentieths of a fresh token, whole numbers: 20 fresh, 2 read, 25 and 40 written. */
function sumUp(
  calls: Iterable<RawCall>,
): Readonly<Record<string, readonly [calls: number, twentieths: number]>> {
  const sums = new Map<string, { calls: number; units: number }>();
  for (const { model, prompt, cached, written, written1h } of calls) {
    const sum = sums.get(model) ?? { calls: 0, units: 0 };
    const fresh = prompt - cached - written;
    sums.set(model, {
      calls: sum.calls + 1,
      units: sum.units + 20 * fresh + 2 * cached + 25 * (written - written1h) + 40 * written1h,
    });
  }
  return Object.fromEntries([...sums].map(([model, { calls: count, units }]) => [model, [count, units]]));
}

function* readCalls(transcript: Transcript): Generator<RawCall, void, void> {
  for (const { model, usage } of callsIn(transcript))
    if (usage !== null)
      yield {
        model,
        prompt: promptTokens(usage),
        cached: usage.cacheRead,
        written: usage.cacheWrite5m + usage.cacheWrite1h,
        written1h: usage.cacheWrite1h,
        output: usage.output,
      };
}

describe.skipIf(!sharedData.present)('calls and input dollars are those of the raw lines, by model', () => {
  const files = AGENTS.flatMap(({ folders, raw, agent }) =>
    Object.keys(folders).flatMap((folder) =>
      sharedData.files(folder).map((path) => ({ agent, name: path.split('/').at(-1)!, path, raw })),
    ),
  );

  it('of 152 files of four agents', () => {
    expect(files).toHaveLength(152);
    for (const { folders } of AGENTS)
      for (const [folder, count] of Object.entries(folders))
        expect(sharedData.files(folder), folder).toHaveLength(count);
  });

  it.each(files)('$agent: $name', ({ agent, path, raw }) => {
    const { format, transcript } = loadTranscript(path, { cwd: '/' });
    expect(format).toBe(agent);
    expect(sumUp(readCalls(transcript))).toEqual(sumUp(raw(path)));
  });
});

it.skipIf(!sharedData.present)(
  'the totals that inspect shows of recorded sessions are those of their raw lines',
  async () => {
    const folder = sharedData.path('more/claude-code');
    const { stdout } = await cli(['inspect', folder, '--no-cache', '--json'], { cwd: tempFolder() });
    const { total, sessions } = JSON.parse(stdout);
    const raw = countCalls(claudeCalls(sharedData.files('more/claude-code')));
    expect(total).toMatchObject({
      calls: raw.calls,
      promptTokens: raw.prompt,
      cachedTokens: raw.cached,
      writtenTokens: raw.written,
    });
    for (const row of sessions.filter(
      ({ repeatedCalls }: { repeatedCalls: number }) => repeatedCalls === 0,
    )) {
      const own = countCalls(claudeCalls([row.file]));
      expect(row, row.file).toMatchObject({
        calls: own.calls,
        promptTokens: own.prompt,
      });
      // A count from within the stream is the least that was billed.
      if (row.estimatedOutputs === 0) expect(row.outputTokens, row.file).toBe(own.output);
      else expect(row.outputTokens, row.file).toBeGreaterThan(own.output);
    }
  },
  120_000,
);
