import { createRegistry, type Registry } from '../../core/base/registry.js';
import { RECORDED_SHAPE, type SessionShape } from './shape.js';
import { SCREENSHOT_TOOL } from './tools/tool-profiles.js';

/** A kind of session: what differs from the shape of recorded ones. */
export interface Workload {
  readonly name: string;
  readonly description: string;
  readonly shape: Partial<SessionShape>;
}

const ALL: readonly Workload[] = [
  { name: 'bugfix', description: 'The mix of recorded sessions: read, try, edit, run the tests.', shape: {} },
  {
    name: 'refactor',
    description: 'Long runs of reads, edits and writes over many files, few human prompts.',
    shape: {
      callsPerPrompt: { p: [0, 0.25, 0.5, 0.9, 0.99, 1], v: [1, 6, 14, 60, 150, 300] },
      toolWeights: { Read: 1.4, Edit: 1.8, Write: 2, Bash: 0.6 },
    },
  },
  {
    name: 'research',
    description: 'Searching and reading, in the repository and on the web, hardly an edit.',
    shape: {
      toolWeights: {
        Grep: 3,
        Glob: 4,
        Read: 1.6,
        WebFetch: 30,
        WebSearch: 30,
        Edit: 0.1,
        Write: 0.5,
        Bash: 0.5,
      },
    },
  },
  {
    name: 'long-idle',
    description: 'A human who comes back after minutes or hours, around the lifetimes of the cache.',
    shape: {
      callsPerPrompt: { p: [0, 0.5, 0.9, 1], v: [1, 4, 12, 40] },
      humanIdleSeconds: {
        p: [0, 0.25, 0.5, 0.75, 0.9, 0.99, 1],
        v: [30, 240, 600, 2_700, 5_400, 43_200, 172_800],
      },
    },
  },
  {
    name: 'image-heavy',
    description: 'Work on an interface: screenshots as tool results and in human prompts.',
    shape: { imagePromptShare: 0.4, toolWeights: { [SCREENSHOT_TOOL]: 1_800, Grep: 0.5 } },
  },
  {
    name: 'parallel-tools',
    description: 'Responses that call several tools at once.',
    shape: {
      toolCallsPerResponse: {
        p: [0, 0.25, 0.2501, 0.5, 0.5001, 0.75, 0.7501, 1],
        v: [1, 1, 2, 2, 3, 4, 5, 10],
      },
      toolWeights: { Read: 1.8, Grep: 2 },
    },
  },
  {
    name: 'huge-outputs',
    description: 'Logs, dumps and large files: results eight times the recorded size.',
    shape: { resultScale: 8, toolWeights: { Bash: 1.4, Read: 1.4 } },
  },
];

/** The workloads by name. */
export const WORKLOADS: Registry<Workload> = createRegistry(
  'workload',
  ALL.map((workload) => [workload.name, workload]),
);

/** The shape of a workload with overrides: tool weights are merged, everything else replaced. */
export function shapeOf(workload: string, overrides: Partial<SessionShape> = {}): SessionShape {
  const { shape } = WORKLOADS.get(workload);
  const toolWeights = { ...RECORDED_SHAPE.toolWeights, ...shape.toolWeights, ...overrides.toolWeights };
  return { ...RECORDED_SHAPE, ...shape, ...overrides, toolWeights };
}
