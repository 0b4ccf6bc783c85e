import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { readPart } from './disk-file.js';

/** Files of Claude Code's subagents. */
const AGENT_FILE = /^agent-.*\.jsonl(?:\.gz)?$/;
const SESSION_ID = /"sessionId"\s*:\s*"([^"\\]+)"/;
/** Bytes in which the first line of a subagent names its session. */
const HEAD_BYTES = 16_384;
const SUBAGENTS = 'subagents';

/** Whether a file is one of a subagent by its name. */
export function isAgentFile(path: string): boolean {
  return AGENT_FILE.test(basename(path));
}

function headText(path: string): string {
  try {
    return readPart(path, 0, HEAD_BYTES).toString('utf8');
  } catch {
    return '';
  }
}

/** The session that a subagent's file belongs to, as a path without its ending; null where nothing tells. Absolute paths. */
export function sessionOfAgent(path: string): string | null {
  const parts = path.split(sep);
  const at = parts.lastIndexOf(SUBAGENTS);
  if (at > 0) return parts.slice(0, at).join(sep);
  const id = SESSION_ID.exec(headText(path))?.[1];
  return id === undefined ? null : join(dirname(path), id);
}

/** The folder that was looked through last, as long as it does not change. */
let latest: { folder: string; mtimeMs: number; bySession: ReadonlyMap<string, readonly string[]> } | null =
  null;

/** Subagents that lie in the same folder as their sessions, by session. */
function flatAgents(folder: string): ReadonlyMap<string, readonly string[]> {
  const { mtimeMs } = statSync(folder);
  if (latest?.folder === folder && latest.mtimeMs === mtimeMs) return latest.bySession;
  const bySession = new Map<string, string[]>();
  for (const name of readdirSync(folder).filter(isAgentFile).sort()) {
    const session = sessionOfAgent(join(folder, name));
    if (session === null) continue;
    bySession.set(session, [...(bySession.get(session) ?? []), name]);
  }
  latest = { folder, mtimeMs, bySession };
  return bySession;
}

function attempt(list: () => readonly string[]): readonly string[] {
  try {
    return list();
  } catch {
    return [];
  }
}

/** The subagents of a session, named without its ending: in the folder of its name, and beside it where older clients put them. */
export function agentsOfSession(
  session: string,
): readonly { readonly name: string; readonly path: string }[] {
  const folder = join(session, SUBAGENTS);
  const own = attempt(() =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => (name.includes(sep) ? isAgentFile(name) : /\.jsonl(?:\.gz)?$/.test(name)))
      .sort(),
  );
  const known = new Set(own.map((name) => basename(name)));
  const flat = attempt(() => flatAgents(dirname(session)).get(session) ?? []).filter(
    (name) => !known.has(name),
  );
  return [
    ...own.map((name) => ({ name, path: join(folder, name) })),
    ...flat.map((name) => ({ name, path: join(dirname(session), name) })),
  ];
}
