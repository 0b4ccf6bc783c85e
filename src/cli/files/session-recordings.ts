import { scenarioRecordings } from '../../config/files/scenario-recordings.js';
import type { FindRecordings } from '../../config/files/transcript-ref.js';
import { homeFolder } from '../../transcripts/files/home.js';
import { type CliSession, remark } from '../session.js';
import { leftOutLines } from './each-file.js';

/** Finds the recordings that the scenarios of a command name, and tells what in their folders is none. */
export function sessionRecordings(session: CliSession): FindRecordings {
  const { host } = session;
  return scenarioRecordings({ cwd: host.cwd, home: homeFolder(host.env) }, (leftOut) => {
    for (const line of leftOutLines(leftOut)) remark(session, line);
  });
}
