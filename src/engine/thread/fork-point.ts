import type { FileState } from '../../agent/layers/file-state/file-state.js';
import type { ResultLedger } from '../../agent/layers/microcompact/ledger.js';
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
  readonly files: FileState | null;
  readonly standing: Standing;
  /** Edits that stay pinned while the cache lives (MIC-3). */
  readonly deletions: Deletions;
  readonly takenOut: TakenOut;
  readonly ledger: ResultLedger | null;
}
