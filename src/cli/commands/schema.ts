import { policySchema } from '../../parts/read-policy.js';
import { scenarioJsonSchema } from '../../scenario/json-schema.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';

/** `ccbench schema`: the JSON Schema of scenario or policy files, with or without --json. */
export function schemaCommand(session: CliSession, kind: string): ExitCode {
  printJson(session, kind === 'policy' ? policySchema() : scenarioJsonSchema());
  return EXIT.fine;
}
