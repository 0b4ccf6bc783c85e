import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Redis } from 'ioredis';
import { CcbenchError, messageOf } from '../../../core/base/errors.js';
import type { CommandOptions } from '../../commands.generated.js';
import { type CliSession, note } from '../../session.js';

/** How the server of a fleet is reached. */
export type RedisOptions = Pick<
  CommandOptions['fleet worker'],
  'redis' | 'redisCa' | 'redisCert' | 'redisKey'
>;

/** The variable that names the server where the option does not; a password in it is in no list of processes. */
const URL_VARIABLE = 'CCBENCH_REDIS';

/** Longest wait between two tries to reach a server that went away. */
const LONGEST_WAIT_MS = 5_000;

/** The address without its password. @internal */
export function shownUrl(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}

function urlOf(session: CliSession, { redis }: RedisOptions): string {
  const url = redis ?? session.host.env[URL_VARIABLE] ?? '';
  if (/^rediss?:\/\/./.test(url)) return url;
  throw new CcbenchError(
    'bad-usage',
    url === '' ? 'no server is named' : 'the address of the server is not a redis:// address',
    {
      hint: `add --redis redis://host:6379, or set ${URL_VARIABLE}; rediss:// uses TLS`,
    },
  );
}

/** The packages of the queue: not part of ccbench, because most people need none of them. */
export async function queuePackages(): Promise<{
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
}> {
  try {
    const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis };
  } catch (cause) {
    throw new CcbenchError(
      'not-supported',
      'a fleet needs the packages bullmq and ioredis, which are not installed',
      {
        hint: 'run `npm install bullmq ioredis` beside ccbench (with -g where ccbench was installed with -g)',
        cause,
      },
    );
  }
}

/** Connects to the server; once it was reached it is tried again whenever it goes away. */
export async function connectRedis(session: CliSession, options: RedisOptions): Promise<Redis> {
  const url = urlOf(session, options);
  const { Redis: Client } = await queuePackages();
  const files = { ca: options.redisCa, cert: options.redisCert, key: options.redisKey };
  const tls = Object.entries(files).flatMap(([name, path]) => {
    if (path === undefined) return [];
    try {
      return [[name, readFileSync(resolve(session.host.cwd, path))] as const];
    } catch (cause) {
      throw new CcbenchError('file-unreadable', `${path} cannot be read`, { place: { file: path }, cause });
    }
  });
  if (tls.length > 0 && !url.startsWith('rediss://'))
    throw new CcbenchError('bad-usage', 'certificates have no effect without TLS', {
      hint: 'write the address as rediss://',
    });
  let wasReady = false;
  let isLost = false;
  let failure: unknown = null;
  const client = new Client(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (wasReady ? Math.min(LONGEST_WAIT_MS, times * 200) : null),
    ...(tls.length === 0 ? {} : { tls: Object.fromEntries(tls) }),
  });
  client.on('error', (error: unknown) => {
    failure = error;
    if (wasReady && !isLost) note(session, `${shownUrl(url)} is unreachable; trying again`);
    isLost = true;
  });
  client.on('ready', () => {
    wasReady = true;
    isLost = false;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (cause) {
    client.disconnect();
    const why = failure instanceof Error ? failure.message : messageOf(cause);
    throw new CcbenchError('bad-input', `${shownUrl(url)} cannot be used: ${why}`, {
      hint: 'check that a Redis or Valkey runs there, and the user, the password and TLS',
      cause,
    });
  }
  return client;
}
