import { formatPath, type Path, valueAt } from '../../core/base/problem.js';
import { durationMs } from '../normalise/normalise-sessions.js';
import { type Checker, group, list, refuse } from './checker.js';

/** Checks the sessions of a scenario against each other: names, starts, and what they take up. */
export function checkSessions(checker: Checker, checkTranscript: (path: Path) => void): void {
  const seen = new Map<string, unknown>();
  list(group(checker.document.value).sessions).forEach((session, i) => {
    const at: Path = ['sessions', i];
    const { name, resume, transcript } = group(session);
    checkTranscript([...at, 'transcript']);
    if (Array.isArray(group(transcript).file)) {
      refuse(checker, [...at, 'transcript', 'file'], 'a session has one transcript, not a list of them');
    }
    if (group(session).at !== undefined && group(session).startsAfter !== undefined) {
      refuse(checker, [...at, 'at'], 'a session starts `at` a time or `startsAfter` another, not both');
    }
    if (typeof resume === 'string' && !seen.has(resume)) {
      const known = [...seen.keys()].join(', ');
      const hint = known === '' ? 'there is no earlier session' : `earlier sessions: ${known}`;
      refuse(checker, [...at, 'resume'], `no earlier session is called "${resume}"`, hint);
    }
    if (typeof name !== 'string') return;
    if (seen.has(name)) {
      const hint = 'a session that goes on where another ended has a name of its own and `resume: …`';
      refuse(checker, [...at, 'name'], `two sessions are called "${name}": they would overlap`, hint);
    }
    const origin = group(seen.get(String(resume))).at;
    const start = group(session).at;
    if (isDuration(origin) && isDuration(start) && durationMs(start) <= durationMs(origin)) {
      refuse(checker, [...at, 'at'], `\`${formatPath([...at, 'at'])}\` is not after the session it resumes`);
    }
    seen.set(name, session);
  });
}

function isDuration(value: unknown): value is number | string {
  return (typeof value === 'number' && value >= 0) || typeof value === 'string';
}

/** Checks that no turn starts more children than the policy allows. */
export function checkForks(checker: Checker, path: Path, turns: number, maxChildren: number): void {
  list(valueAt(checker.document.value, [...path, 'forks'])).forEach((fork, i) => {
    const { children, afterTurn } = group(fork);
    const at = [...path, 'forks', i];
    if (typeof children === 'number' && children > maxChildren) {
      refuse(
        checker,
        [...at, 'children'],
        `${children} children of one turn are more than the limit of ${maxChildren}`,
        'raise it with the policy parameter agents.maxChildren',
      );
    }
    if (typeof afterTurn === 'number' && afterTurn >= turns) {
      refuse(
        checker,
        [...at, 'afterTurn'],
        `children of turn ${afterTurn} need a turn after it; the session has ${turns}`,
      );
    }
  });
}
