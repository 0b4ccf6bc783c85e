import { FILE_SCHEMAS } from '../../config/schema/json-schema.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';

/** `ccbench schema`: the JSON Schema of scenario, policy or provider files, with or without --json. */
export function schemaCommand(session: CliSession, kind: string): ExitCode {
  printJson(session, FILE_SCHEMAS[kind as keyof typeof FILE_SCHEMAS]());
  return EXIT.fine;
}
