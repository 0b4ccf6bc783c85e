import { parseObject } from './json-lines.js';
import type { JsonObject } from './narrow.js';

/** Lines of a head that are looked at. */
const PROBED_LINES = 20;

/** The objects among the first lines of a file; a line that the head cuts off is none. */
export function headLines(head: string): readonly JsonObject[] {
  return head
    .split('\n', PROBED_LINES)
    .map(parseObject)
    .filter((value) => value !== null);
}
