import type { ParamSpec, ParamValues } from '../../../core/run/params.js';
import { integerParam, param, switchParam } from '../support/param-reader.js';

/** Smallest budget of a section in characters: room for the line that says it was cut. */
const MIN_SECTION_CHARS = 200;

/** Parameters of session memory (SES). */
export const SESSION_MEMORY_PARAMS: readonly ParamSpec[] = [
  switchParam('sessionMemory.enabled', true, 'Kill switch: keep notes of the session (FLG-1).'),
  switchParam(
    'sessionMemory.compaction.enabled',
    true,
    'Kill switch: compact from the notes, before a full compaction (FLG-1).',
  ),
  integerParam(
    'sessionMemory.initialTokens',
    10_000,
    'tokens',
    'Context size at which the notes are first written (SES-2).',
  ),
  integerParam(
    'sessionMemory.growthTokens',
    5_000,
    'tokens',
    'Growth of the context between two extractions (SES-2).',
  ),
  integerParam(
    'sessionMemory.minToolCalls',
    3,
    'calls',
    'Tool calls between two extractions while the agent is at work (SES-2).',
  ),
  integerParam(
    'sessionMemory.sectionTokens',
    2_000,
    'tokens',
    'Section above which the next extraction must condense it (SES-4).',
  ),
  integerParam(
    'sessionMemory.totalTokens',
    12_000,
    'tokens',
    'Notes above which the next extraction must condense urgently (SES-4).',
  ),
  integerParam(
    'sessionMemory.keepMinTokens',
    10_000,
    'tokens',
    'A compaction from notes keeps at least this much verbatim (SES-6).',
  ),
  integerParam(
    'sessionMemory.keepMinMessages',
    5,
    'messages',
    'And at least so many messages with text (SES-6).',
  ),
  integerParam(
    'sessionMemory.keepMaxTokens',
    40_000,
    'tokens',
    'The kept tail is not extended beyond this (SES-6).',
  ),
  integerParam(
    'sessionMemory.waitSeconds',
    15,
    'seconds',
    'How long a compaction waits for a running extraction (SES-5).',
  ),
  integerParam(
    'sessionMemory.staleSeconds',
    60,
    'seconds',
    'An extraction older than this is not waited for (SES-5).',
  ),
  integerParam(
    'sessionMemory.sectionChars',
    8_000,
    'characters',
    'Section of the notes that enters the context at most (SES-9).',
    {
      min: MIN_SECTION_CHARS,
    },
  ),
  switchParam(
    'nestedMemoryCache.enabled',
    false,
    'Before a new summary: rebuild the context from the last one, without what that compaction put back (SES-10).',
  ),
];

/** Limits of the notes themselves (SES-4). */
export interface NotesLimits {
  readonly sectionTokens: number;
  readonly totalTokens: number;
}

/** How much of the conversation a compaction from notes keeps (SES-6). */
export interface KeepLimits {
  readonly minTokens: number;
  readonly minMessages: number;
  readonly maxTokens: number;
}

/** The limits of the notes, from the parameters. */
export function notesLimits(params: ParamValues): NotesLimits {
  return {
    sectionTokens: param.number(params, 'sessionMemory.sectionTokens'),
    totalTokens: param.number(params, 'sessionMemory.totalTokens'),
  };
}

/** The limits of the kept tail, from the parameters. */
export function keepLimits(params: ParamValues): KeepLimits {
  return {
    minTokens: param.number(params, 'sessionMemory.keepMinTokens'),
    minMessages: param.number(params, 'sessionMemory.keepMinMessages'),
    maxTokens: param.number(params, 'sessionMemory.keepMaxTokens'),
  };
}
