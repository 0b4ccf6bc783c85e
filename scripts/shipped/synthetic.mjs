// @ts-check
// What generated sessions are drawn from: src/transcripts/synthetic/synthetic.yaml, checked.
import { z } from 'zod';

const share = z.number().min(0).max(1);
const amounts = z.array(z.number().min(0));
const rising = (/** @type {readonly number[]} */ list) =>
  list.every((value, i) => i === 0 || value >= (list[i - 1] ?? 0));
const quantiles = z
  .strictObject({ p: z.array(share), v: amounts })
  .refine(
    ({ p, v }) => p.length === v.length && p[0] === 0 && p.at(-1) === 1 && rising(p) && rising(v),
    'p rises from 0 to 1, v never falls',
  );
const weights = z.record(z.string(), z.number().min(0));
const value = z.union([z.number().min(0), quantiles, weights]);

const table = z.strictObject({
  shape: z.record(z.string(), z.strictObject({ what: z.string().regex(/[.]$/), is: value })),
  workloads: z.array(
    z.strictObject({ name: z.string(), description: z.string(), shape: z.record(z.string(), value) }),
  ),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      share,
      errors: share,
      input: z.int().min(0),
      result: amounts.length(8).refine(rising),
      seconds: amounts.length(3).refine(rising),
      style: z.enum(['code', 'output', 'words']),
      group: z.enum(['plain', 'skill', 'todo', 'mcp', 'plan']).default('plain'),
      images: z.int().min(0).default(0),
    }),
  ),
  inputSpread: quantiles,
  contentSpread: z.record(z.string(), quantiles),
  smallestResultChars: z.int().positive(),
  statements: z.array(z.string().min(1)),
  facts: z.record(z.string(), z.unknown()),
});

/** Inputs as large as the median one (Bash) lean to neither side. */
function leanOf(/** @type {number} */ input) {
  if (input < 147) return 1;
  return input > 500 ? -1 : 0;
}

function typeOf(/** @type {z.infer<typeof value>} */ is) {
  if (typeof is === 'number') return 'number';
  return 'p' in is ? 'Distribution' : 'Readonly<Record<string, number>>';
}

/** The module of synthetic.yaml: the type of a session's shape, the recorded one, the workloads, the tools and what users say. */
export function syntheticModule(/** @type {unknown} */ written) {
  const { shape, workloads, tools, inputSpread, contentSpread, smallestResultChars, statements, facts } =
    table.parse(written);
  const fields = Object.entries(shape);
  for (const { name, shape: changes } of workloads)
    for (const field of Object.keys(changes))
      if (shape[field] === undefined) throw new Error(`the workload ${name} has an unknown field ${field}`);
  const profiles = tools.map(({ name, share, errors, input, result, seconds, style, group, images }) => ({
    name,
    share,
    errorRate: errors,
    inputCharsP50: input,
    inputSpread: contentSpread[name] ?? inputSpread,
    resultChars: {
      p: [0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
      v: [Math.min(result[0] ?? 0, smallestResultChars), ...result],
    },
    latencySeconds: { p: [0, 0.5, 0.9, 0.99, 1], v: [(seconds[0] ?? 0) / 4, ...seconds, seconds[2]] },
    style,
    group,
    lean: leanOf(input),
    images,
  }));
  const recorded = Object.fromEntries(fields.map(([name, { is }]) => [name, is]));
  const lines = (/** @type {readonly unknown[]} */ list) =>
    list.map((item) => `  ${JSON.stringify(item)},`).join('\n');
  return `import type { Distribution, QuantileTable } from './distribution.js';

/** Everything about a generated session that is drawn at random. */
export interface SessionShape {
${fields.map(([name, { what, is }]) => `  /** ${what} */\n  readonly ${name}: ${typeOf(is)};`).join('\n')}
}

/** A kind of session: what differs from the shape of recorded ones. */
export interface Workload {
  readonly name: string;
  readonly description: string;
  readonly shape: Partial<SessionShape>;
}

/** The shape of recorded sessions. */
export const RECORDED_SHAPE: SessionShape = ${JSON.stringify(recorded)};

/** Kinds of sessions. */
export const SHIPPED_WORKLOADS: readonly Workload[] = [
${lines(workloads)}
];

/** How a tool shows in recorded sessions: how often, how large its input and result, how slow, how often it fails. */
export interface ToolProfile {
  readonly name: string;
  /** Share of all tool calls. */
  readonly share: number;
  readonly errorRate: number;
  readonly inputCharsP50: number;
  /** Input sizes around that median. */
  readonly inputSpread: QuantileTable;
  readonly resultChars: QuantileTable;
  readonly latencySeconds: QuantileTable;
  /** What the tool's result looks like. */
  readonly style: 'code' | 'output' | 'words';
  /** What decides how often it is called: the mix of plain work, or a share of its own. */
  readonly group: 'plain' | 'skill' | 'todo' | 'mcp' | 'plan';
  /** From -1 (goes with long outputs) to 1 (goes with short ones); by the size of the input. */
  readonly lean: number;
  /** Images in each result. */
  readonly images: number;
}

/** The tools that sessions call, the most used first. */
export const TOOL_PROFILES: readonly ToolProfile[] = [
${lines(profiles)}
];

/** What users say besides the task. */
export const STATEMENTS: readonly string[] = [
${lines(statements)}
];

/** What the generator goes by. */
export const FACTS = ${JSON.stringify(facts)} as const;
`;
}
