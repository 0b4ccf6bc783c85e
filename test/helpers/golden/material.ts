import { ODD_LINES } from '../generators/odd-session.js';
import {
  ask,
  assistant,
  attachment,
  type Fields,
  jsonl,
  result,
  say,
  system,
  usage,
  user,
} from '../session.js';

/** What one answer read and wrote, and the seconds before it. */
interface Answer {
  readonly after: number;
  readonly read: number;
  readonly written: number;
  readonly input?: number;
  readonly output?: number;
  readonly model?: string;
  /** It reads this file, which has as many lines. */
  readonly file?: readonly [path: string, lines: number];
  /** Whether it is written for five minutes. */
  readonly isShort?: boolean;
}

interface SessionInit {
  readonly id: string;
  readonly cwd: string;
  readonly day?: number;
  readonly version?: string;
  /** The number of its first answer. */
  readonly from?: number;
}

function short(counts: Fields, written: number): Fields {
  const cache_creation = { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 };
  return { ...counts, cache_creation };
}

function linesOf(path: string, count: number): string {
  return Array.from({ length: count }, (_, i) => `line ${i + 1} of ${path}\n`).join('');
}

/** A session of prompts and answers, as Claude Code writes it. */
function answered(
  { id, cwd, day = 0, version = '2.1.100', from = 0 }: SessionInit,
  answers: readonly Answer[],
): Buffer {
  let at = day * 86_400;
  const own = { sessionId: id, cwd, version };
  const lines: Fields[] = [];
  let last: string | null = null;
  const add = (line: Fields): void => {
    lines.push(line);
    last = String(line.uuid);
  };
  answers.forEach((answer, at0) => {
    const i = from + at0;
    const {
      after,
      read,
      written,
      input = 10,
      output = 50,
      model = 'claude-sonnet-4-5',
      file,
      isShort,
    } = answer;
    at += after;
    const counts = usage(input, read, written, output);
    const body = { model, usage: isShort === true ? short(counts, written) : counts };
    const fields = () => ({ ...own, parentUuid: last });
    add(user(`${id}-u${i}`, at, `question ${i} of ${id}`, fields()));
    const content =
      file === undefined ? say(`answer ${i}`) : ask(`${id}-t${i}`, 'Read', { file_path: file[0] });
    add(assistant(`${id}-a${i}`, at + 2, `msg-${id}-${i}`, content, body, fields()));
    if (file !== undefined) add(result(`${id}-r${i}`, at + 3, `${id}-t${i}`, linesOf(...file), fields()));
  });
  return jsonl(lines);
}

/** This many answers, each of which reads what is there and writes 1,000 tokens more. */
function steady(count: number, from: number, rest: Partial<Answer> = {}): readonly Answer[] {
  return Array.from({ length: count }, (_, i) => ({
    after: 30,
    read: from + i * 1_000,
    written: 1_000,
    ...rest,
  }));
}

/** 30,000 tokens, ten quiet answers, a pause of two hours in which an entry of one hour ends, four more. */
export const LUNCH = answered({ id: 'lunch', cwd: '/code/shop' }, [
  { after: 0, read: 0, written: 30_000 },
  ...steady(5, 30_000),
  { after: 30, read: 35_000, written: 1_000, file: ['/code/shop/a.ts', 200] },
  ...steady(3, 36_000),
  { after: 30, read: 39_000, written: 1_000, file: ['/code/shop/a.ts', 200] },
  { after: 7_200, read: 0, written: 40_000 },
  ...steady(4, 40_000),
]);

/** Entries of five minutes: one ends in a pause of six, one is lost at once. */
export const SHORT = answered({ id: 'short', cwd: '/code/garden', day: 1, version: '2.0.76' }, [
  { after: 0, read: 0, written: 20_000, isShort: true },
  ...steady(3, 20_000, { isShort: true }),
  { after: 360, read: 0, written: 24_000, isShort: true },
  { after: 30, read: 0, written: 25_000, isShort: true },
  { after: 30, read: 25_000, written: 900, isShort: true, model: 'claude-opus-4-5' },
]);

/** Without a break. */
export const QUIET = answered({ id: 'quiet', cwd: '/code/garden', day: 9 }, [
  { after: 0, read: 0, written: 20_000 },
  ...steady(5, 20_000),
]);

/** Half an hour long, of a model that no price is known of. */
export const UNPRICED = answered({ id: 'unpriced', cwd: '/code/shop', day: 2 }, [
  { after: 0, read: 0, written: 9_000, model: 'their-model' },
  { after: 1_800, read: 9_000, written: 500, model: 'their-model' },
]);

const MODEL = { model: 'claude-sonnet-4-5' };
const called = (i: number, at: number, content: unknown, counts: Fields): Fields =>
  assistant(`a${i}`, at, `msg_${i}`, content, { ...MODEL, usage: counts });

/** A skill, an MCP server, a hook and instructions of a folder. */
export const SOURCES = jsonl([
  attachment('h', 0, {
    type: 'hook_additional_context',
    hookName: 'SessionStart',
    content: ['remember the milk '.repeat(9)],
  }),
  user('u0', 1, 'start the work on the page, please'),
  called(0, 10, ask('t0', 'Skill', { skill: 'draw' }), usage(10, 0, 20_000, 50)),
  result('r0', 20, 't0', 'Launching skill: draw'),
  user('k0', 21, say('Base directory for this skill: /skills/draw\n\nDraw carefully. '.repeat(4)), {
    isMeta: true,
    sourceToolUseID: 't0',
  }),
  called(1, 30, ask('t1', 'mcp__shop__list_items', {}), usage(10, 20_000, 400, 50)),
  result('r1', 40, 't1', 'one item '.repeat(60)),
  attachment('n1', 41, {
    type: 'nested_memory',
    path: '/repo/web/CLAUDE.md',
    content: { path: '/repo/web/CLAUDE.md', type: 'Project', content: 'Use tabs. '.repeat(30) },
  }),
  called(2, 50, say('Done.'), usage(10, 20_400, 500, 30)),
]);

/** Three answers of 50,000 tokens each, a compaction to 20,000, and two more; the file of the first is read again. */
export const COMPACTED = Buffer.concat([
  answered({ id: 'compacted', cwd: '/code/shop', day: 1 }, [
    { after: 0, read: 0, written: 50_000, file: ['/code/shop/a.ts', 900] },
    { after: 30, read: 50_000, written: 50_000 },
    { after: 30, read: 100_000, written: 50_000 },
  ]),
  jsonl([
    system('compacted-b', 86_400 + 90, 'compact_boundary', {
      ...{ sessionId: 'compacted', cwd: '/code/shop', logicalParentUuid: 'compacted-a2' },
      compactMetadata: { trigger: 'auto', preTokens: 150_060, postTokens: 20_000 },
    }),
    user('compacted-y', 86_400 + 90, 'The user looked at a.ts.', {
      ...{ sessionId: 'compacted', cwd: '/code/shop', isCompactSummary: true },
    }),
  ]),
  answered({ id: 'compacted', cwd: '/code/shop', day: 1, from: 3 }, [
    { after: 100, read: 12_000, written: 8_000, file: ['/code/shop/a.ts', 900] },
    { after: 30, read: 20_000, written: 7_000 },
  ]),
]);

/** Nearly everything that sessions are known to hold. */
export const ODD = jsonl(ODD_LINES);
