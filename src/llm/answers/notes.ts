import type { Random } from '../../base/random.js';
import { CHARS_PER_TOKEN } from '../../model/block.js';
import { type Message, messageTokens } from '../../model/message.js';
import { NOTES_TEMPLATE } from '../../model/notes.js';
import type { FakeLlmPlan } from '../../model/run-plan.js';
import { lazyText, type Text, textStart } from '../../model/text.js';
import { drawAmount } from './amount.js';
import { EXCERPT_LOOK_CHARS, exactText, excerpt } from './exact-text.js';
import { type ConversationFacts, gatherFacts, walkBlocks } from './facts.js';

/** Conversation tokens at which notes have half their planned size (assumed). */
const HALF_SIZE_TOKENS = 30_000;
/** Size of a section once condensed: three quarters of its limit (SES-4). */
const CONDENSED_SECTION_TOKENS = 1_500;
/** Size of all sections once condensed: nine tenths of their limit (SES-4). */
const CONDENSED_TOTAL_TOKENS = 10_800;
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

interface Section {
  readonly header: string;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** The sections of a notes file as they stand; a file without headers counts as empty. */
function parse(text: string): readonly Section[] {
  const found: { header: string; lines: string[] }[] = [];
  let isFenced = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isFenced = !isFenced;
    if (!isFenced && line.startsWith('# ')) found.push({ header: line.trimEnd(), lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  return found.map(({ header, lines }) => {
    const first = lines.findIndex((line) => line.trim() !== '');
    const isDescribed = first >= 0 && /^_.*_$/.test(lines[first]!.trim());
    const body = lines
      .slice(isDescribed ? first + 1 : 0)
      .join('\n')
      .trim();
    return {
      header,
      name: header.slice(2).trim(),
      description: isDescribed ? lines[first]!.trim() : '',
      body,
    };
  });
}

function assemble(section: Section, body: string): string {
  const about = section.description === '' ? '' : `${section.description}\n`;
  return `${section.header}\n${about}${body === '' ? '' : `\n${body}\n`}`;
}

function linesFor(index: number, facts: ConversationFacts): readonly string[] {
  const ask = facts.lastRequest ?? 'a request whose words are not recorded';
  const done = facts.lastAnswer ?? 'an answer whose words are not recorded';
  switch (index) {
    case 1:
      return [`- Now: ${ask}`, `- Last said: ${done}`];
    case 2:
      return [`- Asked: ${ask}`];
    case 3:
    case 6:
      return facts.files.map(({ path, uses, tokens }) => `- ${path}: ${uses.join(', ')}, ${tokens} tokens`);
    case 4:
      return facts.tools.map(({ tool, calls }) => `- ${tool}, ${calls} times`);
    case 5:
      return facts.errors;
    default:
      return [`- ${done}`];
  }
}

/** Body sizes after this extraction, in characters. */
function planSizes(
  sections: readonly Section[],
  growthChars: number,
  condense: ReadonlySet<string>,
): readonly number[] {
  const last = sections.length - 1;
  const sizes = sections.map(({ body, name }, i) => {
    const isTitle = i === 0;
    const share = isTitle ? 0 : Math.round(growthChars * (WEIGHTS[i] ?? WEIGHTS.at(-1)!));
    const grown = body === '' && share < FIRST_CHARS ? 0 : body.length + share;
    const size = i === last && !isTitle ? Math.max(grown, body.length + WORKLOG_STEP_CHARS) : grown;
    return condense.has(name.toLowerCase())
      ? Math.min(size, Math.round(CONDENSED_SECTION_TOKENS * CHARS_PER_TOKEN))
      : size;
  });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const limit = CONDENSED_TOTAL_TOKENS * CHARS_PER_TOKEN;
  if (condense.size === 0 || total <= limit) return sizes;
  return sizes.map((size) => Math.floor((size * limit) / total));
}

/** Names the session once, after the first request whose words are known. */
function withTitle(sections: readonly Section[], messages: readonly Message[]): readonly Section[] {
  const [first, ...others] = sections;
  if (first === undefined || first.body !== '') return sections;
  const request = messages
    .filter(({ origin }) => origin === 'human')
    .flatMap(({ blocks }) => blocks)
    .find(({ kind, text }) => kind === 'text' && text !== null && text.chars > 0);
  const words = request?.text ? excerpt(textStart(request.text, EXCERPT_LOOK_CHARS), TITLE_CHARS) : '';
  return [
    { ...first, body: words === '' ? 'A session whose words are not recorded' : `Work on: ${words}` },
    ...others,
  ];
}

/** Session notes: their sizes at once, their words when read. */
export interface ComposedNotes {
  readonly text: Text;
  readonly tokens: number;
}

/**
 * Brings notes up to date (SES-1): they grow towards the planned size with the conversation, headers and descriptions
 * stay, and what is told to be condensed comes back below the limits (SES-4).
 */
export function composeNotes(
  messages: readonly Message[],
  previous: string | null,
  condense: readonly string[],
  plan: FakeLlmPlan,
  random: Random,
): ComposedNotes {
  const written = previous === null ? [] : parse(previous);
  const sections = withTitle(written.length === 0 ? parse(NOTES_TEMPLATE) : written, messages);
  let conversation = 0;
  for (const message of messages) conversation += messageTokens(message);
  let bodies = 0;
  for (const { body } of sections) bodies += body.length;
  const missing = drawAmount(plan.notesTokens, random) * CHARS_PER_TOKEN - bodies;
  const growth = Math.max(0, missing * (conversation / (conversation + HALF_SIZE_TOKENS)));
  const told = new Set(condense.map((name) => name.replace(/^#+\s*/, '').toLowerCase()));
  const sizes = planSizes(sections, growth, told);
  let chars = sections.length - 1;
  for (const [i, section] of sections.entries())
    chars += assemble(section, '').length + (sizes[i]! === 0 ? 0 : sizes[i]! + 2);
  const text = lazyText(chars, () => writeNotes(messages.slice(-RECENT_MESSAGES), sections, sizes));
  return { text, tokens: Math.ceil(chars / CHARS_PER_TOKEN) };
}

/** Each body goes on where it stood; what it already says is not said again. */
function writeNotes(
  messages: readonly Message[],
  sections: readonly Section[],
  sizes: readonly number[],
): string {
  const facts = gatherFacts(messages);
  return sections
    .map((section, i) => {
      const known = new Set(section.body.split('\n'));
      const fresh = linesFor(i, facts).filter((line) => !known.has(line));
      const lines = section.body === '' ? fresh : [section.body, ...fresh];
      return assemble(section, exactText(lines, sizes[i]!, freshWalk(messages, known)));
    })
    .join('\n');
}

function* freshWalk(messages: readonly Message[], known: ReadonlySet<string>): Generator<string> {
  for (const line of walkBlocks(messages)) if (!known.has(line)) yield line;
}
