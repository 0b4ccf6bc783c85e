import type { MessageOrigin } from '../../../core/model/message.js';
import type { SpokenThinking } from '../../../core/model/transcript.js';
import { isObject, type JsonObject, numberOf, textOf } from '../../lines/narrow.js';

const INTERRUPTED = '[Request interrupted';

/** The tool whose text speaks for itself, as a prompt does. */
export const SKILL_TOOL = 'Skill';

function stateOf(metadata: JsonObject): SpokenThinking {
  const budget = numberOf(metadata.maxThinkingTokens);
  if (budget !== null) return budget > 0 ? 'on' : 'off';
  return metadata.disabled !== true && (textOf(metadata.level) ?? 'none') !== 'none' ? 'on' : 'off';
}

/**
 * What a line of the user side says about thinking (K1): prompts carry metadata; commands, skills and plans speak without
 * them. Null for lines that nobody speaks: results, outputs of commands, interruptions.
 */
export function spokenThinking(
  line: JsonObject,
  origin: MessageOrigin,
  sourceTool: string | null,
  text: string,
): SpokenThinking | null {
  if (isObject(line.thinkingMetadata)) return stateOf(line.thinkingMetadata);
  if (origin === 'human') return 'unsaid';
  if (origin !== 'meta' || text.startsWith(INTERRUPTED)) return null;
  return sourceTool === null || sourceTool === SKILL_TOOL ? 'unsaid' : null;
}
