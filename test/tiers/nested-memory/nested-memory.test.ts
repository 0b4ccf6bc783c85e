import { describe, expect, it } from 'vitest';
import type { ParamValue } from '../../../src/model/params.js';
import { nestedMemoryTier } from '../../../src/tiers/nested-memory/nested-memory.js';
import { TierDriver } from '../../helpers/drive-tier.js';

const FILES = {
  '/repo/CLAUDE.md': 400,
  '/repo/src/CLAUDE.md': 200,
  '/repo/src/api/CLAUDE.md': 100,
  '/repo/docs/CLAUDE.md': 50,
};

function project(set: Record<string, ParamValue> = {}): TierDriver {
  return new TierDriver([nestedMemoryTier], { 'nestedMemory.files': FILES, ...set });
}

function touch(driver: TierDriver, path: string): void {
  driver.exchange(`read ${path} ${driver.messages.length}`, { facts: { path } });
  driver.ask();
}

function attached(driver: TierDriver): readonly (string | undefined)[] {
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
    for (const message of kept) for (const tier of driver.tiers) tier.observe?.(message);
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
