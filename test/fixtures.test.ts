import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtureText, roundsText } from './helpers/generators/make-fixture.js';
import { expectGenerated } from './helpers/pages/generated.js';
import { logFor, mainRequests } from './helpers/plan.js';
import { readAny } from './helpers/recordings/read-any.js';

const FILE = 'fixtures/bugfix-20-turns.jsonl';

describe('fixtures', () => {
  it('are recordings that the project wrote itself', () => {
    expectGenerated(FILE, fixtureText({ workload: 'bugfix', turns: 20, seed: 7 }));
    expectGenerated(
      'fixtures/tracelab-3-sessions.jsonl',
      roundsText([
        { agent: 'claude', seed: 1 },
        { agent: 'codex', seed: 2 },
        { agent: 'claude', seed: 3 },
      ]),
    );
  });

  it('replay to the usage they record under the bare API that billed them', () => {
    const transcript = readAny(readFileSync(resolve(import.meta.dirname, '..', FILE)), {
      id: 'bugfix-20-turns',
    });
    const recorded = transcript.threads[0]!.steps.flatMap((step) =>
      step.kind === 'call' ? [step.call.usage!] : [],
    );
    const replayed = mainRequests(
      logFor({ policy: 'unbounded', set: { 'client.use': 'none' }, cache: { ttl: 'recorded' } }, transcript),
    );
    expect(replayed.map((entry) => [entry.prompt, entry.read])).toEqual(
      recorded.map((usage) => [
        usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
        usage.cacheRead,
      ]),
    );
  });
});
