import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IN_FULL } from '../setup/in-full.js';

const ROOT = resolve(import.meta.dirname, '../../../../shared/data');

/** The recorded sessions by name: known without the recordings, so that a test over each one shows as skipped. */
export const RECORDED_SESSIONS = [
  'JanDeDobbeleer__oh-my-posh__v2.1.217-manual297k-ctx402k-ttl1h',
  'd-kimuson__claude-code-viewer__v1.0.98-inline-sidechains',
  'entireio__auth-go__v2.1.150-ctx194k-ttl1h',
  'entireio__cli__v2.0.64-small',
  'entireio__cli__v2.0.76-auto155k-ttl5m',
  'entireio__cli__v2.1.1-auto155k-x2-ttl5m',
  'entireio__cli__v2.1.12-microcompact-ttl5m',
  'entireio__cli__v2.1.17-microcompact-x2-auto155k-ttl1h',
  'entireio__cli__v2.1.29-auto167k-manual-ttl1h-span50h',
  'entireio__cli__v2.1.42-auto167k-ttl1h-gap10h',
  'marot__spotter__4d5611e5-subagent-a2898e3',
  'marot__spotter__4d5611e5-subagent-acompact-e1f845',
  'marot__spotter__4d5611e5-v2.1.39-auto167k-ttl5m-gap4h',
  'marot__spotter__short',
  'marot__spotter__subagent-small',
  'marot__spotter__tool_heavy-small',
] as const;

/** Short ones of several kinds: with a compaction, with subagents in the same file and in their own. */
const FAST_SESSIONS: readonly string[] = [
  'd-kimuson__claude-code-viewer__v1.0.98-inline-sidechains',
  'entireio__cli__v2.0.64-small',
  'entireio__cli__v2.0.76-auto155k-ttl5m',
  'marot__spotter__short',
  'marot__spotter__subagent-small',
];

/** Name and path of each recorded session, whether it is there or not. */
const SESSIONS = RECORDED_SESSIONS.map(
  (name) => [name, join(ROOT, 'transcripts/claude-code', `${name}.jsonl.gz`)] as const,
);

/** The recordings beside the checkout, if they are there. */
export const sharedData = {
  present: existsSync(ROOT),
  /** Absolute paths of the files in a folder of the shared data, sorted; empty when the data is absent. */
  files(folder: string): readonly string[] {
    const path = join(ROOT, folder);
    return existsSync(path)
      ? readdirSync(path)
          .sort()
          .map((name) => join(path, name))
      : [];
  },
  sessions: SESSIONS,
  /** Those that a long test reads: a few in the fast suite. */
  someSessions: SESSIONS.filter(([name]) => IN_FULL || FAST_SESSIONS.includes(name)),
  path: (relative: string): string => join(ROOT, relative),
  read: (relative: string): Buffer => readFileSync(join(ROOT, relative)),
};

if (!sharedData.present) {
  console.warn('shared recordings are not beside this checkout: the tests that read them are skipped');
}
