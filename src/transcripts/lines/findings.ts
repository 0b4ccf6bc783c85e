import { hasToolUse } from '../../core/model/message.js';
import type { Thread, Transcript } from '../../core/model/transcript.js';
import type { Warning } from '../../core/run/warning.js';

/** Responses of a thread that nothing asks for: whatever the user sent is not in the recording. */
function unpromptedCalls(thread: Thread): number {
  let isPrompted = thread.fork !== undefined || thread.continues !== undefined;
  let calls = 0;
  for (const step of thread.steps) {
    if (step.kind === 'message') isPrompted = step.message.role === 'user';
    else if (step.kind === 'event') {
      if (step.event.kind === 'rewind' || step.event.kind === 'recorded-compaction') isPrompted = true;
    } else {
      if (!isPrompted) calls++;
      // a call of a tool without a result is answered, and said by its reader
      isPrompted = hasToolUse(step.call.response);
    }
  }
  return calls;
}

/** What the user should know about a transcript: what its reader found, and responses whose prompt is lost. */
export function transcriptFindings(transcript: Transcript): readonly Warning[] {
  const count = transcript.threads.reduce((calls, thread) => calls + unpromptedCalls(thread), 0);
  if (count === 0) return transcript.warnings;
  return [
    ...transcript.warnings,
    {
      code: 'lost-prompt',
      message: 'responses follow nothing that the user sent: a line may be lost',
      remedy: 'a replay puts a short prompt in front of them',
      count,
    },
  ];
}
