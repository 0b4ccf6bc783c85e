import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readClaudeCode } from '../../../src/transcripts/readers/claude-code/read.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { RECORDED_SHAPE, type SessionShape } from '../../../src/transcripts/synthetic/synthetic.generated.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { sampleShares } from './workload-shares.js';

const FOLDERS = ['transcripts/claude-code', 'more/claude-code'] as const;

describe.skipIf(!sharedData.present)('shares of the shared recordings', () => {
  const recorded = sampleShares(
    FOLDERS.flatMap((folder) => sharedData.files(folder)).map((path) =>
      readClaudeCode(readFileSync(path), { id: basename(path) }),
    ),
  );

  it('C40 the default shape states them: within a fifth, or three of a thousand where tool-stats counts more sessions', () => {
    for (const [name, found] of Object.entries(recorded)) {
      const stated = RECORDED_SHAPE[name as keyof SessionShape] as number;
      expect(Math.abs(stated - found), `${name} ${found}`).toBeLessThan(Math.max(0.2 * found, 0.006));
    }
  });

  it('C40 a session fitted to them has them within a tenth, or two of a thousand', () => {
    const work = generateTranscript({
      workload: 'bugfix',
      turns: 30_000,
      seed: 'shares',
      text: 'none',
      overrides: recorded,
    });
    for (const [name, found] of Object.entries(sampleShares([work]))) {
      const wanted = recorded[name as keyof typeof recorded];
      expect(Math.abs(found - wanted), name).toBeLessThan(Math.max(0.1 * wanted, 0.002));
    }
  });
});
