import { sum } from '../../core/base/stats.js';
import { compareVersions } from '../../core/model/agent-version.js';
import { type AlikeSession, type Compared, compareAlike } from './alike.js';
import { type AttributedRequest, isUnpriced } from './attribute.js';
import type { Counted } from './count-once.js';
import { nanoOf } from './sum-up.js';

/** What sessions cost before a day and from it on, and whether a version or a model costs more. */
export interface Split {
  /** The first day of the second side, UTC. */
  readonly day: string;
  /** Sessions on each side; those that were under way at the split, or do not tell when they were, are on neither. */
  readonly before: number;
  readonly after: number;
  readonly across: number;
  readonly undated: number;
  /** Cost per request, per turn and per 1,000 tokens of output. */
  readonly measures: readonly Compared[];
  /** Cost per request of each version beside earlier versions of the same agent, the oldest first. */
  readonly byVersion: readonly Compared[];
  /** Cost per request of each model beside the other models of the same agent. */
  readonly byModel: readonly Compared[];
}

type Side = AlikeSession['side'];

/** A session as it is put into strata. */
interface Placed {
  readonly agent: string;
  readonly version: string | null;
  /** The model that took most of its money. */
  readonly model: string;
  readonly fromMs: number | null;
  readonly toMs: number;
  readonly nano: number;
  readonly requests: number;
  readonly turns: number;
  readonly output: number;
}

const PER_OUTPUT = 1_000;

/** The units that costs are spread over. */
const UNITS: Readonly<Record<string, (session: Placed) => number>> = {
  'a request': ({ requests }) => requests,
  'a turn': ({ turns }) => turns,
  '1,000 tokens of output': ({ output }) => output / PER_OUTPUT,
};

function mainModel(requests: readonly AttributedRequest[]): string {
  const costs = new Map<string, number>();
  for (const request of requests) costs.set(request.model, (costs.get(request.model) ?? 0) + nanoOf(request));
  return [...costs].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]![0];
}

function placed({ session, requests }: Counted): Placed {
  const { agent, version, startedAtMs } = session;
  const at = requests.map(({ startMs }) => startMs);
  return {
    agent,
    version,
    model: mainModel(requests),
    fromMs: startedAtMs === null ? null : startedAtMs + at[0]!,
    toMs: startedAtMs === null ? 0 : startedAtMs + at.at(-1)!,
    nano: sum(requests.map(nanoOf)),
    requests: requests.length,
    turns: requests.filter(({ startsTurn }) => startsTurn).length,
    output: sum(requests.map(({ output }) => output)),
  };
}

/** Compares sessions by the sides that they are on. */
function comparedBy(
  name: string,
  sessions: readonly Placed[],
  unitsOf: (session: Placed) => number,
  kindOf: (session: Placed) => string,
  sideOf: (session: Placed) => Side | null,
): Compared {
  return compareAlike(
    name,
    sessions.flatMap((session) => {
      const side = sideOf(session);
      // Sessions are alike in size where the number of their requests has the same power of two.
      const stratum = `${session.agent} ${kindOf(session)} ${Math.floor(Math.log2(session.requests))}`;
      return side === null ? [] : [{ stratum, side, nano: session.nano, units: unitsOf(session) }];
    }),
  );
}

function versionRows(sessions: readonly Placed[]): readonly Compared[] {
  const agents = [...new Set(sessions.map(({ agent }) => agent))].sort();
  return agents.flatMap((agent) => {
    const own = sessions.filter((session) => session.agent === agent && session.version !== null);
    const versions = [...new Set(own.map(({ version }) => version!))].sort(compareVersions);
    return versions.slice(1).map((after) =>
      comparedBy(
        `${agent} ${after}`,
        own,
        UNITS['a request']!,
        ({ model }) => model,
        ({ version }) => sideOfVersion(version!, after),
      ),
    );
  });
}

function sideOfVersion(version: string, after: string): Side | null {
  if (version === after) return 'after';
  return compareVersions(version, after) < 0 ? 'before' : null;
}

function modelRows(sessions: readonly Placed[]): readonly Compared[] {
  const models = [...new Set(sessions.map(({ model }) => model))].sort();
  if (models.length < 2) return [];
  return models.map((name) =>
    comparedBy(
      name,
      sessions,
      UNITS['a request']!,
      () => '',
      ({ model }) => (model === name ? 'after' : 'before'),
    ),
  );
}

/** Compares what sessions cost before a day and from it on, by alike sessions alone. */
export function splitAt(counted: readonly Counted[], day: string, dayMs: number): Split {
  // A request without a price would make the others look cheap.
  const priced = counted.map((each) => ({
    ...each,
    requests: each.requests.filter((request) => !isUnpriced(request)),
  }));
  const sessions = priced.filter(({ requests }) => requests.length > 0).map(placed);
  const sideOf = ({ fromMs, toMs }: Placed): Side | null => {
    if (fromMs === null) return null;
    if (fromMs >= dayMs) return 'after';
    return toMs < dayMs ? 'before' : null;
  };
  const sides = sessions.map(sideOf);
  const undated = sessions.filter(({ fromMs }) => fromMs === null).length;
  const before = sides.filter((side) => side === 'before').length;
  const after = sides.filter((side) => side === 'after').length;
  return {
    day,
    before,
    after,
    across: sessions.length - before - after - undated,
    undated,
    measures: Object.entries(UNITS).map(([name, unitsOf]) =>
      comparedBy(name, sessions, unitsOf, ({ model }) => model, sideOf),
    ),
    byVersion: versionRows(sessions),
    byModel: modelRows(sessions),
  };
}
