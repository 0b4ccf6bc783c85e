import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateTranscript } from '../../../src/analysis/validate/validate.js';
import { inspectTranscript } from '../../../src/cli/commands/inspect/inspect-facts.js';
import type { CcbenchError } from '../../../src/core/base/errors.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { createWarnings } from '../../../src/core/run/warning.js';
import { replay } from '../../../src/engine/run/replay.js';
import { unpackBytes } from '../../../src/transcripts/lines/json-lines.js';
import { planOf } from '../../helpers/plan.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { assistant, say, usage, user } from '../../helpers/session.js';
import { cli, tempFolder } from '../cli.js';

const FIXTURES = resolve(import.meta.dirname, '../../../fixtures');
/** Lines of a recording that are taken out, at most: the others fare like their neighbours. */
const MOST_LOSSES = 10;

function linesOf(path: string): readonly string[] {
  const bytes = unpackBytes(readFileSync(path), { name: path, warnings: createWarnings() });
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** The session without a line, or with half of it. */
function damaged(lines: readonly string[], at: number, how: 'lost' | 'cut'): Transcript | null {
  const left = lines.flatMap((line, i) =>
    i !== at ? [line] : how === 'lost' ? [] : [line.slice(0, line.length / 2)],
  );
  try {
    return readAny(Buffer.from(`${left.join('\n')}\n`), { id: 'damaged' });
  } catch (error) {
    expect((error as CcbenchError).code).toBe('bad-transcript');
    return null;
  }
}

function expectUsable(lines: readonly string[], policies: readonly string[]): void {
  const step = Math.max(1, Math.ceil(lines.length / MOST_LOSSES));
  for (let at = 0; at < lines.length; at += step) {
    for (const how of ['lost', 'cut'] as const) {
      const transcript = damaged(lines, at, how);
      if (transcript === null) continue;
      for (const policy of policies) replay(planOf({ policy }), transcript, { write() {} });
      inspectTranscript(transcript, { file: 'damaged.jsonl', format: 'claude-code' });
      validateTranscript(transcript, 'damaged.jsonl');
    }
  }
}

const answer = (uuid: string, seconds: number, id: string) =>
  assistant(uuid, seconds, id, say('done'), { model: 'claude-sonnet-4-5', usage: usage(2, 9_000, 900, 20) });

/** Three prompts with their responses; the second prompt is lost. */
const LOST = [
  user('u1', 0, 'go'),
  answer('a1', 1, 'm1'),
  answer('a2', 60, 'm2'),
  user('u3', 90, 'on'),
  answer('a3', 91, 'm3'),
];

describe('one lost or broken line', () => {
  const sessions = readdirSync(FIXTURES).filter(
    (name) => name.startsWith('bugfix') && name.endsWith('.jsonl'),
  );

  it.each(sessions)('D1 of %s never ends in a fault of ccbench', (name) => {
    expectUsable(linesOf(join(FIXTURES, name)), ['none', 'claude-code/2.1.112', 'claude-code/2026']);
  });

  it.runIf(sharedData.present)(
    'D1 of recordings never ends in a fault of ccbench',
    { timeout: 300_000 },
    () => {
      const small = ['transcripts/claude-code', 'more/claude-code']
        .flatMap((folder) => sharedData.files(folder))
        .map((path) => ({ path, bytes: readFileSync(path).length }))
        .sort((a, b) => a.bytes - b.bytes)
        .slice(0, 4);
      expect(small).toHaveLength(4);
      for (const { path } of small) expectUsable(linesOf(path), ['claude-code/2.1.112']);
    },
  );

  it.each([
    ['run', ['run', 'a.yaml', '--no-files', '--json']],
    [
      'compare',
      ['compare', 'a.yaml', '--policy', 'none,unbounded', '--no-files', '--json', '--workers', '0'],
    ],
    ['sweep', ['sweep', 'a.yaml', '--vary', 'seed=1,2', '--no-files', '--json', '--workers', '0']],
    ['inspect', ['inspect', 'lost.jsonl', '--json']],
    ['ttl', ['ttl', 'lost.jsonl', '--json']],
    ['validate', ['validate', 'lost.jsonl', '--json']],
  ])('D1 %s works with a lost prompt, and says how many there are', async (_name, argv) => {
    const cwd = tempFolder({
      'lost.jsonl': LOST.map((line) => `${JSON.stringify(line)}\n`).join(''),
      'a.yaml': 'name: lost\ntranscript: { file: lost.jsonl }\npolicy: none\n',
    });
    const { code, stdout, stderr } = await cli(argv, { cwd });
    expect({ code, stderr: stderr.includes('fault') }).toEqual({ code: 0, stderr: false });
    const said = /"(?:message|what)": "responses follow nothing that the user sent[^}]*"count": (\d+)/s.exec(
      stdout,
    );
    expect(said?.[1]).toBe('1');
  });
});
