import type { CommandOptions } from '../commands.generated.js';
import { writeStarter } from '../files/write-starter.js';
import type { CliSession, ExitCode } from '../session.js';

/** What a starter scenario is called, and where editors find the schema (null: no line for them). */
interface TemplateOptions {
  readonly name: string;
  readonly schema: string | null;
}

/** A commented starter scenario for `ccbench init`. */
export function scenarioTemplate({ name, schema }: TemplateOptions): string {
  const modeline = schema === null ? '' : `# yaml-language-server: $schema=${schema}\n`;
  return `${modeline}# What is replayed, under which policy, and what must hold at the end.
# scenarios/reference.yaml of ccbench lists every key with its default.
name: ${name}
description: A day of refactoring with a long lunch.

# A generated session, the same for the same seed. For a recording write instead
#   transcript: { file: path/to/session.jsonl }
transcript:
  synthetic:
    workload: refactor
    turns: 200
    idle:
      - { afterTurn: 120, minutes: 75 }

model: claude-sonnet-4-5

# A policy by name; to change its numbers: { use: claude-code/2026, set: { path.of.parameter: value } }
policy: claude-code/2026

# Lifetime of what the prompt cache holds: 5m or 1h.
cache:
  ttl: 5m

# Further runs over the same session; each says only what differs.
variants:
  - name: one-hour cache
    cache: { ttl: 1h }

# A run that breaks one of these is reported as failed.
expect:
  - apiCalls > 0
  - cacheHitRate >= 50%

seed: 1
`;
}

/** `ccbench init`: a starter scenario that runs as it is. */
export async function initCommand(
  session: CliSession,
  wanted: string,
  options: CommandOptions['init'],
): Promise<ExitCode> {
  const starter = {
    what: 'scenario',
    text: (name: string) => scenarioTemplate({ name, schema: null }),
    next: 'ccbench run',
  };
  return writeStarter(session, starter, wanted, options);
}
