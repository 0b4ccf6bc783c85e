import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restore } from '../../../../src/agent/layers/restore/restore.js';
import { workState } from '../../../../src/agent/layers/restore/work-state.js';
import { resolvePolicy } from '../../../../src/agent/policies/plan-policy.js';
import { createRandom } from '../../../../src/core/base/random.js';
import type { Message } from '../../../../src/core/model/message.js';
import { soloSession } from '../../../../src/core/model/transcript.js';
import type { LayerContext } from '../../../../src/core/run/layer.js';
import { Limits } from '../../../../src/core/run/limit.js';
import { messageFrom, userText } from '../../../helpers/blocks.js';
import { messagesOf } from '../../../helpers/drive/drive-compaction.js';
import { forAll } from '../../../helpers/for-all.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { planOf } from '../../../helpers/plan.js';

const reads = (files: readonly (readonly [path: string, tokens: number])[]): readonly Message[] => {
  const talk = new Conversation().human(10);
  for (const [path, tokens] of files) talk.tools([{ tool: 'Read', tokens, path }]);
  return messagesOf(talk.transcript());
};

const attached = (id: string, attachment: string, tokens: number, path?: string): Message =>
  messageFrom('attachment', id, [
    userText(tokens, {
      chars: tokens * 4,
      text: id.padEnd(tokens * 4, '.'),
      facts: path === undefined ? { attachment } : { attachment, path },
    }),
  ]);

function restored(
  messages: readonly Message[],
  set: Readonly<Record<string, unknown>> = {},
  kept: readonly Message[] = [],
  policy = 'claude-code/2026',
) {
  const context: LayerContext = {
    params: resolvePolicy(policy, set),
    thread: 'main',
    source: 'main',
    model: () => ({ name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 64_000 }),
    plan: planOf({ policy }),
    nextUse: () => Number.POSITIVE_INFINITY,
    limits: new Limits({ name: policy, params: resolvePolicy(policy, set) }),
    isSumming: false,
    random: createRandom(1),
    shared: new Map(),
    session: soloSession(),
  };
  for (const message of messages) workState(context).observe(message);
  const result = restore(context, { before: [], after: kept }, { at: 0, id: 'r' });
  return {
    ...result,
    paths: result.messages.map((message) => message.blocks[0]!.facts.path),
    kinds: result.messages.map((message) => message.blocks[0]!.facts.attachment),
    rough: result.messages.map((message) => message.blocks[0]!.rough),
  };
}

describe('files', () => {
  it('RES-1 the five most recently read, latest first, each once', () => {
    const files = ['a', 'b', 'c', 'd', 'e', 'f', 'a'].map((name) => [`/repo/${name}.ts`, 100] as const);
    expect(restored(reads(files)).paths).toEqual(['a', 'f', 'e', 'd', 'c'].map((name) => `/repo/${name}.ts`));
  });

  it('RES-1 each is cut to 5,000 tokens', () => {
    const { rough, messages } = restored(
      reads([
        ['/repo/large.ts', 12_000],
        ['/repo/edge.ts', 5_000],
      ]),
    );
    expect(rough).toEqual([5_000, 5_000]);
    expect(messages.map((message) => message.blocks[0]!.facts.replaces)).toEqual([undefined, 'cut']);
  });

  it('RES-1 one that does not fit the rest of the budget is skipped, a later smaller one fits', () => {
    const files = [
      ['/repo/small.ts', 900],
      ['/repo/big.ts', 4_000],
      ['/repo/latest.ts', 4_500],
    ] as const;
    const { paths } = restored(reads(files), { 'restore.filesTotalTokens': 6_000 });
    expect(paths).toEqual(['/repo/latest.ts', '/repo/small.ts']);
  });

  it('RES-1 what is visible in kept messages does not come back; a stub is not visible', () => {
    const messages = reads([
      ['/repo/a.ts', 100],
      ['/repo/b.ts', 100],
    ]);
    const kept = messages.slice(-2);
    expect(restored(messages, {}, kept).paths).toEqual(['/repo/a.ts']);
    const stub = kept.map((message) => ({
      ...message,
      blocks: message.blocks.map((block) => ({ ...block, facts: { ...block.facts, stub: true } })),
    }));
    expect(restored(messages, {}, stub).paths).toEqual(['/repo/b.ts', '/repo/a.ts']);
  });

  it('RES-1 measured clients name large files in a line that uses a slot', () => {
    const files = [
      ['/repo/0.ts', 100],
      ['/repo/1.ts', 4_999],
      ['/repo/2.ts', 5_000], // 20,000 characters
      ['/repo/3.ts', 100],
      ['/repo/4.ts', 100],
      ['/repo/5.ts', 100],
    ] as const;
    const { paths, kinds, references, rough } = restored(reads(files), {}, [], 'claude-code/2.1.112');
    expect(paths).toEqual([5, 4, 3, 2, 1].map((n) => `/repo/${n}.ts`));
    expect(kinds).toEqual(['file', 'file', 'file', 'compact_file_reference', 'file']);
    expect(references).toBe(1);
    expect(rough[4]).toBe(4_999);
  });
});

describe('the rest of the work', () => {
  it('RES-2 skills, most recent first, 5,000 each and 25,000 in all', () => {
    const skills = Array.from({ length: 7 }, (_, i) => attached(`skill-${i}`, 'skill', 9_000, `skill-${i}`));
    const { paths, rough } = restored(skills);
    expect(paths).toEqual(['skill-6', 'skill-5', 'skill-4', 'skill-3', 'skill-2']);
    expect(rough).toEqual([5_000, 5_000, 5_000, 5_000, 5_000]);
    const { messages } = restored(skills.slice(0, 1));
    expect(messages[0]!.blocks[0]!.facts.replaces).toBe('cut');
    expect(messages[0]!.blocks[0]!.text!.read()).toMatch(/cut/);
  });

  it('RES-2 2.0 restores none', () => {
    const skills = [attached('s', 'skill', 100, 's')];
    expect(restored(skills, {}, [], 'claude-code/2.0').skills).toBe(0);
  });

  it('RES-4 the list of announced skills is not sent again', () => {
    const listed = [attached('l', 'skill_listing', 4_000)];
    expect(restored(listed).messages).toEqual([]);
    // Recorded behind both compactions at 2.1.228 and 2.1.232, and measured at 2.1.326.
    const later = restored(listed, {}, [], 'claude-code/2.1.325');
    expect(later.messages.map(({ blocks }) => blocks[0]!.tokens)).toEqual([4_000]);
  });

  it('the switch turns all of it off', () => {
    const messages = [...reads([['/repo/a.ts', 100]]), attached('s', 'skill', 100, 's')];
    expect(restored(messages).kinds).toEqual(['file', 'skill']);
    expect(restored(messages, { 'restore.enabled': false }).messages).toEqual([]);
  });
});

describe('budgets', () => {
  it('INV-10 files and skills never exceed theirs', () => {
    forAll(
      { numRuns: 60 },
      fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 12 }),
      fc.record({
        'restore.files': fc.integer({ min: 0, max: 8 }),
        'restore.fileTokens': fc.integer({ min: 0, max: 9_000 }),
        'restore.filesTotalTokens': fc.integer({ min: 0, max: 20_000 }),
        'restore.skillTokens': fc.integer({ min: 0, max: 9_000 }),
        'restore.skillsTotalTokens': fc.integer({ min: 0, max: 20_000 }),
      }),
      (files, skills, set) => {
        const { messages, kinds, rough } = restored(
          [
            ...reads(files.map((tokens, i) => [`/repo/${i}.ts`, tokens] as const)),
            ...skills.map((tokens, i) => attached(`s${i}`, 'skill', tokens, `s${i}`)),
          ],
          set,
        );
        const of = (kind: string) => rough.filter((_, i) => kinds[i] === kind);
        const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
        expect(of('file').length).toBeLessThanOrEqual(set['restore.files']);
        expect(Math.max(0, ...of('file'))).toBeLessThanOrEqual(set['restore.fileTokens']);
        expect(sum(of('file'))).toBeLessThanOrEqual(set['restore.filesTotalTokens']);
        expect(Math.max(0, ...of('skill'))).toBeLessThanOrEqual(set['restore.skillTokens']);
        expect(sum(of('skill'))).toBeLessThanOrEqual(set['restore.skillsTotalTokens']);
        expect(messages.length).toBe(of('file').length + of('skill').length);
      },
    );
  });
});
