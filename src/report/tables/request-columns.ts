import type { RequestEntry } from '../../core/run/log-entries.js';
import type { ChartedRun, PageRequests, RequestColumn } from '../page-data/page-data.js';

/** What the columns of a page need of a request, simulated or recorded. */
export interface ColumnRequest
  extends Pick<
    RequestEntry,
    Exclude<RequestColumn, 'purpose' | 'cause' | 'freshCost'> | 'prompt' | 'writeCost' | 'inputCost'
  > {
  readonly purpose: string;
  readonly cause: string | null;
}

function createNames(): { index(name: string): number; readonly list: string[] } {
  const list: string[] = [];
  const positions = new Map<string, number>();
  return {
    list,
    index(name) {
      const known = positions.get(name);
      if (known !== undefined) return known;
      positions.set(name, list.length);
      list.push(name);
      return list.length - 1;
    },
  };
}

/** Requests as the columns of a page. */
export function requestColumns(requests: readonly ColumnRequest[]): Pick<ChartedRun, 'names' | 'requests'> {
  const threads = createNames();
  const purposes = createNames();
  const models = createNames();
  const causes = createNames();
  const column = (read: (entry: ColumnRequest) => number): number[] => requests.map(read);
  const columns: PageRequests = {
    t: column((e) => e.t),
    thread: column((e) => threads.index(e.thread)),
    turn: column((e) => e.turn),
    purpose: column((e) => purposes.index(e.purpose)),
    model: column((e) => models.index(e.model)),
    read: column((e) => e.read),
    write5m: column((e) => e.write5m),
    write1h: column((e) => e.write1h),
    input: column((e) => e.input),
    output: column((e) => e.output),
    context: column((e) => e.context),
    rewritten: column((e) => e.rewritten),
    cause: column((e) => (e.cause === null ? -1 : causes.index(e.cause))),
    latencyMs: column((e) => e.latencyMs),
    readCost: column((e) => e.readCost),
    freshCost: column((e) => e.writeCost + e.inputCost - e.rewriteCost),
    rewriteCost: column((e) => e.rewriteCost),
    outputCost: column((e) => e.outputCost),
  };
  const names = {
    threads: threads.list,
    purposes: purposes.list,
    models: models.list,
    causes: causes.list,
  };
  return { names, requests: columns };
}
