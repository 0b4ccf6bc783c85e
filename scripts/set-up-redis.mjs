// @ts-check
// Makes sure that there is a Redis or Valkey for the tests of the fleet: finds one, or installs Debian's and says so.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findRedis, REDIS_COMMAND, REDIS_VARIABLE } from './find-redis.mjs';

const INSTALL_TIMEOUT_MS = 300_000;

function setUp() {
  const there = findRedis(process.env);
  if (there !== null) return there;
  const isRoot = process.getuid?.() === 0;
  const hasSudo = () => spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
  if (existsSync('/usr/bin/apt-get') && (isRoot || hasSudo())) {
    console.log('The tests need a Redis and found none: installing redis-server, which takes a minute.');
    const lead = isRoot ? [] : ['sudo'];
    for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'redis-server']]) {
      const [program, ...rest] = [...lead, 'apt-get', ...args];
      spawnSync(/** @type {string} */ (program), rest, { stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS });
    }
    const installed = findRedis(process.env);
    if (installed !== null) return installed;
  }
  throw new Error(
    `no redis-server or valkey-server was found and none could be installed: type one of ${REDIS_COMMAND}, or set ${REDIS_VARIABLE} to the file of one`,
  );
}

try {
  console.log(`The tests use the server ${setUp()}.`);
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
