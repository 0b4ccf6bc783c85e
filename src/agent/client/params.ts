import type { ParamSpec } from '../../core/run/params.js';
import { AS_CLIENT, type Habit } from './habits.js';

const HABITS: Readonly<Record<Habit, { readonly values: readonly string[]; readonly help: string }>> = {
  breakpoints: {
    values: ['system+last', 'system+last-two', 'none'],
    help: 'Where cache breakpoints go: the system prompt and the last message, or the last two messages.',
  },
  thinking: {
    values: ['model', 'keep-all'],
    help: 'Earlier thinking: what the model keeps by itself, or all of it as the client asks (clear_thinking, keep all).',
  },
  suggestions: {
    values: ['off', 'end-of-turn'],
    help: 'Whether a request that no transcript shows follows each turn and leaves the response in the cache.',
  },
  thinkingSwitch: {
    values: ['constant', 'by-speaker'],
    help: 'Whether prompts, commands and skills switch thinking on and off, and with it the messages level of the cache (K1).',
  },
  toolLoading: {
    values: ['stable', 'first-search'],
    help: 'Whether the first search for a tool in a process changes the tools (K2).',
  },
  newProcess: {
    values: ['same', 'as-first'],
    help: 'What a recorded new process finds in the cache: everything, or what the first request of its session found (K3).',
  },
  record: {
    values: ['whole', 'parent-chain'],
    help: 'How a process that takes a session up reads its record: whole, or along its parents without parallel results (K12).',
  },
  fallback: {
    values: ['same', 'own-variant'],
    help: 'Whether a response in one piece uses the cache entries of streamed ones, or some of its own (K4).',
  },
  lookback: {
    values: ['documented', 'observed'],
    help: 'How far back a breakpoint finds an entry: 19 added blocks, or 20 without those of thinking (K7).',
  },
  images: {
    values: ['break', 'keep'],
    help: 'Whether the first image of a conversation makes its messages cold (documented) or does not (K10).',
  },
  firstRequest: {
    values: ['cold', 'recorded'],
    help: 'What the first request of a thread finds: nothing, or what the recorded one found (K11). In caches without marks, what was recorded, unless this says `cold`.',
  },
  lifetimes: {
    values: ['documented', 'observed'],
    help: 'How long entries last where cache.fade leaves it to the client: as documented, or as recorded.',
  },
  outside: {
    values: ['cold', 'half'],
    help: 'Whether system and tools may be warm from other sessions after an hour, every second time where they were at first.',
  },
  hazard: {
    values: ['off', 'drawn'],
    help: 'Breaks that nothing foretells (K14): left out, or drawn by the seed. Intervals are stated either way.',
  },
};

/** The parameters of a client: which one it is, and each habit that a scenario may set apart from it. */
export const CLIENT_PARAMS: readonly ParamSpec[] = [
  {
    path: 'client.use',
    kind: { type: 'text' },
    default: 'none',
    unit: null,
    help: 'Whose habits towards the cache hold: a client by name (`ccbench policies clients`), `recorded`, or `none` for the bare API.',
  },
  ...Object.entries(HABITS).map(
    ([habit, { values, help }]): ParamSpec => ({
      path: `client.${habit}`,
      kind: { type: 'choice', values: [AS_CLIENT, ...values] },
      default: AS_CLIENT,
      unit: null,
      help: `${help} \`${AS_CLIENT}\`: as the client does.`,
    }),
  ),
];
