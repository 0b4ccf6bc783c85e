// Tells what a client's request is for.

const ASKS_FOR_SUMMARY = /\b(create|write) a (detailed )?summary of (the|this|our) conversation\b/i;

function lastText(body) {
  const content = body.messages?.at(-1)?.content ?? '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function textsOf({ content }) {
  return typeof content === 'string' ? [content] : content.flatMap(({ text }) => text ?? []);
}

/** The number of the subtask that a subagent's request is about; null for others. */
export function subtaskOf(body) {
  const texts = (body.messages ?? []).filter(({ role }) => role === 'user').flatMap(textsOf);
  for (const text of texts) {
    const found = /\bSubtask (\d+): /.exec(text);
    if (found !== null) return Number(found[1]);
  }
  return null;
}

/** What a request is for: `main`, `agent` (of a subagent), `summary` or `side`. */
export function kindOf(body, mainModel) {
  if (ASKS_FOR_SUMMARY.test(lastText(body))) return 'summary';
  const hasTools = (body.tools ?? []).some(({ name }) => name === 'Read');
  if (!hasTools || body.model !== mainModel) return 'side';
  return subtaskOf({ messages: body.messages.slice(0, 1) }) === null ? 'main' : 'agent';
}
