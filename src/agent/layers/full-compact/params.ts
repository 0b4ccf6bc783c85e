import type { ParamSpec } from '../../../core/run/params.js';
import { choiceParam, integerParam, switchParam } from '../support/param-reader.js';

/** Name for the thread's own model. */
export const OWN_MODEL = 'thread';

/** Parameters of full compaction (FUL) and of the guards around it (BRK). */
export const FULL_COMPACT_PARAMS: readonly ParamSpec[] = [
  choiceParam(
    'compact.summariser',
    ['fork', 'own'],
    'Who summarises: a fork with the main prefix, or a call with a system prompt of its own (FUL-4).',
  ),
  switchParam('compact.forkWrites', false, 'Whether the forked summariser writes cache entries (FUL-4).'),
  choiceParam(
    'compact.fallback',
    ['direct', 'none'],
    'What follows a failed fork: a direct call, or nothing (FUL-4).',
  ),
  switchParam(
    'compact.fallbackOnTooLong',
    false,
    'Whether a fork that is too long is followed by the direct call before each cut, as after other failures (2.1.112).',
  ),
  integerParam('compact.maxOutputTokens', 20_000, 'tokens', 'Output cap of a direct summary call (FUL-4).'),
  integerParam(
    'compact.forkMaxOutputTokens',
    null,
    'tokens',
    'Output cap of a forked summary call; null sets none (FUL-4).',
    { min: 1 },
  ),
  integerParam('compact.ownSystemTokens', 60, 'tokens', 'System prompt of a summariser with its own.'),
  integerParam('compact.ownToolTokens', 900, 'tokens', 'The one tool a summariser of its own carries.'),
  {
    path: 'compact.model',
    kind: { type: 'model', own: OWN_MODEL },
    default: OWN_MODEL,
    unit: null,
    help: `Model of the summary call; \`${OWN_MODEL}\` is the thread's own, any other shares no cache (C20).`,
  },
  integerParam(
    'compact.quoteTokens',
    2_000,
    'tokens',
    'A message of the user that is longer is quoted in the summary by its head and tail (INV-14).',
    { min: 1 },
  ),
  choiceParam(
    'compact.strip',
    ['none', 'direct'],
    'Whether a direct summary call goes without images, documents and attachments that come back by themselves (FUL-1).',
  ),
  integerParam(
    'compact.regenerations',
    0,
    'attempts',
    'How often an empty or invalid summary is asked for again, apart from retries of transient errors (2.1: 2).',
  ),
  switchParam(
    'compact.resendWithoutStreaming',
    false,
    'Whether a failed summary call is sent once more without streaming.',
  ),
  integerParam('compact.keepLastRounds', 0, 'rounds', 'API rounds at the end that stay verbatim.'),
  choiceParam(
    'compact.scratchpad',
    ['drop', 'keep'],
    'Whether the analysis before the summary enters the new context (FUL-3).',
  ),
  choiceParam(
    'compact.tooLong',
    ['head', 'tail', 'none'],
    'Which end is cut when the summary request itself is too long (FUL-6).',
  ),
  integerParam(
    'compact.tooLongRetries',
    3,
    'attempts',
    'How often a too long summary request is cut and tried again (FUL-6).',
  ),
  {
    path: 'compact.tooLongShare',
    kind: { type: 'number', min: 0.01, max: 1 },
    default: 0.2,
    unit: 'share',
    help: 'Share of the rounds that is cut when the error does not say how much is too much (FUL-6).',
  },
  integerParam(
    'compact.tailMinMessages',
    3,
    'messages',
    'Cutting from the tail ends with this many messages.',
  ),
  switchParam('compact.rejectEmpty', true, 'Whether an empty summary is a failure (FUL-7).'),
  switchParam(
    'compact.rejectCut',
    true,
    'Whether a summary that ran into its output limit is a failure; else it counts as one without its tags.',
  ),
  switchParam(
    'compact.askAgainUntagged',
    false,
    'Whether a summary without its tags is asked for once more.',
  ),
  switchParam(
    'compact.autonomous',
    false,
    'Autonomous mode: the summary says to go on with the work loop (FUL-3).',
  ),
  integerParam(
    'breaker.maxFailures',
    3,
    'failures',
    'Consecutive failures after which no more automatic attempts are made; null never stops (BRK-1).',
    {
      nullable: true,
      min: 1,
    },
  ),
  choiceParam('breaker.scope', ['session', 'prompt'], 'How long the breaker stays open (BRK-1).'),
  integerParam(
    'thrash.maxRefills',
    null,
    'compactions',
    'The run ends at the trigger after so many compactions that refilled at once; null never.',
    {
      min: 1,
    },
  ),
  integerParam(
    'thrash.withinTurns',
    3,
    'turns',
    'A compaction whose context refills within this many turns counts as thrash.',
  ),
  integerParam(
    'thrash.chainTurns',
    3, // C37
    'turns',
    'A compaction within this many turns of the previous one is told as part of a chain (BRK-4).',
  ),
  {
    path: 'autoCompact.exceptModels',
    kind: { type: 'names' },
    default: [],
    unit: null,
    help: 'Models on which the client compacts by itself only when the user set a window (2.1.325 has such).',
  },
  switchParam('autoCompact.subagents', false, 'Whether subagents compact by themselves (FLG-2 says never).'),
];
