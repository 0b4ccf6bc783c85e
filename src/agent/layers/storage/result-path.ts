/** A name as one part of a path: no separators, no leading dot. */
function pathPart(name: string): string {
  return encodeURIComponent(name).replace(/^\./, '%2E');
}

/** Where a tool result is kept in full (STO-1). */
export function resultPath(thread: string, toolUseId: string): string {
  return `tool-results/${pathPart(thread)}/${pathPart(toolUseId)}.txt`;
}
