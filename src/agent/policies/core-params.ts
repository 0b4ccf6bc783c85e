import type { ParamSpec } from '../../core/run/params.js';
import { CLIENT_PARAMS } from '../client/client.js';

/** Parameters of the client itself: its habits towards the cache, how it counts and tries again. */
export const CORE_PARAMS: readonly ParamSpec[] = [
  ...CLIENT_PARAMS,
  {
    path: 'counter.newContent',
    kind: { type: 'choice', values: ['none', 'rough', 'padded'] },
    default: 'rough',
    unit: null,
    help: 'What is added to the latest usage for newer messages: nothing, characters / 4, or that padded by 4/3.',
  },
  {
    path: 'counter.jsonBytesPerToken',
    kind: { type: 'number', min: 0.5, max: 16, nullable: true },
    default: null,
    unit: 'bytes/token',
    help: 'Bytes counted as one token in JSON-like text; null counts it like other text.',
  },
  {
    path: 'counter.toolUse',
    kind: { type: 'choice', values: ['name-and-input', 'whole-block'] },
    default: 'name-and-input',
    unit: null,
    help: 'What of a tool call the estimate counts: its name and JSON input, or the JSON of the whole block (TOK-3).',
  },
  {
    path: 'counter.plainStrings',
    kind: { type: 'choice', values: ['counted', 'zero'] },
    default: 'counted',
    unit: null,
    help: 'Whether the estimate counts messages whose content is a plain string: typed prompts, summaries (TOK-3).',
  },
  {
    path: 'client.retries',
    kind: { type: 'integer', min: 0, max: 100 },
    default: 10,
    unit: 'attempts',
    help: 'How often the client tries again after a transient error, waiting 0.5 s, 1 s, 2 s … up to 32 s.',
  },
  {
    path: 'client.resume',
    kind: { type: 'choice', values: ['identical', 'new-system', 'new-content'] },
    default: 'identical',
    unit: null,
    help: 'What a resumed session sends: the same bytes, a system prompt rendered anew, or its first words in another form. What of it is still cached also depends on client.newProcess.',
  },
  {
    path: 'client.resendWithoutStreaming',
    kind: { type: 'switch' },
    default: false,
    unit: null,
    help: 'Whether a main request refused as too long is sent once more without streaming (2.0.76, 2.1.7).',
  },
  {
    path: 'context.memoryFiles',
    kind: { type: 'table' },
    default: {},
    unit: 'tokens',
    help: 'Memory files that go first in every conversation, by path and size (FLT-5).',
  },
  {
    path: 'context.memoryTokens',
    kind: { type: 'integer', min: 0, max: 1_000_000 },
    default: 40_000,
    unit: 'tokens',
    help: 'Limit of all those memory files together (FLT-5).',
  },
  {
    path: 'window.beta1m',
    kind: { type: 'switch' },
    default: false,
    unit: null,
    help: 'The client asks for the 1M beta: models that support it take 1,000,000 tokens (WIN-1).',
  },
  {
    path: 'window.bounded',
    kind: { type: 'switch' },
    default: true,
    unit: null,
    help: 'Whether the model refuses prompts longer than its window; off is the upper bound for comparisons.',
  },
];
