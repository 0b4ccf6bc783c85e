import { describe, expect, it } from 'vitest';
import { autoMemoryLayer } from '../../../../src/agent/layers/auto-memory/auto-memory.js';
import { IndexText, indexTextOf, knownLine } from '../../../../src/agent/layers/auto-memory/memory-index.js';
import { type Block, createBlock } from '../../../../src/core/model/block.js';
import { renderMemory } from '../../../../src/core/model/memory.js';
import type { Answer, Outcome } from '../../../../src/core/run/action.js';
import type { ParamValue } from '../../../../src/core/run/params.js';
import { callOf } from '../../../helpers/blocks.js';
import { ForkDriver } from '../../../helpers/drive/drive-fork.js';
import { modelMessage, userMessage, words } from '../../../helpers/drive/drive-session-memory.js';

const INDEX = '/memory/MEMORY.md';
const memoryText = (name: string, body: string, type: 'project' | 'user' = 'project') =>
  renderMemory({ name, description: `about ${name}`, type, body });
const line = (name: string) => `- [${name}](${name}.md): about ${name}\n`;

/** A process at the end of a loop of two messages. */
function driver(set: Readonly<Record<string, ParamValue>> = {}): ForkDriver {
  const made = new ForkDriver(autoMemoryLayer, set);
  made.messages = [userMessage('u1', [words(10)]), modelMessage('a1', [words(10, 'assistant')])];
  return made;
}

/** Answers each request that asks for memories with a text. */
function extracting(text: string, init: Partial<Answer> = {}): ForkDriver {
  const made = driver();
  made.answer = ({ answer }) => made.says(answer.kind === 'memories' ? text : 'fine', init);
  return made;
}
function call(tool: string, path: string | undefined, input: unknown = null): Block {
  return callOf('t', 9, {
    tool,
    text: input === null ? tool : `${tool}${typeof input === 'string' ? input : JSON.stringify(input)}`,
    ...(path === undefined ? {} : { facts: { path } }),
  });
}
const agentWrites = (made: ForkDriver, ...blocks: readonly Block[]): void =>
  made.layer.observe?.(modelMessage('w', blocks));

describe('AUT-1 when an extraction runs', () => {
  it('at the end of a loop of the main agent; one at a time', () => {
    const made = driver();
    for (const point of ['end-of-loop', 'wake', 'session-end'] as const)
      expect(made.at(point, { source: 'fork' })).toEqual([]);
    expect(made.at('wake')).toEqual([]);
    made.at('end-of-loop');
    expect(made.requests).toHaveLength(1);
    made.at('end-of-loop');
    expect(made.requests).toHaveLength(1);
    expect(made.reports('extract')).toMatchObject([
      { outcome: 'declined', details: { skipped: 'running' }, failure: null },
    ]);
    made.now += 999;
    expect(made.at('wake')).toEqual([]);
    made.now += 1;
    expect(made.at('wake')).not.toEqual([]);
  });

  it('about what came since the last one, or about all where its mark is gone', () => {
    const made = driver();
    const about = () => made.requests.at(-1)!.about!.map(({ id }) => id);
    made.at('end-of-loop');
    expect(about()).toEqual(['u1', 'a1']);
    made.wakeUp();
    expect(made.at('end-of-loop')).toEqual([]);
    made.messages = [...made.messages, userMessage('u2', [words(10)])];
    made.at('end-of-loop');
    expect(about()).toEqual(['u2']);
    made.wakeUp();
    made.messages = [userMessage('summary', [words(10)])];
    made.at('end-of-loop');
    expect(about()).toEqual(['summary']);
  });

  it('each has its own number', () => {
    const made = driver();
    made.at('end-of-loop');
    expect(made.requests[0]!.instruction.id).toBe('auto-memory-1');
    made.wakeUp();
    expect(made.requests[1]!.instruction.id).toBe('auto-memory-1-results');
    made.messages = [...made.messages, userMessage('u2', [words(10)])];
    made.at('end-of-loop');
    expect(made.requests.at(-1)!.instruction.id).toBe('auto-memory-2');
  });
});

describe('AUT-4 what an extraction reads and writes', () => {
  it('the index and the latest memories, up to a number', () => {
    const made = driver({ 'autoMemory.maxReads': 2 });
    made.files.write(INDEX, 'x'.repeat(28), 1);
    ['a', 'b', 'c'].forEach((name, i) => {
      made.files.write(`/memory/${name}.md`, memoryText(name, 'Text.'), i);
    });
    made.at('end-of-loop');
    made.wakeUp();
    // 45 tokens a call; 28 characters at 2.75 a token.
    expect(made.requests[0]!.answer).toEqual({ kind: 'short', tokens: 3 * 45 });
    expect(made.reports('read')[0]!.details).toEqual({ reads: 3, memories: 3, corrupt: [] });
    const size = Math.ceil(memoryText('a', 'Text.').length / 2.75);
    expect(made.requests[1]!.instruction.blocks.map(({ tokens }) => tokens)).toEqual([11, size, size]);
    const calls = made.requests[1]!.ownTurns!.at(-1)!.blocks.map(({ text }) => text!.read());
    expect(calls).toEqual([`Read ${INDEX}`, 'Read /memory/c.md', 'Read /memory/b.md']);
  });

  it('an index that is not there is one token', () => {
    const made = extracting('');
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.requests[1]!.instruction.blocks.map(({ tokens }) => tokens)).toEqual([1]);
    expect(made.requests).toHaveLength(2);
    expect(made.reports('write')).toMatchObject([
      { outcome: 'done', details: { written: 0, refusals: 0, broken: 0, indexLines: 0, indexBytes: 0 } },
    ]);
    expect(made.files.read(INDEX)).toBeNull();
    expect(made.reports('close')).toEqual([]);
  });

  it('each memory and its line, then hands back one edit more than there are memories (C31)', () => {
    const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 100 };
    const said = [memoryText('x', 'One.'), memoryText('y', 'Two.'), memoryText('z', 'I.', 'user')];
    const made = extracting(said.join('\n'), { usage });
    made.files.write(INDEX, line('old'), 0);
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.files.read(INDEX)!.text).toBe(line('old') + line('x') + line('y') + line('z'));
    expect(made.files.read('/memory/y.md')!.text).toBe(said[1]);
    expect(made.reports('write')[0]).toMatchObject({
      outcome: 'done',
      failure: null,
      reason: 'the extraction has finished',
      details: {
        written: 3,
        types: { project: 2, user: 1 },
        broken: 0,
        refused: {},
        refusals: 0,
        indexLines: 4,
        indexBytes: line('old').length + 3 * line('x').length,
      },
    });
    expect(made.reports('close')).toMatchObject([{ outcome: 'done', details: { edits: 4 }, failure: null }]);
    const closing = made.requests[2]!;
    expect(closing.answer).toEqual({ kind: 'short', tokens: 12 });
    expect(closing.ownTurns!.map(({ id }) => id)).toEqual([
      'auto-memory-1',
      'auto-memory-1-calls',
      'auto-memory-1-results',
      'auto-memory-1-writes-calls',
    ]);
    expect(closing.ownTurns!.at(-1)!.blocks.map(({ tokens }) => tokens)).toEqual([25, 25, 25, 25]);
    expect(closing.messages).toEqual(made.messages);
  });

  it('what leads out, is reserved or broken is counted, each for its reason', () => {
    const names = ['../up', '/etc/x', '.hidden', 'MEMORY', 'fine', '../again'];
    const made = extracting(`${names.map((name) => memoryText(name, 'Text.')).join('\n')}\n---\nname: half`);
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.reports('write')[0]).toMatchObject({
      outcome: 'failed',
      failure: 'write-refused',
      details: {
        written: 1,
        broken: 1,
        refused: { climbs: 2, outside: 1, reserved: 2 },
        refusals: 5,
        indexLines: 1,
      },
    });
    expect(made.files.list('/memory')).toEqual([INDEX, '/memory/fine.md']);
    expect(made.reports('close')[0]!.details.edits).toBe(7);
  });

  it('is told what is known already: names of all memories, words of those in the index', () => {
    const made = driver();
    made.files.write('/memory/a.md', memoryText('a', 'We use Postgres 15 in production.'), 0);
    made.files.write('/memory/b.md', memoryText('b', 'Never push without asking me.'), 0);
    made.files.write(INDEX, line('a'), 0);
    made.at('end-of-loop');
    made.wakeUp();
    const { answer } = made.requests[1]!;
    if (answer.kind !== 'memories') throw new Error(answer.kind);
    expect(['a', 'b', 'c'].map((name) => answer.existing.has(name))).toEqual([true, true, false]);
    expect(answer.existing.says('We use Postgres 15 in production.')).toBe(true);
    expect(answer.existing.says('Never push without asking me.')).toBe(false);
  });
});

describe('an extraction that fails', () => {
  const failed = (reason: string) =>
    ({ kind: 'failed', failure: { reason, message: 'm', gapTokens: null } }) as unknown as Outcome;
  const outcomes: readonly (readonly [string, (made: ForkDriver) => Outcome])[] = [
    ['overloaded', () => failed('overloaded')],
    ['no-answer', () => ({ kind: 'done' })],
    ['error-as-memories', (made) => made.says('x', { form: 'error' })],
    ['tool-refused', (made) => made.says('x', { form: 'tool-call' })],
  ];

  it.each(outcomes)(
    '%s in its first request: nothing runs, and all of it is looked at again',
    (name, how) => {
      const made = driver();
      made.answer = () => how(made);
      made.at('end-of-loop');
      expect(made.reports('read')).toMatchObject([{ outcome: 'failed', failure: name }]);
      expect(made.actions.some(({ kind }) => kind === 'wake-at')).toBe(false);
      made.at('end-of-loop');
      expect(made.requests.map(({ about }) => about!.length)).toEqual([2, 2]);
    },
  );

  it.each(outcomes)(
    '%s in its second: nothing is written, and the next loop may start another',
    (name, how) => {
      const made = driver();
      made.answer = (_, n) => (n === 2 ? how(made) : made.says(memoryText('x', 'One.')));
      made.at('end-of-loop');
      made.wakeUp();
      expect(made.reports('extract')).toMatchObject([{ outcome: 'failed', failure: name }]);
      expect(made.reports('write')).toEqual([]);
      expect(made.files.list('/memory')).toEqual([]);
      made.messages = [...made.messages, userMessage('u2', [words(10)])];
      made.at('end-of-loop');
      expect(made.requests).toHaveLength(3);
    },
  );

  it('in its last: what was written stays, and it is told', () => {
    const made = driver();
    made.answer = (_, n) => (n === 3 ? failed('overloaded') : made.says(memoryText('x', 'One.')));
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.reports('close')).toMatchObject([{ outcome: 'failed', failure: 'overloaded' }]);
    expect(made.files.read('/memory/x.md')).not.toBeNull();
  });

  it('with its process: it is told as killed, once, and the memories are judged', () => {
    const made = driver();
    made.at('end-of-loop');
    made.at('session-end');
    expect(made.reports('extract')).toMatchObject([{ outcome: 'failed', failure: 'killed' }]);
    expect(made.reports('quality')).toEqual([]);
    made.files.write('/memory/a.md', memoryText('a', 'Production has 512 MB.'), 0);
    made.at('session-end');
    expect(made.reports('extract')).toHaveLength(1);
    expect(made.reports('quality')).toMatchObject([{ details: { kept: 1, offIndex: 1 } }]);
  });

  it('a new process neither goes on with it nor knows of writes before', () => {
    const made = driver();
    made.at('end-of-loop');
    agentWrites(made, call('Write', '/memory/a.md'));
    made.layer.resume?.([], undefined as never);
    made.now += 1_000;
    expect(made.at('wake')).toEqual([]);
    made.messages = [...made.messages, userMessage('u2', [words(10)])];
    made.at('end-of-loop');
    expect(made.requests).toHaveLength(2);
  });
});

describe('FLG-2 what the main agent writes itself', () => {
  const writing = (blocks: readonly Block[], index: string | null = null) => {
    const made = driver();
    if (index !== null) made.files.write(INDEX, index, 0);
    agentWrites(made, ...blocks);
    made.at('end-of-loop');
    return made;
  };
  const parsed = { content: memoryText('other-name', 'We use tabs.', 'user') };

  it('is on disk as far as its words are known', () => {
    const body = (input: unknown) =>
      writing([call('Write', '/memory/a.md', input)]).files.read('/memory/a.md')!.text;
    const plain = (text: string) =>
      renderMemory({ name: 'a', description: 'written by the main agent', type: 'project', body: text });
    expect(body({ content: 'We use tabs.' })).toBe(plain('We use tabs.'));
    expect(body({ new_string: 'We use tabs.\n' })).toBe(plain('We use tabs.'));
    expect(body({ content: 'first', new_string: 'second' })).toBe(plain('first'));
    const unknown = plain('The main agent wrote this file in the course of its work.');
    for (const input of [null, '{broken', {}, { content: 7 }, { content: '  ' }])
      expect(body(input)).toBe(unknown);
    // The file has the name it was written to, whatever it says itself.
    expect(body(parsed)).toBe(
      renderMemory({ name: 'a', description: 'about other-name', type: 'user', body: 'We use tabs.' }),
    );
    expect(body({ content: 'x'.repeat(4_001) })).toBe(plain('x'.repeat(4_000)));
  });

  it('the words begin where the input does', () => {
    const block = callOf('t', 9, {
      tool: 'Write',
      text: '{"content":"We use tabs."}',
      facts: { path: '/memory/a.md' },
    });
    expect(writing([block]).files.read('/memory/a.md')!.text).toContain('\nWe use tabs.\n');
  });

  it('has a line in the index if the agent wrote that, too, and none twice', () => {
    const both = [call('Write', '/memory/a.md', parsed), call('Edit', INDEX)];
    const text = '- [a](a.md): about other-name\n';
    const made = writing(both);
    expect(made.files.read(INDEX)!.text).toBe(text);
    expect(made.reports('extract')).toMatchObject([
      { outcome: 'declined', details: { skipped: 'main-wrote', files: 2 } },
    ]);
    expect(made.requests).toEqual([]);
    expect(writing(both, line('z')).files.read(INDEX)!.text).toBe(line('z') + text);
    expect(writing(both, line('a')).files.read(INDEX)!.text).toBe(line('a'));
    expect(writing([both[0]!]).files.read(INDEX)).toBeNull();
    expect(writing([both[1]!]).files.read(INDEX)).toBeNull();
  });

  it('of two writes the later one counts, and one that leads out is left alone', () => {
    const made = writing([
      call('Write', '/memory/a.md', { content: 'first' }),
      call('MultiEdit', '/memory/a.md', { content: 'second' }),
      call('Write', '/memory/.hidden.md', { content: 'no' }),
    ]);
    expect(made.files.list('/memory')).toEqual(['/memory/a.md']);
    expect(made.files.read('/memory/a.md')!.text).toContain('second');
    expect(made.reports('extract')[0]!.details.files).toBe(2);
  });

  it('is a call of a writing tool on a memory file, and is looked at once', () => {
    const made = writing([
      call('Read', '/memory/a.md'),
      call('Write', '/repo/a.md'),
      call('Write', '/repo/a.md'),
      call('Write', undefined),
      createBlock({ kind: 'text', role: 'assistant', tokens: 1, facts: { path: '/memory/a.md' } }),
    ]);
    expect(made.requests).toHaveLength(1);
    const wrote = writing([call('Edit', '/memory/a.md')]);
    expect(wrote.at('end-of-loop')).toEqual([]);
    wrote.messages = [...wrote.messages, userMessage('u2', [words(10)])];
    wrote.at('end-of-loop');
    // What the agent looked at itself is covered.
    expect(wrote.requests.map(({ about }) => about!.map(({ id }) => id))).toEqual([['u2']]);
  });
});

describe('AUT-3 an index as lines', () => {
  it('knows its sizes, and what stands behind its last line end', () => {
    const index = IndexText.parse('one\n\nzwölf');
    expect([index.count, index.filled, index.chars, index.bytes, index.isBinary]).toEqual([
      2,
      2,
      10,
      11,
      false,
    ]);
    expect([0, 1, 2, 3].map((place) => index.lineAt(place)?.text ?? null)).toEqual([
      'one',
      '',
      'zwölf',
      null,
    ]);
    expect(index.read()).toBe('one\n\nzwölf');
    const more = index.with(knownLine('-x'));
    expect([more.read(), more.count, more.filled, more.lineAt(3)]).toEqual(['one\n\nzwölf-x\n', 3, 2, null]);
  });

  it('grows line by line; two that grow from one do not see each other', () => {
    const base = IndexText.EMPTY.with(knownLine('a'));
    const left = base.with(knownLine('b')).with(knownLine(''));
    const right = base.with(knownLine('ü'));
    expect([base.read(), left.read(), right.read()]).toEqual(['a\n', 'a\nb\n\n', 'a\nü\n']);
    expect([left.count, left.filled, left.chars, left.bytes]).toEqual([3, 2, 5, 5]);
    expect([right.count, right.filled, right.chars, right.bytes]).toEqual([2, 2, 4, 5]);
    expect(IndexText.EMPTY.read()).toBe('');
    expect(IndexText.EMPTY.with(knownLine('c')).read()).toBe('c\n');
    const odd = left.with(knownLine('\u0000'));
    expect([odd.isBinary, odd.with(knownLine('d')).isBinary, left.isBinary]).toEqual([true, true, false]);
  });

  it('a file is taken apart once', () => {
    const made = driver();
    made.files.write(INDEX, 'a\n', 0);
    const file = made.files.read(INDEX)!;
    expect(indexTextOf(file)).toBe(indexTextOf(file));
  });
});
