import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainSession } from '../../../src/analysis/why/session-why.js';
import { sumUp } from '../../../src/analysis/why/sum-up.js';
import { sum } from '../../../src/core/base/stats.js';
import { promptTokens } from '../../../src/core/model/usage.js';
import { recordedBill } from '../../../src/provider/prices/recorded-bill.js';
import { loadTranscript } from '../../../src/transcripts/files/transcripts.js';
import { sharedData } from '../../helpers/recordings/shared.js';

const FOLDERS = [
  'transcripts/claude-code',
  'transcripts/pi',
  'transcripts/gemini-cli',
  'more/claude-code',
  'more/codex',
];
/** Every so many files of a folder are taken. */
const EVERY = 6;
const recordings = FOLDERS.flatMap((folder) =>
  sharedData.files(folder).filter((path, i) => i % EVERY === 0 && path.includes('.json')),
).map((path) => ({ name: basename(path), path }));

describe.skipIf(recordings.length === 0)('what fills the context', () => {
  it.each(recordings)('adds up to the recorded bill of $name', ({ path }) => {
    const { transcript } = loadTranscript(path, { cwd: '/' });
    const why = explainSession(transcript, { file: path, project: 'project' });
    if (!('bill' in why)) return;
    const { costNano, tokens } = recordedBill(transcript)!;
    const { sources } = sumUp([{ ...why, requests: distinct(why.requests) }], []);
    expect(sum(sources.map(({ usd }) => Math.round(usd * 1e9)))).toBe(costNano.total);
    expect(sum(sources.map(({ carriedTokens }) => carriedTokens))).toBe(promptTokens(tokens) + tokens.output);
    const replayed = sources.filter(({ name }) => name === 'requests that could not be replayed');
    expect(replayed).toEqual([]);
  });
});

/** A bill counts calls that a session holds twice as often as it does. */
function distinct<T extends { readonly key: string }>(requests: readonly T[]): readonly T[] {
  return requests.map((request, i) => ({ ...request, key: `${i} ${request.key}` }));
}
