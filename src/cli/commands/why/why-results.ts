import { type AttributedRequest, isUnpriced } from '../../../analysis/why/attribute.js';
import { CAUSE_TEXT, UNJUDGED_CAUSES, WHY_CAUSES, type WhyCause } from '../../../analysis/why/causes.js';
import { nanoOf, type SummedSession, timeOf } from '../../../analysis/why/sum-up.js';
import { eventsOf } from '../../../analysis/why/trend.js';
import { ratio, sum } from '../../../core/base/stats.js';
import { type Column, number, text } from '../columns/column.js';

/** A request with the session that counts it. */
interface RequestOf {
  readonly session: Pick<SummedSession, 'file' | 'project' | 'startedAtMs' | 'carries'>;
  readonly request: AttributedRequest;
}

const DAY_CHARS = 10;
const TIME_CHARS = 23;

/** The column of a cause: `lifetime5mNano`. */
function causeColumn(cause: WhyCause): Column<SummedSession> {
  const camel = cause.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return number(
    `${camel}Nano`,
    `of it: ${CAUSE_TEXT[cause].title}`,
    ({ sums }) => sums.causes.find(([own]) => own === cause)?.[1].nano ?? 0,
  );
}

function tokensOf({ sums }: SummedSession, isMeant: (cause: WhyCause) => boolean): number {
  return sum(sums.causes.flatMap(([cause, own]) => (isMeant(cause) ? [own.otherTokens] : [])));
}

/** One row for each session that the report counts. */
export const SESSION_COLUMNS: readonly Column<SummedSession>[] = [
  text('session', 'its file, as `why --json` names it', ({ file }) => file),
  text('project', 'the folder that the agent worked in', ({ project }) => project),
  text('agent', 'the agent that recorded it', ({ agent }) => agent),
  text('version', 'version of the agent', ({ version }) => version),
  text('startedAt', 'its start, UTC', ({ startedAtMs }) => timeOf(startedAtMs, 0, TIME_CHARS)),
  text('day', 'the day of its start, UTC', ({ startedAtMs }) => timeOf(startedAtMs, 0, DAY_CHARS)),
  number('requests', 'requests not held by an earlier session', ({ sums }) => sums.requests),
  number('promptTokens', 'read, written and plain tokens together', ({ sums }) => sums.prompt),
  number('readTokens', 'read from the cache', ({ sums }) => sums.read),
  number(
    'writtenTokens',
    'written to the cache; empty if the recording does not tell',
    ({ carries, sums }) =>
      carries.includes('cache-writes') ? sum(sums.causes.map(([, own]) => own.tokens)) : null,
  ),
  number('plainTokens', 'billed at the input price', (row) =>
    tokensOf(row, (cause) => cause !== 'read' && cause !== 'output'),
  ),
  number('outputTokens', 'output', (row) => tokensOf(row, (cause) => cause === 'output')),
  number('hitRate', 'share of the prompts that was read', ({ sums }) => ratio(sums.read, sums.prompt)),
  number('costNano', 'cost', ({ sums }) => sums.nano),
  number('avoidableNano', 'avoidable part, over causes for which it is computed', ({ sums }) =>
    sum(sums.causes.map(([, own]) => own.avoidableNano)),
  ),
  number('misses', 'events that made it pay for content again', ({ sums }) => sums.breaks.length),
  number('compactions', 'recorded compactions', ({ sums }) => sums.noted.compactions),
  number('recordedInputNano', 'recorded input cost of all its calls; empty if it is set aside', (row) =>
    row.reproduction.kind === 'reproduced' ? row.reproduction.recordedNano : null,
  ),
  number('simulatedInputNano', 'the same, as replayed by its own client', (row) =>
    row.reproduction.kind === 'reproduced' ? row.reproduction.predictedNano : null,
  ),
  text('setAside', 'why it is not replayed; empty if it is', (row) =>
    row.reproduction.kind === 'set-aside' ? row.reproduction.reason : null,
  ),
  ...WHY_CAUSES.map(causeColumn),
];

/** The event of a request that cost most; null if it has none. */
function causeOf(request: AttributedRequest): WhyCause | null {
  return eventsOf(request).toSorted((a, b) => b.nano - a.nano)[0]?.cause ?? null;
}

/** Money of a request; null if its model has no price. */
function priced(nanoIn: (request: AttributedRequest) => number) {
  return ({ request }: RequestOf): number | null => (isUnpriced(request) ? null : nanoIn(request));
}

/** One row for each request of these sessions. */
export const REQUEST_COLUMNS: readonly Column<RequestOf>[] = [
  text('session', 'the session that counts it', ({ session }) => session.file),
  text('project', 'its project', ({ session }) => session.project),
  text('thread', 'its thread', ({ request }) => request.threadId),
  text('kind', '`main` or `subagent`', ({ request }) => (request.isMain ? 'main' : 'subagent')),
  number('number', 'position in its thread, from 1', ({ request }) => request.number),
  text('key', 'id of the call in other files', ({ request }) => request.key),
  text('startedAt', 'when it was sent, UTC', ({ session, request }) =>
    timeOf(session.startedAtMs, request.startMs, TIME_CHARS),
  ),
  text('day', 'the day, UTC', ({ session, request }) =>
    timeOf(session.startedAtMs, request.startMs, DAY_CHARS),
  ),
  number('gapMs', 'pause before it in its thread; empty if unknown', ({ request }) => request.gapMs),
  text('model', 'its model', ({ request }) => request.model),
  number('promptTokens', 'read, written and plain tokens together', ({ request }) => request.prompt),
  number('readTokens', 'read from the cache', ({ request }) => request.read),
  number('writtenTokens', 'written to the cache; empty if the recording does not tell', (row) =>
    row.session.carries.includes('cache-writes')
      ? sum(row.request.parts.map(({ written }) => written))
      : null,
  ),
  number('written1hTokens', 'those of them written for an hour; empty if unknown', ({ session, request }) =>
    session.carries.includes('lifetimes') ? request.writtenHour : null,
  ),
  number(
    'plainTokens',
    'billed at the input price',
    ({ request }) => request.uncached + sum(request.parts.map(({ uncached }) => uncached)),
  ),
  number('outputTokens', 'output', ({ request }) => request.output),
  number('outputEstimated', '1 if the recording does not hold its output', ({ request }) =>
    request.isOutputEstimated ? 1 : 0,
  ),
  number('costNano', 'cost; empty if its model has no price, as are its parts', priced(nanoOf)),
  number(
    'readNano',
    'of it: reads',
    priced(({ readNano }) => readNano),
  ),
  number(
    'outputNano',
    'of it: output',
    priced(({ outputNano }) => outputNano),
  ),
  text(
    'cause',
    'why it paid for content again: the cause that cost most; empty without a miss',
    ({ request }) => causeOf(request),
  ),
  number('missTokens', 'tokens that were paid for again', ({ request }) =>
    sum(eventsOf(request).map(({ written, uncached }) => written + uncached)),
  ),
  number(
    'missNano',
    'what these cost',
    priced((request) => sum(eventsOf(request).map(({ nano }) => nano))),
  ),
  number('avoidableNano', 'avoidable part; empty if not computed', ({ request }) => {
    const judged = eventsOf(request).filter(({ cause }) => !UNJUDGED_CAUSES.includes(cause));
    const cause = causeOf(request);
    return isUnpriced(request) || (cause !== null && UNJUDGED_CAUSES.includes(cause))
      ? null
      : sum(judged.map(({ avoidableNano }) => avoidableNano));
  }),
];
