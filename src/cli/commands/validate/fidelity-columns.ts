import type { ForwardSession } from '../../../analysis/validate/forward.js';
import type { FileFidelity } from '../../../analysis/validate/validate.js';
import { type Column, number, text } from '../columns/column.js';

/** A column of what running a recording forward gave; empty if it could not be run. */
function forward(
  name: string,
  about: string,
  of: (session: ForwardSession) => number | null,
): Column<FileFidelity> {
  return number(name, about, (row) => (row.forward.kind === 'ran' ? of(row.forward.session) : null));
}

/** One row for each recording that `validate` compares. */
export const FIDELITY_COLUMNS: readonly Column<FileFidelity>[] = [
  text('session', 'its file, as `validate --json` names it', ({ file }) => file),
  text('provider', 'the provider of its model', ({ provider }) => provider),
  text('version', 'version of the agent', ({ version }) => version),
  number('requests', 'requests that are compared', ({ requests }) => requests),
  number(
    'blindAgreement',
    'share of requests predicted blind in the right class of read',
    ({ figures }) => figures.blind.classAgreement,
  ),
  number('blindReadError', 'error of the tokens read, blind', ({ figures }) => figures.blind.readError),
  number('blindCostError', 'signed error of the input cost, blind', ({ figures }) => figures.blind.netError),
  number(
    'givenAgreement',
    'as blind, with the unexplained breaks given',
    ({ figures }) => figures.given.classAgreement,
  ),
  number(
    'givenReadError',
    'as blind, with the unexplained breaks given',
    ({ figures }) => figures.given.readError,
  ),
  number(
    'givenCostError',
    'as blind, with the unexplained breaks given',
    ({ figures }) => figures.given.netError,
  ),
  number('unexplainedBreaks', 'breaks of the cache that nothing explains', ({ breaks }) => breaks.length),
  forward('forwardRequests', 'requests of the session run forward', ({ requests }) => requests),
  forward('forwardCallsLost', 'recorded calls that the run did not get to', ({ callsLost }) => callsLost),
  forward('forwardSimulatedNano', 'its input cost, run forward', ({ cost }) => cost.predicted),
  forward('forwardRecordedNano', 'the recorded input cost of the same requests', ({ cost }) => cost.recorded),
  forward('forwardCompactions', 'its compactions, run forward', ({ compactions }) => compactions.predicted),
  forward('recordedCompactions', 'its recorded compactions', ({ compactions }) => compactions.recorded),
  text('forwardFailure', 'why the run failed; empty if it did not', (row) =>
    row.forward.kind === 'crashed' ? row.forward.session.message : null,
  ),
];
