import type { Message } from '../model/message.js';
import { textStart } from '../model/text.js';
import { postOffice } from '../tiers/agents/post-office.js';
import type { ThreadRun } from './thread-run.js';

/** Characters of a prompt that the record keeps: enough for a narrow search (DRM-3). */
const EXCERPT_CHARS = 200;

/** Brings the session's record up to date: dreams count sessions by its time and search its lines (DRM-1, DRM-3). */
export function keepRecord(run: ThreadRun): void {
  if (!run.isMain || !run.env.client.keepsRecord) return;
  const { files } = run.env;
  const path = run.session.recordPath;
  const line = JSON.stringify({ turn: run.turn, user: lastWords(run.context.messages) });
  files.write(path, `${files.read(path)?.text ?? ''}${line}\n`, run.now);
}

/** The thread has ended; with the main thread ends the process. */
export function finishThread(run: ThreadRun): void {
  postOffice(run.env.sessions.world).leave(run.thread.id, run.env.files, run.now);
  if (!run.isMain) return;
  run.askTiers('session-end');
  run.session.state = 'ended';
}

function lastWords(messages: readonly Message[]): string {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.origin !== 'human') continue;
    const text = message.blocks.find((block) => block.kind === 'text')?.text ?? null;
    return text === null ? '' : textStart(text, EXCERPT_CHARS);
  }
  return '';
}
