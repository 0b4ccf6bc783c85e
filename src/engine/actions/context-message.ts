import { entryOf } from '../../core/base/once.js';
import { ownValue } from '../../core/base/own-value.js';
import { type Block, createBlock } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import { lazyText } from '../../core/model/text.js';
import type { Notice, SystemPart } from '../../core/run/layer.js';
import type { ParamValues } from '../../core/run/params.js';
import type { RunningThread } from '../requests/running-thread.js';

/** Share of characters to tokens of memory files, which are prose. */
const CHARS_PER_MEMORY_TOKEN = 4;

/**
 * The system reminder with the context map that goes first (FLT-5): memory files in the order given, up to their common limit;
 * one that does not fit any more is left out. Null when the map is empty.
 */
export function contextMessage(
  params: ParamValues,
  at: number,
  sizes: ReadonlyMap<string, number> = new Map(),
): Message | null {
  const files = params['context.memoryFiles'] as Readonly<Record<string, number>> | undefined;
  const limit = params['context.memoryTokens'] as number;
  if (files === undefined) return null;
  let left = limit;
  const blocks = [];
  for (const [path, listed] of Object.entries(files)) {
    const tokens = sizes.get(path) ?? listed;
    if (tokens > left) continue;
    left -= tokens;
    const chars = tokens * CHARS_PER_MEMORY_TOKEN;
    const version = sizes.has(path) ? `, ${tokens} tokens` : '';
    const opening = `<system-reminder>\n${path}${version}\n`;
    blocks.push(
      createBlock({
        kind: 'text',
        role: 'user',
        tokens,
        text: lazyText(chars, () => opening.padEnd(chars, '.').slice(0, chars)),
        facts: { attachment: 'memory', path },
      }),
    );
  }
  return blocks.length === 0
    ? null
    : createMessage({ id: 'context', role: 'user', origin: 'context', blocks, at });
}

type Sizes = Map<string, number>;

/** The instruction files of a session: as they are now, and as its process has read them last (C50). */
class ContextFiles {
  constructor(
    private readonly listed: Readonly<Record<string, number>>,
    private readonly current: Sizes,
    /** Sizes in tokens of those that were changed, as the context shows them. */
    readonly shown: Sizes,
  ) {}

  /** A new session or a compaction reads them again. */
  render(): void {
    for (const [path, tokens] of this.current) this.shown.set(path, tokens);
  }

  /** Results of writes and edits change the file, not what the context shows of it. */
  note(message: Message, messages: readonly Message[]): void {
    for (const block of message.blocks) {
      if (block.kind !== 'tool_result' || block.facts.isError === true) continue;
      const call = callOf(block.toolUseId, messages);
      const path = call?.facts.path;
      const effect = call?.facts.effect;
      if (path === undefined || effect === undefined || !Object.hasOwn(this.listed, path)) continue;
      const before = this.current.get(path) ?? ownValue(this.listed, path)!;
      if (effect.kind === 'write') this.current.set(path, tokensOf(effect.chars));
      else if (effect.kind === 'edit')
        this.current.set(path, Math.max(0, before + tokensOf(effect.chars ?? 0)));
    }
  }
}

function tokensOf(chars: number): number {
  return Math.round(chars / CHARS_PER_MEMORY_TOKEN);
}

function callOf(toolUseId: string | null, messages: readonly Message[]) {
  for (let i = messages.length - 1; i >= 0; i--)
    for (const block of messages[i]!.blocks)
      if (block.kind === 'tool_use' && block.toolUseId === toolUseId) return block;
  return null;
}

/** The instruction files of the session that a thread belongs to. */
export function contextFiles({ env, session }: Pick<RunningThread, 'env' | 'session'>): ContextFiles {
  const listed = env.plan.policy.params['context.memoryFiles'] as
    | Readonly<Record<string, number>>
    | undefined;
  const current = entryOf(env.sessions.world, 'context-files', (): Sizes => new Map());
  const shown = entryOf(session.shared, 'context-files', (): Sizes => new Map());
  return new ContextFiles(listed ?? {}, current, shown);
}

/** The reminder of a history as it is rendered now; the one it had where nothing changed. */
export function renewedReminder(run: RunningThread, before: readonly Message[]): readonly Message[] {
  const had = before.filter(({ origin }) => origin === 'context');
  const files = contextFiles(run);
  if (run.isMain) files.render(); // CLN-2
  if (had.length === 0 || files.shown.size === 0) return had;
  const reminder = contextMessage(run.env.plan.policy.params, run.now, files.shown);
  return reminder === null ? [] : [reminder];
}

/**
 * Renders the parts of the system prompt that follow from the files. A main thread does so when its process starts and after a
 * compaction (CLN-1); a subagent's compaction leaves them alone (CLN-2).
 */
export function renderPrompt(run: RunningThread): void {
  if (run.isMain)
    for (const { systemPart } of run.env.layers) if (systemPart !== undefined) render(run, systemPart);
}

/** Whether a block of the system prompt is rendered from the files. */
export function isRendered({ env }: RunningThread, { facts: { attachment } }: Block): boolean {
  return attachment !== undefined && env.layers.some(({ systemPart }) => systemPart?.name === attachment);
}

function render(run: RunningThread, part: SystemPart): void {
  const { env, context } = run;
  const rendered = part.render(env.files, env.plan.policy.params);
  const note = ({ what, message, details }: Notice): void => run.note(what, message, details);
  if (rendered !== null && rendered.problem !== null) note(rendered.problem);
  const current = context.prefix.find((block) => block.facts.attachment === part.name) ?? null;
  const next = rendered?.block ?? null;
  if (current?.digest === next?.digest) return;
  const others = context.prefix.filter((block) => block !== current);
  context.replacePrefix(next === null ? others : [...others, next]);
  if (next === null || rendered === null) return;
  context.markFresh(next);
  note(rendered.entered);
}
