import type { Random } from '../../base/random.js';
import { compileDistribution, type Distribution, type Sampler } from './distribution.js';
import type { SessionShape } from './shape.js';
import { TOOL_PROFILES, type ToolProfile } from './tool-profiles.js';

/** A tool with its distributions ready. */
export interface ToolSampler {
  readonly profile: ToolProfile;
  inputChars(): number;
  resultChars(): number;
  latencyMs(): number;
  fails(): boolean;
}

/** The random side of a session: one generator per purpose, so one distribution never shifts another. */
export interface Samplers {
  callsPerPrompt(): number;
  humanIdleMs(): number;
  humanPromptChars(): number;
  /** Output of the next response; the tools drawn after it go with it. */
  outputTokens(): number;
  toolCalls(): number;
  firstPromptTokens(): number;
  /** Characters per token of a text of so many characters: short ones hold more tokens for their length. */
  charsPerToken(chars: number): number;
  imageTokens(): number;
  promptHasImage(): boolean;
  thinks(): boolean;
  tool(): ToolSampler;
  toolNamed(name: string): ToolSampler;
  readonly files: Random;
}

/** Input sizes around the recorded median, of which no other quantile is known. */
const INPUT_SPREAD = { p: [0, 0.5, 0.9, 1], v: [0.3, 1, 2.5, 8] } as const;

/** Median size of a recorded tool result, all tools together (tool-stats). */
const MEDIAN_CHARS = 300;

/** Share of texts whose density follows their size; set so that the growth per call meets E6. */
const DENSITY_BY_SIZE = 0.5;

/** Prepares the distributions of a shape. */
export function createSamplers(shape: SessionShape, random: Random): Samplers {
  const draw = (label: string, distribution: Distribution): (() => number) => {
    const sample = compileDistribution(label, distribution);
    const stream = random.split(label);
    return () => sample(stream.next());
  };
  const whole = (label: string, distribution: Distribution, low: number): (() => number) => {
    const sample = draw(label, distribution);
    return () => Math.max(low, Math.round(sample()));
  };
  const chance = (label: string, probability: number): (() => boolean) => {
    const stream = random.split(label);
    return () => stream.chance(probability);
  };
  const idleSeconds = draw('humanIdleSeconds', shape.humanIdleSeconds);
  const tools = toolSamplers(shape, random);
  const chooseTool = toolChoice(tools, shape, random.split('tool'));
  const output = compileDistribution('outputTokens', shape.outputTokens);
  const outputs = random.split('outputTokens');
  let outputShare = 0;
  const density = compileDistribution('charsPerToken', shape.charsPerToken);
  const densities = random.split('charsPerToken');
  return {
    callsPerPrompt: whole('callsPerPrompt', shape.callsPerPrompt, 1),
    humanIdleMs: () => Math.round(idleSeconds() * 1_000),
    humanPromptChars: whole('humanPromptChars', shape.humanPromptChars, 1),
    outputTokens() {
      outputShare = outputs.next();
      return Math.max(1, Math.round(output(outputShare)));
    },
    toolCalls: whole('toolCallsPerResponse', shape.toolCallsPerResponse, 1),
    firstPromptTokens: whole('firstPromptTokens', shape.firstPromptTokens, 1),
    charsPerToken(chars) {
      const u = densities.next();
      const rank = chars / (chars + MEDIAN_CHARS);
      return density(u < DENSITY_BY_SIZE ? rank : (u - DENSITY_BY_SIZE) / (1 - DENSITY_BY_SIZE));
    },
    imageTokens: whole('imageTokens', shape.imageTokens, 1),
    promptHasImage: chance('imagePrompt', shape.imagePromptShare),
    thinks: chance('thinking', shape.thinkingShare),
    tool: () => chooseTool(outputShare),
    toolNamed: (name) => tools.find((tool) => tool.profile.name === name)!,
    files: random.split('files'),
  };
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
  const weights = tools.map(({ profile }) => profile.share * (shape.toolWeights[profile.name] ?? 1));
  const leans = tools.map(({ profile }) => profile.lean);
  return (outputShare) => {
    const side = 1 - 2 * outputShare;
    let total = 0;
    for (let i = 0; i < tools.length; i++) total += weights[i]! * (1 + leans[i]! * side);
    let mark = random.next() * total;
    for (let i = 0; i < tools.length; i++) {
      mark -= weights[i]! * (1 + leans[i]! * side);
      if (mark < 0) return tools[i]!;
    }
    return tools[0]!;
  };
}

function toolSamplers(shape: SessionShape, random: Random): readonly ToolSampler[] {
  const streams = {
    input: random.split('input'),
    result: random.split('result'),
    latency: random.split('latency'),
  };
  const errors = random.split('error');
  const spread = compileDistribution('inputChars', INPUT_SPREAD);
  return TOOL_PROFILES.map((profile) => {
    const result: Sampler = compileDistribution(`${profile.name} result`, profile.resultChars);
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
