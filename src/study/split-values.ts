const OPEN = '[{(';
const CLOSE = ']})';

/** Splits a list at its commas, except those inside brackets or quotes; parts are trimmed. */
export function splitValues(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote: string | null = null;
  let part = '';
  for (const char of text) {
    if (quote !== null) {
      if (char === quote) quote = null;
    } else if (char === '"' || char === "'") quote = char;
    else if (OPEN.includes(char)) depth++;
    else if (CLOSE.includes(char)) depth--;
    else if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
      continue;
    }
    part += char;
  }
  parts.push(part.trim());
  return parts;
}
