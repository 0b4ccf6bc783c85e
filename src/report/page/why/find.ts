import type { WhyPageData, WhyPageSpent } from '../../page-data/why-page-data.js';
import { holdsWords } from '../widgets/page-parts.js';

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

/** What sessions paid by project and model, the most expensive first, and by day in the order of days. */
export function slicesOf(sessions: readonly ProjectSpent[]): readonly Slices[] {
  const days = sliceBy(sessions, (_project, { day }) => day);
  return [
    { by: 'project', rows: sliceBy(sessions, (project) => project) },
    { by: 'model', rows: sliceBy(sessions, (_project, { model }) => model) },
    { by: 'day', rows: [...days].sort((a, b) => (a.name < b.name ? -1 : 1)) },
  ];
}

/** What holds the words of a search. */
export interface Found {
  /** Indexes of breaks, and of sessions: those of every found break are among them. */
  readonly breaks: readonly number[];
  readonly sessions: readonly number[];
  /** What the found sessions paid; for the models and days alone that the words name, where they name any. */
  readonly spent: readonly ProjectSpent[];
}

/** Prepares the search over breaks, sessions and what they paid. */
export function createFind({ sessions, breaks, causes }: WhyPageData): (words: string) => Found {
  const own = sessions.map(() => new Set<string>());
  for (const { session, cause } of breaks) own[session]!.add(causes[cause]!.title);
  const about = sessions.map(({ name, project }) => `${name} ${project}`);
  const broke = sessions.map((_session, i) => `${about[i]} ${[...own[i]!].join(' ')}`);
  const whole = sessions.map(({ day, spent }, i) => {
    const parts = spent.map((part) => `${part.model} ${part.day}`);
    return `${broke[i]} ${day ?? ''} ${parts.join(' ')}`;
  });
  const breakTexts = breaks.map(
    ({ session, cause, model, at, thread }) =>
      `${causes[cause]!.title} ${about[session]} ${model} ${at ?? ''} ${thread}`,
  );
  return (words) => {
    const foundBreaks = breakTexts.flatMap((text, i) => (holdsWords(text, words) ? [i] : []));
    const broken = new Set(foundBreaks.map((i) => breaks[i]!.session));
    const foundSessions = whole.flatMap((text, i) => (broken.has(i) || holdsWords(text, words) ? [i] : []));
    const spent = foundSessions.map((i) => {
      const { project, spent: all } = sessions[i]!;
      const named = all.filter((part) => holdsWords(`${broke[i]} ${part.model} ${part.day}`, words));
      return { project, spent: named.length === 0 ? all : named };
    });
    return { breaks: foundBreaks, sessions: foundSessions, spent };
  };
}
