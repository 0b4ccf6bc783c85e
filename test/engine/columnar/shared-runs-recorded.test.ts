import { describe, it } from 'vitest';
import { sharedData } from '../../helpers/recordings/shared.js';
import { expectSameOverRecording } from './swept.js';

/** One of layers and one policy file for every other recording, the other two for those between. */
const POLICIES = [
  ['claude-code/2.1.112', 'peers/codex-local'],
  ['claude-code/2026', 'peers/cline'],
];

describe.skipIf(!sharedData.present)('shared runs over the recordings', () => {
  it.each(sharedData.sessions.map(([id, file], i) => [id, file, POLICIES[i % 2]!] as const))(
    '%s',
    expectSameOverRecording,
    240_000,
  );
});
