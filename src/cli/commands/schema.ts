import { policySchema } from '../../agent/policy-file/read-policy.js';
import { scenarioJsonSchema } from '../../config/schema/json-schema.js';
import { providerSchema } from '../../provider/providers/read-provider.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';

const SCHEMAS = { scenario: scenarioJsonSchema, policy: policySchema, provider: providerSchema };

/** `ccbench schema`: the JSON Schema of scenario, policy or provider files, with or without --json. */
export function schemaCommand(session: CliSession, kind: string): ExitCode {
  printJson(session, SCHEMAS[kind as keyof typeof SCHEMAS]());
  return EXIT.fine;
}
