import { type Block, type BlockFacts, createBlock } from '../../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../../src/core/model/message.js';
import type { SelectPart } from '../../../../src/core/run/parts.js';
import type { ContextView } from '../../../../src/core/run/tier.js';

/** A selection of results that keeps nothing, unless told otherwise. */
export function selectOf(
  change: Partial<Omit<SelectPart, 'keep'>> & { readonly keep?: Partial<SelectPart['keep']> },
): SelectPart {
  const { keep = {}, ...rest } = change;
  return {
    what: 'tool-results',
    of: null,
    except: [],
    minChars: 0,
    exceptMedia: false,
    order: 'oldest',
    boundary: 'pair',
    move: 'back',
    count: null,
    ...rest,
    keep: {
      first: 0,
      last: null,
      tokens: null,
      share: null,
      atMost: null,
      atLeast: null,
      user: null,
      recentFiles: null,
      finalAnswers: false,
      errors: false,
      ...keep,
    },
  };
}

/** Sizes that no amount of these tests goes by. */
export const SIZES = { W: 200_000, O: 32_000, I: 168_000, B: 200_000 };

/** A view of messages and nothing else. */
export const viewOf = (messages: readonly Message[]): ContextView => ({ messages }) as unknown as ContextView;

export const text = (tokens: number, role: Block['role'] = 'user', facts: BlockFacts = {}): Block =>
  createBlock({ kind: 'text', role, tokens, chars: 4 * tokens, facts });

/** The user says something. */
export const prompt = (id: string, tokens = 10): Message =>
  createMessage({ id, role: 'user', origin: 'human', blocks: [text(tokens)], at: 0 });

/** The model answers. */
export const answer = (id: string, tokens = 10): Message =>
  createMessage({ id, role: 'assistant', origin: 'model', blocks: [text(tokens, 'assistant')], at: 0 });

/** A call of ten tokens and its result: messages `<id>-call` and `<id>`. */
export function round(
  id: string,
  tokens: number,
  { tool = 'Read', facts = {} }: { readonly tool?: string; readonly facts?: BlockFacts } = {},
): readonly Message[] {
  const call = createBlock({
    kind: 'tool_use',
    role: 'assistant',
    tokens: 10,
    chars: 40,
    toolUseId: id,
    tool,
  });
  const result = createBlock({
    kind: 'tool_result',
    role: 'user',
    tokens,
    chars: 4 * tokens,
    toolUseId: id,
    tool,
    facts,
  });
  return [
    createMessage({ id: `${id}-call`, role: 'assistant', origin: 'model', blocks: [call], at: 0 }),
    createMessage({ id, role: 'user', origin: 'tool', blocks: [result], at: 0 }),
  ];
}

export const idsOf = (messages: readonly Message[]): string => messages.map(({ id }) => id).join(' ');
