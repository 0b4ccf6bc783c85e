import { formatMoney } from '../../core/base/format.js';
import { ownValue } from '../../core/base/own-value.js';
import { compareVersions } from '../../core/model/agent-version.js';
import { SOURCE_KINDS, type SourceKind } from '../../core/model/source-kind.js';
import { isWorthActing, isWorthSaving, PLAIN_DELTA_ERROR } from '../../metrics/cost-interval.js';
import { CAUSE_TEXT, SWITCH_CAUSES } from './causes.js';
import type { ChangeName } from './changes.js';
import { FIXES } from './fixes.generated.js';
import type { SessionWhy } from './session-why.js';
import type { SourceSum } from './sources.js';
import { type ChangeSum, ChangeTally } from './sum-changes.js';
import type { WhyBreak, WhyReport } from './sum-up.js';

/** A pause before which a command would have saved something. */
export type FixPause = Pick<WhyBreak, 'file' | 'sessionRequest' | 'at' | 'gapMs' | 'usd'>;

/** Something to change today. */
export interface Fix {
  readonly finding: string;
  /** The client that it is for, with its newest version in the sessions; null for a file of the user's own. */
  readonly client: string | null;
  /** What it saves after fetching again what compactions forget, and the interval of that. */
  readonly usd: number;
  readonly low: number;
  readonly high: number;
  /** Of what all sessions cost. */
  readonly share: number;
  /** What fetching again costs, taken off already. */
  readonly refetchUsd: number;
  /** What the content cost in all prompts that held it, where it is to be shortened. */
  readonly carriedUsd?: number;
  /** The file that is to be changed; null if none is. */
  readonly file: string | null;
  /** What is pasted into it; null if no setting is known. */
  readonly paste: string | null;
  /** What the user types, and the recorded pauses where it would have counted, the most expensive first; absent if it is nothing to type. */
  readonly command?: string;
  readonly pauses?: readonly FixPause[];
  /** What to do beside pasting, or what is known of the setting. */
  readonly advice: string | null;
  /** Where the setting is known from. */
  readonly source: string | null;
}

/** What is to be changed, and what was found beside it. */
export interface Fixes {
  /** The most first; savings are each alone and do not add up. */
  readonly fixes: readonly Fix[];
  /** Findings that save less than 1 %, or may save nothing. */
  readonly notWorth: readonly string[];
  /** Sessions that changes were tried on. */
  readonly tried: number;
}

/** Lifetimes exclude each other: the better one counts. */
const LIFETIMES: readonly ChangeName[] = ['1-hour lifetime', '5-minute lifetime'];

/** Content that a user can shorten, and what to do about it. */
const SHORTENED: Readonly<Partial<Record<SourceKind, string>>> = {
  instructions: 'shorten the file',
  opening:
    'shorten instruction files (CLAUDE.md, AGENTS.md), rules and lists of skills; their sizes are not recorded separately',
  definitions: 'disable MCP servers and tools that these sessions do not need; no setting is known',
};
/** Why a known setting is not pasted. */
const NO_SINGLE_VALUE = 'no single value fits: these sessions have several context windows';
/** What is taken for shortened. */
const HALF = 0.5;

type Saving = Pick<Fix, 'usd' | 'low' | 'high' | 'refetchUsd'>;

/** The saving with what is fetched again taken off: as fitted, at most at the lower end, nothing at the upper one. */
export function afterFetching({
  usd,
  low,
  high,
  refetchUsd,
  refetchMostUsd,
}: Omit<ChangeSum, 'heldBack'>): Saving {
  return { usd: usd - refetchUsd, low: low - refetchMostUsd, high, refetchUsd };
}

/** Whether a saving is one to act on. */
export function isWorthTrying({ usd, low, high }: Saving, recordedUsd: number): boolean {
  return usd > 0 && isWorthActing({ delta: usd, low, high }, recordedUsd);
}

/** Values as they are written in a file of the client. */
function pasted(form: 'json' | 'toml', set: Readonly<Record<string, unknown>>): string {
  if (form === 'toml')
    return Object.entries(set)
      .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
      .join('\n');
  const entry = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? `{ ${Object.entries(value)
          .map(([key, own]) => `${JSON.stringify(key)}: ${entry(own)}`)
          .join(', ')} }`
      : JSON.stringify(value);
  return entry(set);
}

type Setting = (typeof FIXES.settings)[number];

/** What a setting is set to; null if it needs a window that is not known, or its number is refused. */
function valuesOf({ set, tokens }: Setting, window: number | null): Readonly<Record<string, unknown>> | null {
  if (tokens === undefined) return set;
  if (window === null) return null;
  const { share, reserve, plus, least, most } = tokens;
  const value = Math.floor((window - reserve) * share) + plus;
  if (value < least || value > most) return null;
  return Object.fromEntries(Object.entries(set).map(([key, own]) => [key, own === 'tokens' ? value : own]));
}

/** A session as far as its settings need it. */
type FixedSession = Pick<SessionWhy, 'agent' | 'version' | 'changes'>;

/** Sessions of one agent, with the newest of its versions. */
interface Client {
  readonly agent: string;
  readonly version: string | null;
  readonly sessions: readonly FixedSession[];
}

function clientsOf(sessions: readonly FixedSession[]): readonly Client[] {
  return [...new Set(sessions.map(({ agent }) => agent))].sort().map((agent) => {
    const own = sessions.filter((session) => session.agent === agent);
    const versions = own.flatMap(({ version }) => version ?? []).sort(compareVersions);
    return { agent, version: versions.at(-1) ?? null, sessions: own };
  });
}

/** The window of the sessions that a change acted on, where they have one in common. */
function commonWindow(sessions: readonly FixedSession[], name: ChangeName): number | null {
  const windows = new Set(
    sessions.flatMap(({ changes }) =>
      changes.flatMap((change) =>
        change.name === name && change.savedNano !== 0 ? (change.window ?? []) : [],
      ),
    ),
  );
  return windows.size === 1 ? [...windows][0]! : null;
}

function has({ agent, version }: Client, own: { readonly agent: string; readonly from: string }): boolean {
  return own.agent === agent && version !== null && compareVersions(version, own.from) >= 0;
}

/** The setting of a client that makes a change. */
function settingOf(
  client: Client,
  name: ChangeName,
): Pick<Fix, 'file' | 'paste' | 'advice' | 'source'> | null {
  const home = ownValue(FIXES.agents, client.agent);
  if (home === undefined) return null;
  const window = commonWindow(client.sessions, name);
  const { file, form } = home;
  let isKnown = false;
  for (const setting of FIXES.settings) {
    if (setting.change !== name || !has(client, setting)) continue;
    const values = valuesOf(setting, window);
    isKnown = true;
    if (values === null) continue;
    const { note = null, source } = setting;
    return { file, paste: pasted(form, values), advice: note, source };
  }
  return isKnown ? { file, paste: null, advice: NO_SINGLE_VALUE, source: null } : null;
}

const COMPACT: ChangeName = '/compact before long pauses';

/** The pauses behind which a compaction would have saved something. */
function pausesOf({ breaks }: WhyReport): readonly FixPause[] {
  return breaks
    .filter(({ isCompactable }) => isCompactable)
    .map(({ file, sessionRequest, at, gapMs, usd }) => ({ file, sessionRequest, at, gapMs, usd }));
}

/** What a user does where no setting makes a change. */
function byHand(client: Client, name: ChangeName, { byCause }: WhyReport): string | null {
  if (name === 'no mid-session switches')
    return byCause
      .filter(({ cause, avoidableUsd }) => SWITCH_CAUSES.includes(cause) && (avoidableUsd ?? 0) > 0)
      .sort((a, b) => b.avoidableUsd! - a.avoidableUsd!)
      .map(({ cause, avoidableUsd }) => `${CAUSE_TEXT[cause].remedy} (${formatMoney(avoidableUsd)})`)
      .join(', ');
  const automatic = FIXES.automatic.find((own) => own.change === name && has(client, own));
  return automatic?.what ?? null;
}

function titleOf({ agent, version }: Client): string {
  const title = ownValue(FIXES.agents, agent)?.title ?? agent;
  return version === null ? title : `${title} ${version}`;
}

function changeFixes(client: Client, report: WhyReport): readonly Omit<Fix, 'share'>[] {
  const tally = new ChangeTally();
  for (const { changes } of client.sessions) tally.add(changes);
  return tally
    .list()
    .filter(({ name, usd }, _, all) => usd > 0 && !isBeaten(name, usd, all))
    .map((change) => {
      const { name } = change;
      const setting = settingOf(client, name);
      const advice = byHand(client, name, report);
      const own = setting ?? { file: null, paste: null, advice, source: null };
      const typed = name === COMPACT ? { command: '/compact', pauses: pausesOf(report) } : {};
      return { finding: name, client: titleOf(client), ...afterFetching(change), ...own, ...typed };
    });
}

function isBeaten(name: ChangeName, usd: number, all: readonly ChangeSum[]): boolean {
  return LIFETIMES.includes(name) && all.some((own) => LIFETIMES.includes(own.name) && own.usd > usd);
}

/** What half of a source would save: its cost grows with its length. */
function sourceFix({ kind, name, usd }: SourceSum): Omit<Fix, 'share'> {
  const half = usd * HALF;
  return {
    finding: name ?? SOURCE_KINDS[kind],
    client: null,
    carriedUsd: usd,
    usd: half,
    low: half * (1 - PLAIN_DELTA_ERROR),
    high: half * (1 + PLAIN_DELTA_ERROR),
    refetchUsd: 0,
    file: kind === 'instructions' ? name : null,
    paste: null,
    advice: SHORTENED[kind]!,
    source: null,
  };
}

/** Content that is carried and worth shortening. */
export function heavySources({ sources, recordedUsd }: Pick<WhyReport, 'sources' | 'recordedUsd'>) {
  return sources.filter(({ kind, usd }) => kind in SHORTENED && isWorthSaving(usd, recordedUsd));
}

/** What is to be changed today, by what the sessions show. `report` has its sources by instruction file. */
export function fixesOf(sessions: readonly FixedSession[], report: WhyReport): Fixes {
  const { recordedUsd } = report;
  const worth = (saving: Saving): boolean => isWorthTrying(saving, recordedUsd);
  const changes = clientsOf(sessions).flatMap((client) => changeFixes(client, report));
  const fixes = [...changes.filter(worth), ...heavySources(report).map(sourceFix)]
    .map((fix) => ({ ...fix, share: fix.usd / recordedUsd }))
    .sort((a, b) => b.usd - a.usd || (a.finding < b.finding ? -1 : 1));
  return {
    fixes,
    notWorth: changes.filter((fix) => !worth(fix)).map(({ finding }) => finding),
    tried: sessions.filter(({ changes: tried }) => tried.length > 0).length,
  };
}
