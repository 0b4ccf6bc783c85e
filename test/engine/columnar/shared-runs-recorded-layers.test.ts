import { describe, it } from 'vitest';
import { sharedData } from '../../helpers/recordings/shared.js';
import { expectSameOverRecording } from './swept.js';

describe.skipIf(!sharedData.present)('shared runs over the recordings, under policies of layers', () => {
  it.each(sharedData.sessions)(
    '%s',
    (id, file) => {
      expectSameOverRecording(id, file, ['claude-code/2.1.112', 'claude-code/2026']);
    },
    120_000,
  );
});
