import { ownValue } from '../../core/base/own-value.js';
import type { Random } from '../../core/base/random.js';
import { sum } from '../../core/base/stats.js';
import { compileDistribution, type Distribution, type Sampler } from './distribution.js';
import { FACTS, type SessionShape, TOOL_PROFILES, type ToolProfile } from './synthetic.generated.js';

/** A tool with its distributions ready. */
export interface ToolSampler {
  readonly profile: ToolProfile;
  inputChars(): number;
  resultChars(): number;
  latencyMs(): number;
  fails(): boolean;
}

/** Why a tool is called: as part of the plain work, or for one of the things that have a share of their own. */
export interface ToolPick {
  readonly tool: ToolSampler;
  readonly as: 'plain' | 'skill' | 'todo' | 'mcp' | 'background' | 'memory';
}

/** The random side of a session. */
export type Samplers = ReturnType<typeof createSamplers>;

/** Prepares the distributions of a shape: one generator per purpose, so one distribution never shifts another. */
export function createSamplers(shape: SessionShape, random: Random) {
  const draw = (label: string, distribution: Distribution): (() => number) => {
    const sample = compileDistribution(label, distribution);
    const stream = random.split(label);
    return () => sample(stream.next());
  };
  const whole = (label: string, distribution: Distribution): (() => number) => {
    const sample = draw(label, distribution);
    return () => Math.max(1, Math.round(sample()));
  };
  const chance = (label: string, probability: number): (() => boolean) => {
    const stream = random.split(label);
    return () => stream.chance(probability);
  };
  const idleSeconds = draw('humanIdleSeconds', shape.humanIdleSeconds);
  const tools = toolSamplers(shape, random);
  const chooseTool = toolChoice(
    tools.filter(({ profile }) => profile.group === 'plain'),
    shape,
    random.split('tool'),
  );
  const pick = picker(shape, random, tools);
  const named = new Map(tools.map((tool) => [tool.profile.name, tool]));
  const output = compileDistribution('outputTokens', shape.outputTokens);
  const outputs = random.split('outputTokens');
  let outputShare = 0;
  const density = (label: string): ((chars: number) => number) => {
    const sample = compileDistribution('charsPerToken', shape.charsPerToken);
    const stream = random.split(label);
    return (chars) => {
      const u = stream.next();
      const rank = chars / (chars + FACTS.medianResultChars);
      return sample(u < FACTS.densityBySize ? rank : (u - FACTS.densityBySize) / (1 - FACTS.densityBySize));
    };
  };
  const thinking = random.split('thinking');
  const thinkingPart = draw('thinkingPart', shape.thinkingPart);
  const parts = random.split('partial read');
  return {
    callsPerPrompt: whole('callsPerPrompt', shape.callsPerPrompt),
    /** Calls that follow a notice from the background. */
    callsPerNotice: whole('callsPerNotice', FACTS.callsPerNotice),
    humanIdleMs: () => Math.round(idleSeconds() * 1_000),
    humanPromptChars: whole('humanPromptChars', shape.humanPromptChars),
    /** Output of the next response; the tools drawn after it go with it. */
    outputTokens(): number {
      outputShare = outputs.next();
      return Math.max(1, Math.round(output(outputShare)));
    },
    toolCalls: whole('toolCallsPerResponse', shape.toolCallsPerResponse),
    firstPromptTokens: whole('firstPromptTokens', shape.firstPromptTokens),
    /** Characters per token of a text of this many characters: short ones hold more tokens for their length. */
    charsPerToken: density('charsPerToken'),
    /** The same for what the model says, for what it thinks, and for what its client puts in. */
    spokenCharsPerToken: density('spoken density'),
    thoughtCharsPerToken: density('thought density'),
    addedCharsPerToken: density('added density'),
    imageTokens: whole('imageTokens', shape.imageTokens),
    promptHasImage: chance('imagePrompt', shape.imagePromptShare),
    /** Share of the next response that is thinking; 0 when it does not think. */
    thinkingPart(): number {
      const part = thinkingPart();
      const share = shape.thinkingShare;
      const lean = Math.min(share, 1 - share) * FACTS.thinkingLean;
      return thinking.chance(share + lean * (2 * outputShare - 1)) ? part : 0;
    },
    /** Whether a read of this many characters is of a part. */
    readsPart(chars: number): boolean {
      const rank = chars / (chars + FACTS.medianReadChars);
      return parts.chance(shape.partialReadShare * (1 + FACTS.partsLean * (1 - 2 * rank)));
    },
    pick: (): ToolPick => pick(chooseTool(outputShare)),
    toolNamed: (name: string): ToolSampler => named.get(name)!,
    files: random.split('files'),
  };
}

/**
 * Decides what a tool call is for: each purpose has a share of all calls and draws for itself at every call, so that one
 * that is switched off leaves the others as they are.
 */
function picker(
  shape: SessionShape,
  random: Random,
  tools: readonly ToolSampler[],
): (plain: ToolSampler) => ToolPick {
  const named = (name: string): ToolSampler => tools.find((tool) => tool.profile.name === name)!;
  const weight = (name: string): number => ownValue(shape.toolWeights, name) ?? 1;
  const servers = tools.flatMap((tool): [ToolSampler, number][] =>
    tool.profile.group === 'mcp' ? [[tool, tool.profile.share * weight(tool.profile.name)]] : [],
  );
  const server = random.split('mcp tool');
  const purposes = (
    [
      ['skill', shape.skillShare, () => named('Skill')],
      ['todo', shape.todoShare, () => named('TodoWrite')],
      ['mcp', shape.mcpShare, () => server.weighted(servers)],
      ['background', shape.backgroundShare, () => named(FACTS.subagentTool)],
      ['memory', shape.memoryWriteShare, () => named('Write')],
    ] as const
  ).map(([as, share, tool]) => new Purpose(as, share, tool, random.split(as)));
  return (plain) => {
    let found: Purpose | null = null;
    for (const purpose of purposes) if (purpose.isDue()) found ??= purpose;
    return found === null ? { tool: plain, as: 'plain' } : { tool: found.tool(), as: found.as };
  };
}

/** Something that a share of the tool calls is for: it draws how many calls come before the next one. */
class Purpose {
  #before: number;

  constructor(
    readonly as: ToolPick['as'],
    private readonly share: number,
    readonly tool: () => ToolSampler,
    private readonly random: Random,
  ) {
    this.#before = this.gap();
  }

  /** Whether this call is one of them. */
  isDue(): boolean {
    if (this.#before-- > 0) return false;
    this.#before = this.gap();
    return true;
  }

  private gap(): number {
    if (this.share <= 0) return Number.POSITIVE_INFINITY;
    return this.share >= 1 ? 0 : Math.floor(Math.log(1 - this.random.next()) / Math.log(1 - this.share));
  }
}

/**
 * Chooses tools by their share. Tools with a small input go with short outputs, those with a large one with long outputs,
 * by a lean that leaves both the shares and the distribution of outputs as they are.
 */
function toolChoice(
  tools: readonly ToolSampler[],
  shape: SessionShape,
  random: Random,
): (outputShare: number) => ToolSampler {
  const shares = tools.map(({ profile }) => profile.share * (ownValue(shape.toolWeights, profile.name) ?? 1));
  const leans = tools.map(({ profile }) => profile.lean);
  const weights = balanced(shares, leans);
  const drawn = new Float64Array(tools.length);
  return (outputShare) => {
    const side = 1 - 2 * outputShare;
    let total = 0;
    for (let i = 0; i < tools.length; i++) {
      const lean = 1 + leans[i]! * side;
      drawn[i] = weights[i]! * lean * lean;
      total += drawn[i]!;
    }
    let mark = random.next() * total;
    for (let i = 0; i < tools.length; i++) {
      mark -= drawn[i]!;
      if (mark < 0) return tools[i]!;
    }
    return tools[0]!;
  };
}

const BALANCE_ROUNDS = 3;
const BALANCE_STEPS = 24;

/** Weights by which tools that lean are chosen as often as their shares say, over all outputs together. */
function balanced(shares: readonly number[], leans: readonly number[]): Float64Array {
  const weights = Float64Array.from(shares);
  const total = sum(shares);
  const found = new Float64Array(shares.length);
  for (let round = 0; round < BALANCE_ROUNDS; round++) {
    found.fill(0);
    for (let step = 0; step < BALANCE_STEPS; step++) {
      const side = 1 - (2 * (step + 0.5)) / BALANCE_STEPS;
      let sum = 0;
      for (let i = 0; i < shares.length; i++) sum += weights[i]! * (1 + leans[i]! * side) ** 2;
      for (let i = 0; i < shares.length; i++)
        found[i]! += (weights[i]! * (1 + leans[i]! * side) ** 2) / (sum * BALANCE_STEPS);
    }
    for (let i = 0; i < shares.length; i++) if (found[i]! > 0) weights[i]! *= shares[i]! / total / found[i]!;
  }
  return weights;
}

function toolSamplers(shape: SessionShape, random: Random): readonly ToolSampler[] {
  const streams = {
    input: random.split('input'),
    result: random.split('result'),
    latency: random.split('latency'),
  };
  const errors = random.split('error');
  return TOOL_PROFILES.map((profile) => {
    const result: Sampler = compileDistribution(`${profile.name} result`, profile.resultChars);
    const spread: Sampler = compileDistribution(`${profile.name} input`, profile.inputSpread);
    const latency: Sampler = compileDistribution(`${profile.name} latency`, profile.latencySeconds);
    return {
      profile,
      inputChars: () => Math.max(1, Math.round(profile.inputCharsP50 * spread(streams.input.next()))),
      resultChars: () => Math.max(1, Math.round(shape.resultScale * result(streams.result.next()))),
      latencyMs: () => Math.round(latency(streams.latency.next()) * 1_000),
      fails: () => errors.chance(profile.errorRate),
    };
  });
}
