import { FILE_SCHEMAS } from '../../config/schema/json-schema.js';
import { ownValue } from '../../core/base/own-value.js';
import { type CliSession, EXIT, type ExitCode, printJson } from '../session.js';

/** `ccbench schema`: the JSON Schema of scenario, policy, provider or script files, with or without --json. */
export function schemaCommand(session: CliSession, kind: string): ExitCode {
  printJson(session, ownValue(FILE_SCHEMAS, kind)!());
  return EXIT.fine;
}
