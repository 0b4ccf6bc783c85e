import { describe, expect, it } from 'vitest';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { createMessage } from '../../../src/core/model/message.js';
import { Context } from '../../../src/engine/context/context.js';
import {
  checkLostChild,
  checkRead,
  checkRequestShape,
  checkUsage,
  checkWindow,
} from '../../../src/engine/context/invariants.js';
import { callOf } from '../../helpers/blocks.js';

const text = (role: Block['role']): Block => createBlock({ kind: 'text', role, tokens: 5, text: role });
const message = (role: 'user' | 'assistant', ...blocks: readonly Block[]) =>
  createMessage({ id: role, role, origin: role === 'user' ? 'human' : 'model', blocks, at: 0 });

/** A context of system prompt and messages. */
function contextOf(...messages: readonly ReturnType<typeof message>[]): Context {
  const context = new Context([text('system')]);
  for (const each of messages) context.extend([each]);
  return context;
}

describe('the shape of a request is checked before it is sent', () => {
  it('lets a request pass whose user speaks first and last', () => {
    expect(() => checkRequestShape(contextOf(message('user', text('user'))))).not.toThrow();
    expect(() => checkRequestShape(contextOf())).not.toThrow();
  });

  it('stops a call without its result', () => {
    const use = callOf('t', 5, { tool: 'Read' });
    const open = contextOf(message('user', text('user')), message('assistant', use));
    expect(() => checkRequestShape(open)).toThrow(/INV-1 .*without its result/);
  });

  it('stops a request that the model would end', () => {
    const open = contextOf(message('user', text('user')), message('assistant', text('assistant')));
    expect(() => checkRequestShape(open)).toThrow(/INV-1 .*end with the user/);
  });

  it('stops a conversation that the model begins', () => {
    const context = contextOf(message('user', text('user')));
    context.blocks[context.systemEnd] = text('assistant');
    expect(() => checkRequestShape(context)).toThrow(/INV-1 .*start with the user/);
  });
});

describe('a bill is checked against its prompt', () => {
  const usage = { input: 10, cacheRead: 20, cacheWrite5m: 30, cacheWrite1h: 40, output: 5 };

  it('has every token once; what was deleted is billed as read or not at all', () => {
    expect(() => checkUsage(usage, 100, 0)).not.toThrow();
    expect(() => checkUsage(usage, 100, 7)).not.toThrow();
    expect(() => checkUsage(usage, 107, 7)).not.toThrow();
    expect(() => checkUsage(usage, 101, 0)).toThrow(/INV-5 .*100 tokens billed for a prompt of 101/);
    expect(() => checkUsage(usage, 106, 7)).toThrow(/INV-5 .*prompt of 99/);
    expect(() => checkUsage(usage, 93, 7)).toThrow(/INV-5/);
  });

  it.each(['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const)(
    'has no negative count of %s, and may have none',
    (part) => {
      const other = part === 'input' ? 'cacheRead' : 'input';
      const none = { ...usage, [part]: 0 };
      const sum = (of: typeof usage) => of.input + of.cacheRead + of.cacheWrite5m + of.cacheWrite1h;
      expect(() => checkUsage(none, sum(none), 0)).not.toThrow();
      const negative = { ...usage, [part]: -1, [other]: 50 };
      expect(() => checkUsage(negative, sum(negative), 0)).toThrow(/INV-5 .*negative/);
    },
  );
});

describe('a read is checked against what was sent', () => {
  const context = { sums: [100, 250, 400], length: 3 };

  it('covers the prefix up to its entry, exactly', () => {
    expect(() => checkRead(250, 1, context, 'exact')).not.toThrow();
    expect(() => checkRead(100, 0, context, 'exact')).not.toThrow();
    expect(() => checkRead(0, -1, context, 'exact')).not.toThrow();
    expect(() => checkRead(249, 1, context, 'exact')).toThrow(/INV-6 .*249 tokens read .* has 250/);
    expect(() => checkRead(100, -1, context, 'exact')).toThrow(/INV-6 .*has 0/);
  });

  it('may end anywhere within the request where reads end on steps', () => {
    expect(() => checkRead(384, 2, context, 'grain')).not.toThrow();
    expect(() => checkRead(400, 0, context, 'grain')).not.toThrow();
    expect(() => checkRead(401, 2, context, 'grain')).toThrow(/INV-6/);
  });
});

describe('an answered request is checked against the window, and a lost child against its call', () => {
  it('fits the window, if there is one', () => {
    expect(() => checkWindow(200, 200)).not.toThrow();
    expect(() => checkWindow(201, null)).not.toThrow();
    expect(() => checkWindow(201, 200)).toThrow(/INV-2 .*201 tokens .* window of 200/);
  });

  it('is lost for a reason', () => {
    expect(() => checkLostChild('fork-1', 'the prompt ended')).not.toThrow();
    expect(() => checkLostChild('fork-1', null)).toThrow(/INV-15 .*fork-1/);
  });
});
