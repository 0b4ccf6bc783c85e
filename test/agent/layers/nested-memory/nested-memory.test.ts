import { describe, expect, it } from 'vitest';
import { fileState } from '../../../../src/agent/layers/file-state/file-state.js';
import {
  memoryFilesIn,
  nestedMemoryLayer,
  resolvePath,
} from '../../../../src/agent/layers/nested-memory/nested-memory.js';
import type { ParamValue } from '../../../../src/core/run/params.js';
import { ForkDriver } from '../../../helpers/drive/drive-fork.js';
import { callBlock, LayerDriver, resultBlock } from '../../../helpers/drive/drive-layer.js';
import { modelMessage } from '../../../helpers/drive/drive-session-memory.js';

const FILES = {
  '/repo/CLAUDE.md': 400,
  '/repo/src/CLAUDE.md': 200,
  '/repo/src/api/CLAUDE.md': 100,
  '/repo/docs/CLAUDE.md': 50,
};

function project(set: Record<string, ParamValue> = {}): LayerDriver {
  return new LayerDriver([nestedMemoryLayer], { 'nestedMemory.files': FILES, ...set });
}

function touch(driver: LayerDriver, path: string): void {
  driver.exchange(`read ${path} ${driver.messages.length}`, { facts: { path } });
  driver.ask();
}

function attached(driver: LayerDriver): readonly (string | undefined)[] {
  return driver.actions.flatMap((action) =>
    action.kind === 'attach' ? [action.message.blocks[0]!.facts.path] : [],
  );
}

describe('what is attached', () => {
  it('NES-1 attaches the memory files from the working directory down to the touched path', () => {
    const driver = project();
    touch(driver, '/repo/src/api/server.ts');
    expect(attached(driver)).toEqual(['/repo/CLAUDE.md', '/repo/src/CLAUDE.md', '/repo/src/api/CLAUDE.md']);
    const message = driver.messages.at(-1)!;
    expect(message).toMatchObject({ role: 'user', origin: 'attachment' });
    expect(message.blocks[0]).toMatchObject({ tokens: 100, facts: { attachment: 'nested_memory' } });
  });

  it('NES-1 attaches each file once', () => {
    const driver = project();
    touch(driver, '/repo/src/main.ts');
    touch(driver, '/repo/src/api/server.ts');
    touch(driver, '/repo/src/api/client.ts');
    expect(attached(driver)).toEqual(['/repo/CLAUDE.md', '/repo/src/CLAUDE.md', '/repo/src/api/CLAUDE.md']);
  });

  it('NES-1 leaves out folders beside the way and paths outside the working directory', () => {
    const driver = project({ 'nestedMemory.files': { '/repo/docs/CLAUDE.md': 50, '/other/CLAUDE.md': 10 } });
    touch(driver, '/repo/src/main.ts');
    touch(driver, '/repo-two/docs/x.ts');
    touch(driver, '/other/x.ts');
    expect(driver.actions).toEqual([]);
  });

  it('NES-1 reads relative paths from the working directory', () => {
    const driver = project();
    touch(driver, 'docs/../docs/page.md');
    expect(attached(driver)).toEqual(['/repo/CLAUDE.md', '/repo/docs/CLAUDE.md']);
  });

  it('NES-1 does not attach a file that the agent has just read itself', () => {
    const driver = project({ 'nestedMemory.files': { '/repo/docs/CLAUDE.md': 50 } });
    touch(driver, '/repo/docs/CLAUDE.md');
    touch(driver, '/repo/docs/page.md');
    expect(attached(driver)).toEqual([]);
  });

  it('NES-1 without permission for the touched path nothing is attached; a file may be denied by itself', () => {
    const driver = project({ 'nestedMemory.denied': ['/repo/src', 'docs/CLAUDE.md'] });
    touch(driver, '/repo/src/api/server.ts');
    touch(driver, '/repo/docs/page.md');
    expect(attached(driver)).toEqual(['/repo/CLAUDE.md']);
    expect(driver.reports.map(({ outcome, details }) => [outcome, details.denied])).toEqual([
      ['declined', 1],
      ['done', 1],
    ]);
  });
});

describe('errors are never fatal', () => {
  it('NES-1 reports a path that climbs above the root and goes on', () => {
    const driver = project();
    driver.exchange('bad', { facts: { path: '/repo/../../x' } });
    driver.exchange('good', { facts: { path: '/repo/docs/a.md' } });
    driver.ask();
    expect(attached(driver)).toEqual(['/repo/CLAUDE.md', '/repo/docs/CLAUDE.md']);
    expect(driver.reports.map(({ outcome, failure }) => [outcome, failure])).toEqual([
      ['done', null],
      ['failed', 'bad-path'],
    ]);
    expect(driver.ask()).toEqual([]);
  });

  it('NES-1 reports a listed file that lies nowhere, once', () => {
    const driver = project({ 'nestedMemory.files': { '/../CLAUDE.md': 5 } });
    driver.ask();
    driver.ask();
    expect(driver.reports.map(({ outcome }) => outcome)).toEqual(['failed']);
  });
});

describe('what is known of attached files', () => {
  it('CLN-1 attaches again after a compaction, when a path is touched again', () => {
    const driver = project();
    touch(driver, '/repo/docs/page.md');
    const kept = driver.messages.slice(0, 2);
    driver.compact(kept);
    for (const message of kept) for (const layer of driver.layers) layer.observe?.(message);
    expect(driver.ask()).toEqual([]);
    touch(driver, '/repo/docs/page.md');
    expect(attached(driver)).toHaveLength(4);
  });

  it('NES-1 does not repeat attachments that a compaction or a resume left in the conversation', () => {
    const driver = project();
    touch(driver, '/repo/docs/page.md');
    driver.compact(driver.messages);
    touch(driver, '/repo/docs/other.md');
    driver.resume();
    touch(driver, '/repo/docs/third.md');
    expect(attached(driver)).toHaveLength(2);
  });

  it('NES-1 gives every attachment an id of its own', () => {
    const driver = project();
    touch(driver, '/repo/docs/page.md');
    driver.compact([]);
    touch(driver, '/repo/docs/page.md');
    const ids = driver.actions.flatMap((action) => (action.kind === 'attach' ? [action.message.id] : []));
    expect(new Set(ids).size).toBe(4);
  });
});

describe('what counts as touched', () => {
  /** A thread whose transcript knows the memory files, unless the policy lists them. */
  function thread(set: Record<string, ParamValue> = {}): ForkDriver {
    return new ForkDriver(nestedMemoryLayer, set, { memoryFiles: FILES });
  }
  let count = 0;
  const touches = (made: ForkDriver, path: string): readonly string[] => {
    made.layer.observe?.(modelMessage(`m${++count}`, [callBlock('t', { facts: { path } })]));
    return paths(made);
  };
  const paths = (made: ForkDriver): readonly string[] =>
    made
      .at('before-request')
      .flatMap((action) => (action.kind === 'attach' ? [action.message.blocks[0]!.facts.path!] : []));

  it('NES-1 the files of the transcript count where the policy lists none', () => {
    expect(touches(thread(), '/repo/docs/a.md')).toEqual(['/repo/CLAUDE.md', '/repo/docs/CLAUDE.md']);
    const listed = thread({ 'nestedMemory.files': { '/repo/docs/AGENTS.md': 7 } });
    expect(touches(listed, '/repo/docs/a.md')).toEqual(['/repo/docs/AGENTS.md']);
    const none = new ForkDriver(nestedMemoryLayer);
    expect([none.layer.observe, none.at('before-request')]).toEqual([undefined, []]);
  });

  it('NES-1 calls and results do, attachments do not; all paths of a message', () => {
    const made = thread();
    const block = { ...resultBlock('t', { facts: { path: '/repo/docs/a.md' } }), kind: 'text' as const };
    made.layer.observe?.(modelMessage('a', [block]));
    expect(paths(made)).toEqual([]);
    made.layer.observe?.(
      modelMessage('b', [
        callBlock('t'),
        resultBlock('u', { facts: { path: '/repo/src/a.ts' } }),
        callBlock('v', { facts: { path: '/repo/docs/a.md' } }),
      ]),
    );
    expect(paths(made)).toEqual(['/repo/CLAUDE.md', '/repo/src/CLAUDE.md', '/repo/docs/CLAUDE.md']);
  });

  it('NES-1 a path is looked at once, until memory files are forgotten (MIC-1)', () => {
    const made = thread({ 'nestedMemory.denied': ['/repo/src'] });
    const denied = () => made.reports('attach').map(({ details }) => details.denied);
    touches(made, '/repo/src/a.ts');
    touches(made, '/repo/src/a.ts');
    expect(denied()).toEqual([1]);
    touches(made, '/repo/docs/a.md');
    fileState(made).forgetMemory('/repo/docs/CLAUDE.md');
    expect(touches(made, '/repo/src/a.ts')).toEqual([]);
    touches(made, '/repo/src/a.ts');
    expect(denied()).toEqual([1, 0, 1]);
    expect(touches(made, '/repo/docs/a.md')).toEqual(['/repo/docs/CLAUDE.md']);
  });

  it('NES-1 nothing is due where everything on the way is there', () => {
    const made = thread();
    touches(made, '/repo/docs/a.md');
    made.layer.observe?.(modelMessage('other', [callBlock('t', { facts: { path: '/repo/docs/b.md' } })]));
    expect(made.layer.due(undefined as never, undefined as never)).toBe(false);
  });

  it('CLN-1 what waits is dropped with its history, and a new process knows what it reads', () => {
    const made = thread();
    const touch = () =>
      made.layer.observe?.(
        modelMessage(`m${++count}`, [callBlock('t', { facts: { path: '/repo/docs/a.md' } })]),
      );
    touch();
    made.layer.reset?.([]);
    expect(paths(made)).toEqual([]);
    touch();
    expect(paths(made)).toHaveLength(2);
    touch();
    made.layer.resume?.([], undefined as never);
    expect(paths(made)).toEqual([]);
    touch();
    expect(paths(made)).toHaveLength(2);
  });

  it('NES-1 a file that may not be read is told once, and again with a new history', () => {
    const made = thread({ 'nestedMemory.denied': ['/repo/docs/CLAUDE.md', '/repo/CLAUDE.md'] });
    touches(made, '/repo/docs/a.md');
    touches(made, '/repo/docs/b.md');
    expect(made.reports('attach')).toMatchObject([
      {
        outcome: 'declined',
        reason: 'reading the memory files is not permitted',
        details: { files: [], tokens: 0, denied: 2 },
      },
    ]);
    made.layer.reset?.([]);
    touches(made, '/repo/docs/a.md');
    expect(made.reports('attach')[1]!.details.denied).toBe(2);
  });

  it('NES-1 tells which files came and how large they are', () => {
    const driver = project();
    touch(driver, '/repo/src/a.ts');
    expect(driver.reports).toMatchObject([
      {
        layer: 'nested-memory',
        outcome: 'done',
        saved: 0,
        details: { files: ['/repo/CLAUDE.md', '/repo/src/CLAUDE.md'], tokens: 600, denied: 0 },
      },
    ]);
    const [told] = driver.reports;
    expect(told!.trueAfter - told!.trueBefore).toBe(600);
  });
});

describe('the way to a path', () => {
  it('NES-1 goes from the working directory down, over the files of each folder', () => {
    const files = memoryFilesIn('/repo', { '/repo/B.md': 2, '/repo/A.md': 1, 'x/C.md': 3, '/D.md': 4 });
    const way = (path: string) => files.onTheWayTo(path).map(({ tokens }) => tokens);
    expect(way('/repo/a.ts')).toEqual([1, 2]);
    expect(way('/repo/x/y/a.ts')).toEqual([1, 2, 3]);
    expect(way('/a.ts')).toEqual([]);
    expect(memoryFilesIn('/', { '/D.md': 4, '/x/E.md': 5 }).onTheWayTo('/x/a.ts')).toHaveLength(2);
    expect(files.wayTo('../../x')).toBeNull();
    expect(files.wayTo('x/a.ts')).toHaveLength(3);
  });

  it('is the same for the same list and folder', () => {
    const listed = { '/repo/A.md': 1 };
    expect(memoryFilesIn('/repo', listed)).toBe(memoryFilesIn('/repo', listed));
    expect(memoryFilesIn('/other', listed)).not.toBe(memoryFilesIn('/repo', listed));
    expect([resolvePath('a/../b', '/repo'), resolvePath('/a', '/repo'), resolvePath('..', '/')]).toEqual([
      '/repo/b',
      '/a',
      null,
    ]);
  });
});
