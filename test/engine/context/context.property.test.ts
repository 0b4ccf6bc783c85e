import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import type { Message } from '../../../src/core/model/message.js';
import type { BlockEdit } from '../../../src/core/run/action.js';
import { Context } from '../../../src/engine/context/context.js';
import { orderMessages } from '../../../src/engine/context/repairs.js';
import { messageFrom } from '../../helpers/blocks.js';
import { forAll } from '../../helpers/for-all.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';

let made = 0;
/** A block that is like no other. */
const block = (
  kind: Block['kind'],
  role: Block['role'],
  tokens: number,
  rest: Partial<Parameters<typeof createBlock>[0]> = {},
): Block => createBlock({ kind, role, tokens, text: `${kind} ${++made}`, ...rest });

const said = (id: string, blocks: readonly Block[]): Message => messageFrom('human', id, blocks);

/** What may happen to a conversation. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('say' as const), tokens: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('show' as const), tokens: fc.nat(50) }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('work' as const), tokens: fc.nat(50), calls: fc.nat(3) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('add' as const), tokens: fc.nat(50) }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('clear' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('cut' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('prefix' as const), kept: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('send' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A conversation, and beside it what can be said of it without running sums. */
class Watched {
  prefix: readonly Block[] = [block('text', 'tools', 30), block('text', 'system', 20)];
  readonly context = new Context(this.prefix);
  /** Blocks of the latest request. */
  private sent: readonly Block[] | null = null;
  /** Blocks that came with the session. */
  private readonly own = new Set<Block>(this.prefix);
  private ownTokens = 50;
  private prefixTokens = 50;
  private count = 0;

  take(next: Step): void {
    const { context } = this;
    switch (next.what) {
      case 'say':
      case 'show':
        this.arrive([block(next.what === 'say' ? 'text' : 'image', 'user', next.tokens)]);
        break;
      case 'work':
        this.work(next.calls, next.tokens);
        break;
      case 'add':
        context.extend([said(`m${++this.count}`, [block('text', 'user', next.tokens)])], 'made');
        break;
      case 'clear':
        this.clear(next.at);
        break;
      case 'cut':
        this.cut(next.at);
        break;
      case 'prefix':
        this.changePrefix(next.kept);
        break;
      case 'send':
        this.send();
    }
  }

  private arrive(blocks: readonly Block[]): void {
    this.came(blocks);
    this.context.extend([said(`m${++this.count}`, blocks)]);
  }

  private came(blocks: readonly Block[]): void {
    for (const each of blocks) {
      this.own.add(each);
      this.ownTokens += each.tokens;
    }
  }

  private work(calls: number, tokens: number): void {
    const n = ++this.count;
    const uses = Array.from({ length: calls }, (_, i) =>
      block('tool_use', 'assistant', 5, { toolUseId: `t${n}-${i}`, tool: 'Read' }),
    );
    const blocks = [block('thinking', 'assistant', 9), block('text', 'assistant', 7), ...uses];
    const results = uses.map(({ toolUseId }) => block('tool_result', 'user', tokens, { toolUseId }));
    this.came([...blocks, ...results]);
    this.context.extend([
      messageFrom('model', `a${n}`, blocks),
      ...results.map((each, i) => messageFrom('tool', `r${n}-${i}`, [each])),
    ]);
  }

  /** Puts a placeholder in the place of one result. */
  private clear(at: number): void {
    const edits = this.context.messages.flatMap(({ id, blocks }): BlockEdit[] =>
      blocks.flatMap((old, blockIndex) =>
        old.kind === 'tool_result'
          ? [
              {
                messageId: id,
                blockIndex,
                block: block('tool_result', 'user', 3, {
                  toolUseId: old.toolUseId,
                  facts: { replaces: 'cleared' },
                }),
              },
            ]
          : [],
      ),
    );
    if (edits.length === 0) return;
    this.context.rewrite([edits[at % edits.length]!]);
  }

  /** Puts a summary in the place of the older messages; what is kept begins with the user. */
  private cut(at: number): void {
    const { messages } = this.context;
    const from = at % (messages.length + 1);
    const tail = messages.slice(from);
    while (tail.length > 0 && (tail[0]!.role !== 'user' || tail[0]!.origin === 'tool')) tail.shift();
    const blocks = [block('text', 'user', 11, { facts: { replaces: 'summary' } })];
    this.context.replaceHistory([messageFrom('summary', `s${++this.count}`, blocks), ...tail]);
  }

  private changePrefix(kept: number): void {
    const tools = this.prefix[0]!;
    this.prefix = [kept > 0 ? tools : block('text', 'tools', 31), block('text', 'system', 19 + kept)];
    for (const each of this.prefix) this.own.add(each);
    const tokens = this.prefix.reduce((sum, each) => sum + each.tokens, 0);
    this.ownTokens += tokens - this.prefixTokens;
    this.prefixTokens = tokens;
    this.context.replacePrefix(this.prefix);
  }

  private send(): void {
    this.context.seal(0);
    this.context.sent();
    this.sent = [...this.context.blocks];
  }

  check(): void {
    const { context } = this;
    // A conversation that was always like this one has the same bytes, sums and images.
    const fresh = new Context(this.prefix);
    fresh.extend(context.messages);
    const columns = (of: Context) => [
      [...of.digests.subarray(0, of.length)],
      [...of.sums.subarray(0, of.length)],
      [...of.uncounted.subarray(0, of.length)],
      of.owners,
      [of.imageBlocks, of.trueTokens, of.hasOpenCalls, of.toolsEnd, of.systemEnd, of.prefixTokens],
      of.blocks.map(({ digest }) => digest),
    ];
    expect(columns(context)).toEqual(columns(fresh));
    expect(context.messages).toEqual(orderMessages(context.messages));
    const sent = this.sent ?? [];
    let same = 0;
    while (same < sent.length && sent[same] === context.blocks[same]) same++;
    expect(context.unchanged).toBe(same);
    // What is there and the latest request did not hold; another form of tools and system says nothing new.
    const isFresh = (each: Block): boolean =>
      !sent.includes(each) && (this.sent === null || !this.prefix.includes(each));
    const news = context.blocks.filter(isFresh).reduce((sum, { tokens }) => sum + tokens, 0);
    expect(context.freshTokens).toBe(news);
    const here = context.blocks
      .filter((each) => this.own.has(each))
      .reduce((sum, { tokens }) => sum + tokens, 0);
    expect(context.keptShare(0)).toBeCloseTo(Math.min(1, here / this.ownTokens), 5);
  }
}

describe('a conversation kept as running sums', () => {
  it('is what it would be had it always been so, whatever happened to it', () => {
    forAll({ numRuns: propertyRuns(120) }, fc.array(step, { maxLength: 25 }), (steps) => {
      const watched = new Watched();
      for (const next of steps) {
        watched.take(next);
        watched.check();
      }
    });
  });
});
