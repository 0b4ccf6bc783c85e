import { describe, expect, it } from 'vitest';
import { tokenMicrocompactLayer } from '../../../../src/agent/layers/microcompact/microcompact.js';
import { storageLayer } from '../../../../src/agent/layers/storage/storage.js';
import { CLEARED_PLACEHOLDER } from '../../../../src/agent/layers/support/compactable.js';
import { messageFrom, userText } from '../../../helpers/blocks.js';
import { LayerDriver } from '../../../helpers/drive/drive-layer.js';

/** Window 200,000 less 32,000, 13,000 and 20,000: the warning threshold of the measured clients. */
const MEASURED = { 'window.reserve': 'max-output' } as const;
const WARNING = 135_000;

function session(
  results: number,
  tokens: number,
  set: Record<string, number | boolean | string> = {},
): LayerDriver {
  const driver = new LayerDriver([tokenMicrocompactLayer], { ...MEASURED, ...set });
  for (let i = 1; i <= results; i++) driver.exchange(`t${i}`, { tokens });
  driver.extraSeen = WARNING;
  return driver;
}

const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `t${from + i}`);

describe('what is cleared', () => {
  it('MIC-1 clears the oldest 13 of 20 results of a little over 5,000 tokens and leaves 7', () => {
    const driver = session(20, 5_010);
    driver.ask();
    expect(driver.cleared()).toEqual(ids(1, 13));
    expect(driver.result('t1').text!.read()).toBe(CLEARED_PLACEHOLDER);
    expect(driver.result('t14').tokens).toBe(5_010);
  });

  it('MIC-1 stops as soon as the rest is not above 40,000', () => {
    const driver = session(20, 5_000);
    driver.ask();
    expect(driver.cleared()).toEqual(ids(1, 12));
  });

  it('MIC-1 protects the last 3 results, however large', () => {
    const driver = session(5, 30_000);
    driver.ask();
    expect(driver.cleared()).toEqual(['t1', 't2']);
  });

  it('MIC-1 does nothing unless 20,000 tokens are saved', () => {
    expect(session(10, 5_400).ask()).toEqual([]);
    expect(session(12, 5_000).ask()).not.toEqual([]);
  });

  it('MIC-1 clears results of compactable tools only', () => {
    const driver = new LayerDriver([tokenMicrocompactLayer], { 'microcompact.token.requiresWarning': false });
    const tools = [
      'Task',
      'mcp__x__y',
      'NotebookEdit',
      'Read',
      'Bash',
      'Grep',
      'Glob',
      'WebSearch',
      'WebFetch',
    ];
    for (const tool of [...tools, 'Edit', 'Write', 'TodoWrite'])
      driver.exchange(tool, { tool, tokens: 20_000 });
    for (const id of ['x', 'y', 'z']) driver.exchange(id, { tokens: 15_000 });
    driver.ask();
    expect(driver.cleared()).toEqual([
      'Read',
      'Bash',
      'Grep',
      'Glob',
      'WebSearch',
      'WebFetch',
      'Edit',
      'Write',
    ]);
  });

  it('MIC-1 changes tool results alone: calls stay', () => {
    const driver = session(20, 5_010);
    const calls = driver.messages.filter((message) => message.role === 'assistant');
    driver.ask();
    expect(driver.messages.filter((message) => message.role === 'assistant')).toEqual(calls);
  });

  it('MIC-1 clears memory attachments that are older than the results it clears', () => {
    const driver = new LayerDriver([tokenMicrocompactLayer], { 'microcompact.token.requiresWarning': false });
    const attach = (id: string): void => {
      const block = userText(300, { text: id, facts: { attachment: 'nested_memory' } });
      driver.join(messageFrom('attachment', id, [block]));
    };
    driver.exchange('t0', { tokens: 5_010 });
    attach('old');
    for (let i = 1; i < 20; i++) driver.exchange(`t${i}`, { tokens: 5_010 });
    attach('new');
    driver.ask();
    const left = driver.messages
      .filter((message) => message.origin === 'attachment')
      .map((message) => message.blocks.length);
    expect(left).toEqual([0, 1]);
    expect(driver.reports[0]!.details).toMatchObject({ memories: 1 });
  });
});

describe('when', () => {
  it('MIC-1 waits for the warning threshold of 135,000 tokens', () => {
    const driver = session(20, 5_010);
    driver.extraSeen = 0;
    driver.extraSeen = WARNING - 1 - driver.view.seenTokens;
    expect(driver.ask()).toEqual([]);
    driver.extraSeen += 1;
    expect(driver.ask()).not.toEqual([]);
    expect(driver.reports[0]!.estimatedBefore).toBe(WARNING);
  });

  it('MIC-1 takes an explicit target by hand, without the warning', () => {
    const driver = session(20, 5_010, { 'microcompact.token.manualTarget': 20_000 });
    driver.extraSeen = 0;
    expect(driver.ask()).toEqual([]);
    driver.ask('manual-clear');
    expect(driver.cleared()).toEqual(ids(1, 17));
    expect(driver.reports[0]).toMatchObject({ trigger: 'manual', details: { manual: true } });
  });

  it('MIC-1 C51 has no part in a manual compaction; by hand and without a target it takes the automatic one', () => {
    expect(session(20, 5_010, { 'microcompact.token.manualTarget': 20_000 }).ask('manual')).toEqual([]);
    const driver = session(20, 5_010);
    driver.extraSeen = 0;
    driver.ask('manual-clear');
    // Seven of 5,010 are 35,070, eight 40,080.
    expect(driver.cleared()).toEqual(ids(1, 13));
  });

  it('MIC-1 INV-3 clears nothing twice, and goes on with what came later', () => {
    const driver = session(20, 5_010);
    driver.ask();
    expect(driver.ask()).toEqual([]);
    for (let i = 21; i <= 26; i++) driver.exchange(`t${i}`, { tokens: 5_010 });
    driver.ask();
    expect(driver.cleared()).toEqual(ids(1, 19));
  });

  it('CLN-1 knows nothing of the history before a compaction', () => {
    const driver = session(20, 5_010);
    driver.compact([]);
    expect(driver.ask()).toEqual([]);
  });

  it('MIC-1 clears again what a resume brought back', () => {
    const driver = session(20, 5_010);
    driver.ask();
    driver.resume();
    expect(driver.cleared()).toEqual([]);
    driver.ask();
    expect(driver.cleared()).toEqual(ids(1, 13));
  });
});

describe('what is left of the originals', () => {
  it('MIC-1 keeps them on disk in 2.1 and does not overwrite what storage kept', () => {
    const driver = new LayerDriver([storageLayer, tokenMicrocompactLayer], {
      'microcompact.token.requiresWarning': false,
      'microcompact.token.keepOriginals': true,
    });
    driver.exchange('stored', { tool: 'Bash', text: 'b'.repeat(40_000) });
    driver.ask('results');
    driver.exchange('read', { text: 'r'.repeat(160_000) });
    for (const id of ['x', 'y', 'z']) driver.exchange(id, { tokens: 10 });
    driver.ask('results');
    driver.ask();
    expect(driver.cleared()).toEqual(['stored', 'read']);
    expect(driver.files.read('tool-results/main/read.txt')?.text).toBe('r'.repeat(160_000));
    expect(driver.files.read('tool-results/main/stored.txt')?.text).toBe('b'.repeat(40_000));
  });

  it('MIC-1 drops the file-read state of cleared reads: the file is sent whole again', () => {
    const driver = new LayerDriver([storageLayer, tokenMicrocompactLayer], {
      'microcompact.token.requiresWarning': false,
      'storage.stubRepeatedReads': true,
    });
    const read = { text: 'r'.repeat(160_000), facts: { path: '/repo/a.ts' } };
    driver.exchange('first', read);
    driver.ask('results');
    for (const id of ['x', 'y', 'z']) driver.exchange(id, { tokens: 1_000 });
    driver.ask('results');
    driver.ask();
    driver.exchange('again', read);
    driver.ask('results');
    expect(driver.cleared()).toEqual(['first']);
    expect(driver.result('again').facts.stub).toBeUndefined();
  });
});

it('MIC-5 reports tools, tokens before and after as seen and as billed, and the saving of both', () => {
  const driver = new LayerDriver([tokenMicrocompactLayer], { 'microcompact.token.requiresWarning': false });
  for (let i = 1; i <= 4; i++) driver.exchange(`b${i}`, { tool: 'Bash', tokens: 12_000, chars: 40_000 });
  for (let i = 1; i <= 3; i++) driver.exchange(`r${i}`, { tool: 'Read', tokens: 12_000, chars: 40_000 });
  const before = driver.view;
  const { trueTokens, seenTokens } = before;
  driver.ask();
  // Seven of 10,000 as seen: three go, 40,000 stay. The placeholder has 33 characters: 8 tokens as seen, 12 billed.
  expect(driver.reports).toHaveLength(1);
  expect(driver.reports[0]).toMatchObject({
    layer: 'microcompact',
    action: 'clear',
    trigger: 'auto',
    outcome: 'done',
    failure: null,
    trueBefore: trueTokens,
    trueAfter: trueTokens - 3 * (12_000 - 12),
    saved: 3 * (12_000 - 12),
    estimatedBefore: seenTokens,
    estimatedAfter: seenTokens - 3 * (10_000 - 8),
    details: { tools: { Bash: 3 }, ids: 3, manual: false, seenSaved: 3 * (10_000 - 8) },
  });
});
