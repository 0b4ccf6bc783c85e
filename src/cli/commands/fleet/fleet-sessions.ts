import { resolve } from 'node:path';
import { sha256Hex } from '../../../core/base/digest.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { WORKER_MODULE } from '../../../study/job-runner.js';
import { fileState } from '../../../transcripts/files/disk-file.js';
import { STDIN } from '../../../transcripts/files/read-input.js';
import { filesOfSession } from '../../../transcripts/files/transcripts.js';
import type { CommandOptions } from '../../commands.generated.js';
import { choiceOf, chosenSessions } from '../../files/chosen-sessions.js';
import { inputOptions } from '../../files/input-options.js';
import { programVersion } from '../../program-version.js';
import { type CliSession, EXIT, type ExitCode, printJson, withoutAnswer } from '../../session.js';
import { checkResults, hasShare } from '../columns/session-tables.js';
import { validateCommand } from '../validate/validate.js';
import { whyCommand } from '../why/why.js';
import { type FleetSessions, finishWork, sharesDone, withFleet } from './fleet-queue.js';

/** Hexadecimal digits of an id, as many as a study has. */
const ID_DIGITS = 16;

/** The tables that a command writes. */
const TABLES = { why: ['sessions', 'requests'], validate: ['fidelity'] } as const;

/**
 * What sessions and the shares of them are known by: names and sizes of their files, and this build. Somebody who sees other
 * sessions would divide them in another way.
 */
export async function sessionsId(session: CliSession, work: FleetSessions): Promise<string> {
  const { command, paths, choice, shares } = work;
  const { files } = await chosenSessions(session, { command, paths }, choice);
  const options = inputOptions(session);
  const sizes = files.map((file) => [
    file,
    ...(filesOfSession(file, options) ?? []).map((each) => fileState(each).bytes),
  ]);
  return sha256Hex(JSON.stringify([command, shares, programVersion(WORKER_MODULE), sizes])).slice(
    0,
    ID_DIGITS,
  );
}

/** Explains or validates one share of sessions, into the results folder; notes go to the log of the worker. */
export async function doShare(session: CliSession, work: FleetSessions, batch: number): Promise<void> {
  const { command, paths, choice, shares, results } = work;
  if (batch >= shares)
    throw new CcbenchError(
      'bad-input',
      `there is no share ${batch + 1}: the sessions are divided into ${shares}`,
    );
  const own = withoutAnswer(session);
  const options = { ...choice, results, shard: { index: batch + 1, of: shares } };
  if (command === 'why')
    await whyCommand(own, paths, { ...options, top: 0, by: 'source', out: '', files: false });
  else await validateCommand(own, paths, { ...options, worst: 0 });
}

/** `ccbench fleet why` or `ccbench fleet validate`. */
export const fleetCommand =
  (command: FleetSessions['command']) =>
  (session: CliSession, paths: readonly string[], options: CommandOptions['fleet why']): Promise<ExitCode> =>
    fleetSessions(session, command, paths, options);

/** Hands shares of sessions to the workers of a fleet, and waits for them. */
async function fleetSessions(
  session: CliSession,
  command: FleetSessions['command'],
  paths: readonly string[],
  options: CommandOptions['fleet why'],
): Promise<ExitCode> {
  if (paths.includes(STDIN))
    throw new CcbenchError('bad-usage', 'the workers cannot read the standard input of this command', {
      hint: 'name a folder that all machines see',
    });
  const { shares, results } = options;
  const published = { command, paths, choice: choiceOf(options), shares, results };
  const folder = resolve(session.host.cwd, results);
  const id = await sessionsId(session, published);
  let ran = 0;
  await withFleet(session, options, async (fleet) => {
    checkResults(session, TABLES[command][0], { results, shard: { index: 1, of: shares } });
    let missing: readonly number[] = [];
    const look = async (): Promise<readonly number[]> => {
      const done = await sharesDone(fleet.client, id);
      const all = Array.from({ length: shares }, (_, i) => i);
      const isThere = (i: number): boolean =>
        TABLES[command].every((table) => hasShare(folder, table, { index: i + 1, of: shares }));
      missing = all.filter((i) => !done.has(i) || !isThere(i));
      return missing;
    };
    ran = (await look()).length;
    await finishWork(session, fleet, {
      id,
      published,
      label: command === 'why' ? 'explaining' : 'validating',
      unit: 'shares',
      total: shares,
      missing: look,
      finished: () => shares - missing.length,
    });
  });
  if (session.json) printJson(session, { command, shares, ran, results });
  else
    session.host.stdout.write(`results ${results}: ${formatCounted(shares, 'share')}, ${ran} of them now\n`);
  return EXIT.fine;
}
