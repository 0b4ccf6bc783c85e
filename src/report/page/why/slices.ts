import type { WhyPageSpent } from '../../page-data/why-page-data.js';

/** Money of one project, model or day. */
export interface Slice {
  readonly name: string;
  readonly usd: number;
  readonly sessions: number;
}

/** Money by something. */
export interface Slices {
  readonly by: string;
  readonly rows: readonly Slice[];
}

/** What a session of a project paid, or a part of it. */
export interface ProjectSpent {
  readonly project: string;
  readonly spent: readonly WhyPageSpent[];
}

function sliceBy(
  sessions: readonly ProjectSpent[],
  nameOf: (project: string, spent: WhyPageSpent) => string,
): readonly Slice[] {
  const found = new Map<string, { usd: number; sessions: Set<ProjectSpent> }>();
  for (const session of sessions)
    for (const spent of session.spent) {
      const name = nameOf(session.project, spent);
      const own = found.get(name) ?? { usd: 0, sessions: new Set() };
      own.usd += spent.usd;
      own.sessions.add(session);
      found.set(name, own);
    }
  return [...found]
    .map(([name, own]) => ({ name, usd: own.usd, sessions: own.sessions.size }))
    .sort((a, b) => b.usd - a.usd || (a.name < b.name ? -1 : 1));
}

/** What sessions paid by project and model, the dearest first, and by day in the order of days. */
export function slicesOf(sessions: readonly ProjectSpent[]): readonly Slices[] {
  const days = sliceBy(sessions, (_project, { day }) => day);
  return [
    { by: 'project', rows: sliceBy(sessions, (project) => project) },
    { by: 'model', rows: sliceBy(sessions, (_project, { model }) => model) },
    { by: 'day', rows: [...days].sort((a, b) => (a.name < b.name ? -1 : 1)) },
  ];
}
