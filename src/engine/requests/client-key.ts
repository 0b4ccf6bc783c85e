import { freshSalts, type LevelSalts, sessionSalts } from '../../provider/cache/salts.js';

/** What decides the cache keys of a thread besides its blocks, its model and its effort. */
export interface ClientKey {
  readonly thinking: 'on' | 'off' | null;
  readonly delivery: 'streamed' | 'whole';
  /** How often messages, and system and tools with them, began anew. */
  readonly messagesTime: number;
  readonly prefixTime: number;
  /** Requests of one session alone find each other's entries; null where equal prefixes are shared. */
  readonly session: string | null;
}

/** The key of a thread that has sent nothing yet. */
export const FIRST_KEY: ClientKey = {
  thinking: null,
  delivery: 'streamed',
  messagesTime: 0,
  prefixTime: 0,
  session: null,
};

/** The salts of a request under a key. */
export function saltsUnder(key: ClientKey, salts: LevelSalts): LevelSalts {
  let found = key.session === null ? salts : sessionSalts(salts, key.session);
  if (key.prefixTime > 0) found = freshSalts(found, 'all', key.prefixTime);
  return key.messagesTime > 0 ? freshSalts(found, 'messages', key.messagesTime) : found;
}
