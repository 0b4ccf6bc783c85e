import type { Transcript } from '../../../core/model/transcript.js';
import { allBut, less } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { ThreadDraft } from '../../drafts/thread-draft.js';
import { headLines } from '../../lines/head-lines.js';
import { decodeBytes, streamJsonLines } from '../../lines/json-lines.js';
import { TimeReader } from '../claude-code/lines/time-reader.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { PiSession } from './pi-session.js';

const CARRIES = allBut('lifetimes', 'subagents');

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const draft = new ThreadDraft('main');
  const session = new PiSession(draft, warnings);
  const times = new TimeReader();
  const plain = decodeBytes(bytes, { name: id, warnings });
  for (const { value } of streamJsonLines([plain], { name: id, warnings }))
    session.take(value, times.read(value.timestamp));
  session.finish();
  return finishRecording({
    id,
    source: 'pi',
    label: 'a pi session',
    carries: session.tellsWrites ? CARRIES : less(CARRIES, ['cache-writes']),
    agentVersion: null,
    ...(session.provider === null ? {} : { provider: session.provider }),
    threads: [draft],
    warnings,
  });
}

/** Reads sessions of pi: a tree of entries, each of which says what it follows. */
export const piReader: TranscriptReader = {
  label: 'pi session',
  carries: CARRIES,
  places: ['.pi/agent/sessions/*/*.jsonl*'],
  detect: (head) =>
    headLines(head).some(
      ({ type, id, cwd }) => type === 'session' && typeof id === 'string' && typeof cwd === 'string',
    ),
  read,
};
