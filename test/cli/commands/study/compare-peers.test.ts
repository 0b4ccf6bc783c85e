import { describe, expect, it } from 'vitest';
import { policyRegistry } from '../../../../src/agent/policies/catalogue.js';
import { ROOT } from '../../../helpers/architecture/tree.js';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { cli } from '../../cli.js';

const PEERS = policyRegistry.names.filter((name) => name.startsWith('peers/')).map((name) => name.slice(6));

/** Recordings of two sizes, with and without compactions of their own. */
const RECORDINGS = ['entireio__cli__v2.0.64-small', 'marot__spotter__4d5611e5-v2.1.39-auto167k-ttl5m-gap4h'];

interface Compared {
  readonly variants: readonly {
    readonly name: string;
    readonly metrics: Readonly<Record<string, number | null>>;
    readonly runs: readonly unknown[];
  }[];
  readonly failed: readonly unknown[];
}

const COLUMNS = ['costUsd', 'finishedShare', 'cacheHitRate', 'compactions', 'tokensSaved', 'layerRequests'];

async function compared(...more: readonly string[]): Promise<Compared> {
  const argv = ['compare', 'scenarios/peers.yaml', '--json', '--no-files', ...more];
  const { code, stdout, stderr } = await cli(argv, { cwd: ROOT });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Compared;
}

describe('ccbench compare scenarios/peers.yaml', () => {
  it('has every peer, each with a value in every column, and all but the one that never acts finish', async () => {
    const { variants, failed } = await compared();
    expect(failed).toEqual([]);
    expect(variants.map(({ name }) => name)).toEqual(['base', ...PEERS]);
    for (const { name, metrics, runs } of variants) {
      expect(runs).toHaveLength(3);
      for (const column of COLUMNS) expect(metrics[column], `${column} of ${name}`).not.toBeNull();
      expect(metrics.finishedShare === 1, name).toBe(name !== 'mini-swe-agent');
      expect(metrics.tokensSaved! > 0, name).toBe(name !== 'mini-swe-agent');
    }
  }, 240_000);

  it.skipIf(!sharedData.present)(
    'takes recordings in their place',
    async () => {
      const files = RECORDINGS.map((name) => sharedData.path(`transcripts/claude-code/${name}.jsonl.gz`));
      const { variants, failed } = await compared(...files.flatMap((file) => ['--transcripts', file]));
      expect(failed).toEqual([]);
      expect(variants.map(({ name }) => name)).toEqual(['as recorded', 'base', ...PEERS]);
      for (const { name, metrics } of variants.slice(1))
        for (const column of COLUMNS) expect(metrics[column], `${column} of ${name}`).not.toBeNull();
    },
    240_000,
  );
});
