import { describe, expect, it } from 'vitest';
import { createFiles } from '../../../src/core/base/files.js';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import type { RunningThread } from '../../../src/engine/requests/running-thread.js';
import { finishThread, keepRecord } from '../../../src/engine/thread/session-record.js';

const PATH = '/projects/s.jsonl';
const block = (kind: Block['kind'], text: string | null): Block =>
  createBlock({ kind, role: 'user', tokens: 9, chars: 9, text });
const said = (origin: Message['origin'], ...blocks: readonly Block[]): Message =>
  createMessage({ id: origin, role: 'user', origin, blocks, at: 0 });

/** A thread as far as its record is concerned. */
function thread(change: { readonly isMain?: boolean; readonly keepsRecord?: boolean } = {}) {
  const files = createFiles();
  const asked: string[] = [];
  const run = {
    isMain: change.isMain ?? true,
    env: {
      files,
      client: { keepsRecord: change.keepsRecord ?? true },
      sessions: { world: new Map() },
    },
    session: { recordPath: PATH, state: 'running' },
    thread: { id: 'main' },
    context: { messages: [] as readonly Message[] },
    turn: 1,
    now: 5,
    askLayers: (point: string) => void asked.push(point),
  };
  return { run, files, asked, loop: run as unknown as RunningThread };
}

describe('the record of a session', () => {
  it('has a line for each turn with the beginning of the last prompt, and the time of the latest', () => {
    const { run, files, loop } = thread();
    run.context.messages = [
      said('human', block('text', 'first')),
      said('human', block('image', 'picture'), block('text', 'x'.repeat(201)), block('text', 'more')),
      said('tool', block('tool_result', 'result')),
    ];
    keepRecord(loop);
    run.turn = 2;
    run.now = 9;
    run.context.messages = [said('human', block('text', 'second'))];
    keepRecord(loop);
    const file = files.read(PATH)!;
    expect(file.mtimeMs).toBe(9);
    const text = `${JSON.stringify({ turn: 1, user: 'x'.repeat(200) })}\n${JSON.stringify({ turn: 2, user: 'second' })}\n`;
    expect([file.text, file.text, file.chars]).toEqual([text, text, text.length]);
    // What was read goes on from there.
    run.turn = 3;
    keepRecord(loop);
    expect(files.read(PATH)!.text).toBe(`${text}{"turn":3,"user":"second"}\n`);
  });

  it('says nothing where no prompt has words', () => {
    const { run, files, loop } = thread();
    keepRecord(loop);
    run.context.messages = [said('tool', block('text', 'not the user'))];
    keepRecord(loop);
    run.context.messages = [said('human', block('image', 'picture'))];
    keepRecord(loop);
    expect(files.read(PATH)!.text).toBe('{"turn":1,"user":""}\n'.repeat(3));
  });

  it('is kept by main threads of clients that keep one', () => {
    for (const change of [{ isMain: false }, { keepsRecord: false }]) {
      const { files, loop } = thread(change);
      keepRecord(loop);
      expect(files.read(PATH)).toBeNull();
    }
  });

  it('ends with its main thread: the layers hear of it, and the process is over', () => {
    const main = thread();
    finishThread(main.loop);
    expect([main.asked, main.run.session.state]).toEqual([['thread-end', 'session-end'], 'ended']);
    const child = thread({ isMain: false });
    finishThread(child.loop);
    expect([child.asked, child.run.session.state]).toEqual([['thread-end'], 'running']);
  });
});
