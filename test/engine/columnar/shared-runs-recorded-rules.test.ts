import { describe, it } from 'vitest';
import { sharedData } from '../../helpers/recordings/shared.js';
import { expectSameOverRecording } from './swept.js';

describe.skipIf(!sharedData.present)('shared runs over the recordings, under policy files', () => {
  it.each(sharedData.sessions)(
    '%s',
    (id, file) => {
      expectSameOverRecording(id, file, ['peers/codex-local', 'peers/cline']);
    },
    120_000,
  );
});
