import type { Random } from '../../../core/base/random.js';
import { CHARS_PER_TOKEN } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import { NOTES_TEMPLATE, type Notes } from '../../../core/model/notes.js';
import { textStart } from '../../../core/model/text.js';
import { editTokens } from '../../../core/run/action.js';
import type { FakeLlmPlan } from '../../../core/run/run-plan.js';
import { drawAmount } from '../fake-llm.js';
import { EXCERPT_LOOK_CHARS, excerpt } from './facts.js';
import {
  Excerpt,
  isRenewed,
  type NotesFrame,
  type NotesParts,
  parseNotes,
  WrittenNotes,
} from './written-notes.js';

/** An update writes at most this share of the conversation (assumed). */
const MOST_OF_CONVERSATION = 0.2;
/** Size of a section once condensed: three quarters of its limit (SES-4). */
const CONDENSED_SECTION_TOKENS = 1_500;
/** Size of all sections once condensed: nine tenths of their limit (SES-4). */
const CONDENSED_TOTAL_TOKENS = 10_800;
const CONDENSED_SECTION_CHARS = Math.round(CONDENSED_SECTION_TOKENS * CHARS_PER_TOKEN);
/** A title is at most so long. */
const TITLE_CHARS = 64;
/** A section is not begun with less. */
const FIRST_CHARS = 24;
/** What the last section gains with each extraction at least. */
const WORKLOG_STEP_CHARS = 64;
/** Latest messages the facts come from: older ones are in the notes already. */
const RECENT_MESSAGES = 24;

/** Share of new text per section, the title excepted (assumed); sections beyond the list get the last one. */
const WEIGHTS = [0, 0.12, 0.12, 0.18, 0.08, 0.12, 0.12, 0.08, 0.06, 0.12];

const TEMPLATE = parseNotes(NOTES_TEMPLATE);

/** What an extraction makes of the notes. */
interface Planned {
  /** Characters of each body. */
  readonly sizes: readonly number[];
  /** Characters that are new or changed. */
  readonly changed: number;
  /** Sections with something new or changed: one edit each. */
  readonly edited: number;
}

/** Body sizes after this extraction, in characters, and what of them is written again. */
function planSizes(
  frames: readonly NotesFrame[],
  before: readonly number[],
  growthChars: number,
  condense: ReadonlySet<string>,
): Planned {
  const last = frames.length - 1;
  const sizes = frames.map((frame, i) => {
    const chars = before[i]!;
    const isTitle = i === 0;
    const share = isTitle ? 0 : whole(growthChars * (WEIGHTS[i] ?? WEIGHTS.at(-1)!));
    const grown = chars === 0 && share < FIRST_CHARS ? 0 : chars + share;
    const appended = i === last && !isTitle ? Math.max(grown, chars + WORKLOG_STEP_CHARS) : grown;
    const size = isRenewed(frame) ? Math.max(share, FIRST_CHARS) : appended;
    return condense.size > 0 && condense.has(frame.name.toLowerCase())
      ? Math.min(size, CONDENSED_SECTION_CHARS)
      : size;
  });
  const total = condense.size === 0 ? 0 : sizes.reduce((sum, size) => sum + size, 0);
  const limit = CONDENSED_TOTAL_TOKENS * CHARS_PER_TOKEN;
  const fitted = total <= limit ? sizes : sizes.map((size) => ((size * limit) / total) | 0);
  let changed = 0;
  let edited = 0;
  for (let i = 0; i < fitted.length; i++) {
    const chars = changedChars(frames[i]!, before[i]!, fitted[i]!);
    changed += chars;
    if (chars > 0) edited++;
  }
  return { sizes: fitted, changed, edited };
}

/** Characters of a section that are new or changed: what was added, or all of it when it was renewed or condensed. */
function changedChars(frame: NotesFrame, before: number, after: number): number {
  return after < before || isRenewed(frame) ? after : after - before;
}

/** The nearest whole number, held as one: a list of sizes that grew by fractions would be a list of fractions ever after. */
function whole(chars: number): number {
  return Math.round(chars) | 0;
}

/** Names the session after the first request whose words are known. */
function titleOf(messages: readonly Message[]): string {
  for (const { origin, blocks } of messages) {
    if (origin !== 'human') continue;
    for (const { kind, text } of blocks) {
      if (kind !== 'text' || text === null || text.chars === 0) continue;
      const words = excerpt(textStart(text, EXCERPT_LOOK_CHARS), TITLE_CHARS);
      return words === '' ? UNTITLED : `Work on: ${words}`;
    }
  }
  return UNTITLED;
}

const UNTITLED = 'A session whose words are not recorded';

const NOBODY: ReadonlySet<string> = new Set();

function plainName(name: string): string {
  return name.replace(/^#+\s*/, '').toLowerCase();
}

/** What notes go on from. */
interface Before extends Omit<NotesParts, 'edited' | 'recent'> {
  /** Characters of a title that is given now; 0 when there was one. */
  readonly titleChars: number;
}

function continueFrom(previous: Notes | null, messages: readonly Message[]): Before {
  if (previous !== null && previous.text instanceof WrittenNotes) {
    const { frames, sizes, sections } = previous.text;
    return { frames, sizes, bodies: previous.text, isKnown: sections !== null, titleChars: 0 };
  }
  const text = previous?.text.read() ?? NOTES_TEMPLATE;
  const written = text === NOTES_TEMPLATE ? TEMPLATE : parseNotes(text);
  const isKnown = written === TEMPLATE || written.frames.length === 0;
  const { frames, bodies } = written.frames.length === 0 ? TEMPLATE : written;
  const named = bodies[0] === '' ? [titleOf(messages), ...bodies.slice(1)] : bodies;
  const titleChars = named === bodies ? 0 : named[0]!.length;
  return { frames, sizes: named.map(({ length }) => length), bodies: named, isKnown, titleChars };
}

/** Session notes: their sizes at once, their words when read. */
export interface ComposedNotes {
  readonly text: WrittenNotes;
  readonly tokens: number;
  /** What is billed: the edits, not the file (C31). */
  readonly outputTokens: number;
}

/**
 * Brings notes up to date (SES-1): each extraction adds what is new, the current state is renewed, headers and descriptions
 * stay, and what was asked to be condensed comes back below the limits (SES-4).
 */
export function composeNotes(
  messages: readonly Message[],
  conversationTokens: number,
  previous: Notes | null,
  condense: readonly string[],
  plan: FakeLlmPlan,
  random: Random,
): ComposedNotes {
  const { frames, sizes: before, bodies, isKnown, titleChars } = continueFrom(previous, messages);
  const update = Math.min(drawAmount(plan.notesTokens, random), conversationTokens * MOST_OF_CONVERSATION);
  const asked = condense.length === 0 ? NOBODY : new Set(condense.map(plainName));
  const { sizes, changed, edited } = planSizes(frames, before, update * CHARS_PER_TOKEN, asked);
  const edits = edited + (titleChars > 0 ? 1 : 0);
  const text = new WrittenNotes({
    frames,
    sizes,
    bodies,
    isKnown,
    edited: edits,
    recent: new Excerpt(messages, RECENT_MESSAGES),
  });
  return {
    text,
    tokens: Math.ceil(text.chars / CHARS_PER_TOKEN),
    outputTokens: editTokens(changed + titleChars, edits),
  };
}
