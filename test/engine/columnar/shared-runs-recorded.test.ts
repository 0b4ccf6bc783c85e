import { describe, it } from 'vitest';
import { sharedData } from '../../helpers/recordings/shared.js';
import { expectSameOverRecording } from './swept.js';

/** Two of layers, two policy files. */
const POLICIES = ['claude-code/2.1.112', 'claude-code/2026', 'peers/codex-local', 'peers/cline'];

describe.skipIf(!sharedData.present)('shared runs over the recordings', () => {
  it.each(sharedData.sessions)('%s', (id, file) => expectSameOverRecording(id, file, POLICIES), 240_000);
});
