import type { Block } from '../../core/model/block.js';
import type { Notice, SystemPart } from '../../core/run/layer.js';
import type { RunningThread } from '../requests/running-thread.js';

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
