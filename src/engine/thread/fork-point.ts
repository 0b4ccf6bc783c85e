import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { Deletions } from '../context/deletions.js';
import type { TakenOut } from '../context/taken-out.js';
import type { ClientKey } from '../requests/client-key.js';
import type { Standing } from './standing.js';

/** A parent right after the response that starts children: what they inherit, whatever it does later (AGT-1, C5). */
export interface ForkPoint {
  readonly prefix: readonly Block[];
  readonly messages: readonly Message[];
  readonly freshTokens: number;
  readonly sentLength: number;
  readonly key: ClientKey;
  readonly standing: Standing;
  /** Edits that stay pinned while the cache lives (MIC-3). */
  readonly deletions: Deletions;
  readonly takenOut: TakenOut;
  /** What its layers share and a fork begins with, by name. */
  readonly shared: ReadonlyMap<string, object>;
}
