import { scenarioJsonSchema } from '../../scenario/json-schema.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';

/** `ccbench schema`: the JSON Schema of scenario files, with or without --json. */
export function schemaCommand(session: CliSession): ExitCode {
  printJson(session, scenarioJsonSchema());
  return EXIT.fine;
}
