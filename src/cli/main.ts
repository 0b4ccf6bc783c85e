#!/usr/bin/env node
import { processHost } from './host.js';
import { listenForInterrupt } from './interrupt.js';
import { runCli } from './run-cli.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), processHost(listenForInterrupt()));
