import type { Command } from 'commander';
import { examples, shared, TEXT_COUNTERS } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { amount, collect, oneOf, port, whole } from '../../option-values.js';
import type { CliSession } from '../../session.js';

/** Adds `ccbench serve` to the command line. */
export function defineServe(program: Command, session: CliSession, settle: (code: ExitCode) => void): void {
  shared(
    program
      .command('serve')
      .description(
        'Stand in for the Messages API on this machine: what each request reads, writes and costs.',
      ),
  )
    .option('--port <n>', 'port of 127.0.0.1; 0 takes one that is free', port, 8787)
    .option('--ttl <lifetime>', '5m or 1h for every marker, whatever it asks for', oneOf('5m', '1h'))
    .option(
      '--fault <rule>',
      'an error with its conditions, such as overloaded:every=5 (repeatable)',
      collect,
    )
    .option('--scenario <file>', 'faults, latencies, fading and seed of a scenario file')
    .option('--mid-stream', 'faults strike half-way through streamed answers')
    .option('--latency-scale <x>', 'factor on the time an answer takes; 0 answers at once', amount)
    .option('--seed <n>', 'seed of faults that are drawn', whole)
    .option(
      '--count-with <counter>',
      'heuristic, gpt-tokenizer or js-tiktoken',
      oneOf(...TEXT_COUNTERS),
      'gpt-tokenizer',
    )
    .option('--trace <file>', 'write a request trace that inspect, ttl and run can read')
    .addHelpText(
      'after',
      examples(
        'serve',
        'serve --port 0 --ttl 1h --trace session.json',
        'serve --latency-scale 0 --fault overloaded:every=5 --fault rate_limited:nth=2,retryAfterSeconds=1',
      ),
    )
    .action(async (options) => {
      const { serveCommand } = await import('./serve.js');
      settle(await serveCommand(session, { ...options, fault: options.fault ?? [] }));
    });
}
