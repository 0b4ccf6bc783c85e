import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import { getOrMake, oncePer } from '../../../core/base/once.js';
import type { Random } from '../../../core/base/random.js';
import { meaningOf, relate } from '../../../core/memory/meaning.js';
import { LOOK_CHARS, statementsIn } from '../../../core/memory/sentences.js';
import { type Block, CHARS_PER_TOKEN } from '../../../core/model/block.js';
import {
  indexLineChars,
  type KnownMemories,
  MemoriesText,
  type MemoryText,
  type MemoryType,
  memoryContent,
  renderMemory,
} from '../../../core/model/memory.js';
import type { Message } from '../../../core/model/message.js';
import { lazyText, literalText, type Text, textStart } from '../../../core/model/text.js';
import { type Answer, type AnswerSpec, CLOSING_TOKENS, editTokens } from '../../../core/run/action.js';
import type { FakeLlmPlan, FaultRule } from '../../../core/run/run-plan.js';
import { excerpt } from './facts.js';
import { composeNotes } from './notes.js';
import { composeSummary } from './summary.js';

/** A statement of the user as a memory. */
interface Candidate {
  readonly name: string;
  readonly sentence: string;
  readonly content: string | MemoryText;
}

/** Memories that one extraction writes at most (assumed). */
const MAX_WRITTEN = 8;
const SLUG_CHARS = 40;
const DESCRIPTION_CHARS = 100;

/** Names that lead out of the memory directory: by climbing, by an absolute path, through a link. */
const STRAY_NAMES = ['../../repo/src/index', '/etc/hosts', 'link/notes'];

/** What each prompt states, computed once: it is asked about again with every replay of a session. */
const statedIn = oncePer(({ text }: Block): readonly Candidate[] => {
  const start = text === null ? '' : textStart(text, LOOK_CHARS);
  return statementsIn(start).map(({ text: sentence, type }) => candidate(type, sentence));
});

function candidate(type: MemoryType, sentence: string): Candidate {
  const name = slug(type, sentence);
  const description = `${meaningOf(sentence).subject}: ${sentence}`.slice(0, DESCRIPTION_CHARS).trimEnd();
  return { name, sentence, content: memoryContent({ name, description, type, body: sentence }) };
}

/** A name for a sentence: its words in small letters, joined by hyphens. */
function slug(type: MemoryType, sentence: string): string {
  const words = sentence
    .toLowerCase()
    .slice(0, 2 * SLUG_CHARS)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS)
    .replace(/^-|-$/g, '');
  return words === '' ? type : `${type}-${words}`;
}

/**
 * Durable memories as markdown files with front matter, one after the other (AUT-2): what the user states as preference,
 * correction or fact, by the rules of docs/memory-rules.md. What is known is not written again; nothing new gives an empty text.
 */
function composeMemories(messages: readonly Message[], known: KnownMemories): MemoriesText {
  const written: Candidate[] = [];
  for (const { origin, blocks } of messages) {
    if (origin !== 'human') continue;
    for (const block of blocks) {
      if (block.kind !== 'text' || block.facts.attachment !== undefined) continue;
      for (const stated of statedIn(block)) {
        if (written.length === MAX_WRITTEN || known.has(stated.name) || known.says(stated.sentence)) continue;
        if (!written.some((other) => isSame(other, stated))) written.push(stated);
      }
    }
  }
  return new MemoriesText(written.map(({ content }) => content));
}

function isSame(a: Candidate, b: Candidate): boolean {
  return a.name === b.name || relate(meaningOf(a.sentence), meaningOf(b.sentence)) === 'same';
}

/** Memories whose names lead out of the memory directory. */
function strayMemories(): string {
  return STRAY_NAMES.map((name) =>
    renderMemory({ name, description: 'somewhere else', type: 'reference', body: 'This file is not here.' }),
  ).join('\n');
}

/** What the fake LLM writes; sizes are known at once, long texts are built when read. */
export interface ComposedAnswer
  extends Pick<
    Answer,
    'text' | 'tokens' | 'sections' | 'scratchpadTokens' | 'digest' | 'form' | 'stopReason' | 'isReal'
  > {
  /** Tokens that are billed. */
  readonly outputTokens: number;
}

/** Output of an answer without text: the API bills at least one token. */
const EMPTY_OUTPUT_TOKENS = 1;
/** Output of an unwanted tool call (assumed). */
const TOOL_CALL_TOKENS = 80;
/** An error returned as if it were the answer (FUL-7). */
const ERROR_TEXT =
  'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}';
const SHORT_VERBS = ['Reading', 'Editing', 'Checking', 'Testing'];

/** What was asked, as far as an answer depends on it. */
export interface Question {
  /** Messages that the answer is about. */
  readonly messages: readonly Message[];
  /** True tokens of the conversation that was sent. */
  readonly tokens: number;
  /** Stands for everything that was sent, the instruction included. */
  readonly digest: Digest;
  /** Longest answer: the cap of the call, else the model's maximum (C19). */
  readonly maxOutputTokens: number;
}

interface Written extends Pick<Answer, 'text' | 'tokens' | 'sections' | 'scratchpadTokens'> {
  /** What is billed where that is not the text: edits of files (C31). */
  readonly outputTokens: number | null;
}

/** An answer that is a text and nothing else. */
function plain(text: Text, tokens: number, outputTokens: number | null = null): Written {
  return { text, tokens, sections: null, scratchpadTokens: 0, outputTokens };
}

function sized(text: string): Written {
  return plain(literalText(text), Math.ceil(text.length / CHARS_PER_TOKEN));
}

/** Memories are written as files of their own, each with its line in the index; nothing to keep is said in a few words. */
function memoriesAnswer(text: MemoriesText): Written {
  const { parts } = text;
  const indexChars = parts.reduce((sum, part) => sum + indexLineChars(part), 0);
  const edits = parts.length === 0 ? 0 : parts.length + 1;
  const outputTokens = edits === 0 ? CLOSING_TOKENS : editTokens(text.chars + indexChars, edits);
  return plain(text, Math.ceil(text.chars / CHARS_PER_TOKEN), outputTokens);
}

/** Where the chance of an answer begins: what was sent and what is to be written. */
function seedOf(spec: AnswerSpec, question: Question): Digest {
  let digest = chainDigest(kindDigest(spec), question.digest);
  if (spec.kind !== 'notes') return digest;
  for (const name of spec.condense) digest = chainDigest(digest, digestText(name));
  return spec.previous === null ? digest : chainDigest(digest, spec.previous.digest);
}

function kindDigest(spec: AnswerSpec): Digest {
  const kind = spec.kind === 'summary' ? spec.style : spec.kind;
  return getOrMake(KIND_DIGESTS, kind, () => digestText(kind, ANSWER_SALT));
}

const ANSWER_SALT = digestText('answer');
/** There are only a few kinds of answers. */
const KIND_DIGESTS = new Map<string, Digest>();

/** Three to five words on what is going on; made when read. */
class ShortText implements Text {
  private words: string | null = null;

  constructor(
    /** The latest block about a file or a tool. */
    private readonly about: Block | null,
    private readonly random: Random,
  ) {}

  get chars(): number {
    return this.read().length;
  }

  read(): string {
    this.words ??= this.write();
    return this.words;
  }

  private write(): string {
    if (this.about === null) return 'Thinking about the request';
    const { tool, facts } = this.about;
    if (facts.path === undefined) return `Waiting for ${tool!.replaceAll(' ', '-')} results`;
    const name = excerpt(facts.path.slice(facts.path.lastIndexOf('/') + 1), 40);
    return `${this.random.pick(SHORT_VERBS)} the file ${name.replaceAll(' ', '-')}`;
  }
}

function latestWork(messages: readonly Message[]): Block | null {
  for (let i = messages.length - 1; i >= 0; i--)
    for (const block of messages[i]!.blocks)
      if (block.facts.path !== undefined || block.tool !== null) return block;
  return null;
}

function write(
  spec: AnswerSpec,
  { messages, tokens, maxOutputTokens }: Question,
  plan: FakeLlmPlan,
  random: Random,
  tags: 'tagged' | 'untagged',
): Written {
  switch (spec.kind) {
    case 'summary': {
      const bounds = { maxTokens: maxOutputTokens, quoteTokens: spec.quoteTokens };
      // The conversation goes on changing; words that are made later are about what was sent.
      const summary = composeSummary([...messages], spec.style, plan, random, tags, bounds);
      const { text, tokens: size, scratchpadTokens } = summary;
      return { text, tokens: size, sections: null, scratchpadTokens, outputTokens: null };
    }
    case 'notes': {
      const notes = composeNotes(messages, tokens, spec.previous, spec.condense, plan, random);
      const { text, tokens: size, outputTokens } = notes;
      return { text, tokens: size, sections: text.sections, scratchpadTokens: 0, outputTokens };
    }
    case 'memories':
      return memoriesAnswer(composeMemories(messages, spec.existing));
    case 'short':
      return plain(new ShortText(latestWork(messages), random), spec.tokens);
  }
}

/** An answer that runs into its output limit ends there; a summary is then without its end and its closing tag (C19). */
function withinLimit(answer: ComposedAnswer, limit: number, kind: AnswerSpec['kind']): ComposedAnswer {
  const { text, scratchpadTokens, outputTokens } = answer;
  if (outputTokens <= limit) return answer;
  const chars = Math.floor((text.chars * limit) / outputTokens);
  return {
    ...answer,
    text: lazyText(chars, () => text.read().slice(0, chars)),
    tokens: Math.max(0, limit - scratchpadTokens),
    sections: null,
    outputTokens: limit,
    digest: digestText('cut', answer.digest),
    form: kind === 'summary' ? 'cut' : answer.form,
    stopReason: 'max_tokens',
  };
}

/** A summary that goes on and on until it is cut: everything it may write and more. */
function runaway(question: Question, plan: FakeLlmPlan): readonly [Question, FakeLlmPlan] {
  const { maxOutputTokens } = question;
  return [
    { ...question, maxOutputTokens: Number.POSITIVE_INFINITY },
    { ...plan, summaryTokens: { fixed: maxOutputTokens + 1 } },
  ];
}

/**
 * Composes the answer to a layer's question from the messages that were sent. Equal questions get equal answers: all
 * chance comes from the generator's seed and the digests of the question, never from what was drawn before.
 */
export function composeAnswer(
  spec: AnswerSpec,
  question: Question,
  plan: FakeLlmPlan,
  random: Random,
  fault: FaultRule | null,
): ComposedAnswer {
  const seed = seedOf(spec, question);
  const own = random.splitBy(seed);
  const digest = chainDigest(seed, own.integer(0, 2 ** 31));
  if (fault !== null) {
    const failed = failure(fault, digest);
    if (failed !== null) return failed;
  }
  const whole =
    fault === null
      ? answered(write(spec, question, plan, own, 'tagged'), digest, 'normal')
      : faulty(spec, question, plan, own, fault, digest);
  return withinLimit(whole, question.maxOutputTokens, spec.kind);
}

/** What was written, as a finished answer. */
function answered(
  { text, tokens, sections, scratchpadTokens, outputTokens }: Written,
  digest: Digest,
  form: Answer['form'],
): ComposedAnswer {
  return {
    text,
    tokens,
    sections,
    scratchpadTokens,
    outputTokens: outputTokens ?? tokens + scratchpadTokens,
    digest,
    form,
    stopReason: 'end_turn',
  };
}

/** What comes back where a fault leaves no answer at all; null when it does leave one. */
function failure({ error }: FaultRule, digest: Digest): ComposedAnswer | null {
  const fail = (form: Answer['form'], text: string, outputTokens: number): ComposedAnswer => ({
    ...answered({ ...sized(text), outputTokens }, digestText(form, digest), form),
    stopReason: form === 'tool-call' ? 'tool_use' : 'end_turn',
  });
  switch (error) {
    case 'empty_summary':
      return fail('empty', '', EMPTY_OUTPUT_TOKENS);
    case 'error_as_summary':
      return fail('error', ERROR_TEXT, sized(ERROR_TEXT).tokens);
    case 'tool_call':
      return fail('tool-call', '', TOOL_CALL_TOKENS);
    default:
      return null;
  }
}

/** What is written under a fault; one that does not concern this kind of answer changes nothing. */
function faulty(
  spec: AnswerSpec,
  question: Question,
  plan: FakeLlmPlan,
  random: Random,
  { error }: FaultRule,
  digest: Digest,
): ComposedAnswer {
  if (error === 'stray_write' && (spec.kind === 'memories' || spec.kind === 'short'))
    return answered(sized(strayMemories()), digest, 'normal');
  if (spec.kind === 'summary' && error === 'no_summary_tags') {
    const written = write(spec, question, plan, random, 'untagged');
    return answered(written, digestText('untagged', digest), 'untagged');
  }
  const isRunaway = spec.kind === 'summary' && error === 'cut_summary';
  const [asked, planned] = isRunaway ? runaway(question, plan) : [question, plan];
  return answered(write(spec, asked, planned, random, 'tagged'), digest, 'normal');
}
