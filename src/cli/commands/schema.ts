import { providerSchema } from '../../cache/read-provider.js';
import { policySchema } from '../../parts/read-policy.js';
import { scenarioJsonSchema } from '../../scenario/json-schema.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';

const SCHEMAS = { scenario: scenarioJsonSchema, policy: policySchema, provider: providerSchema };

/** `ccbench schema`: the JSON Schema of scenario, policy or provider files, with or without --json. */
export function schemaCommand(session: CliSession, kind: string): ExitCode {
  printJson(session, SCHEMAS[kind as keyof typeof SCHEMAS]());
  return EXIT.fine;
}
