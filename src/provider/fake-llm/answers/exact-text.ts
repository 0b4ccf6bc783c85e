/** Stands where the blocks have no more to tell. */
const FILLER = 'No further detail of this part is on record. ';

/** What may have to go from a text on one line. */
const UNEVEN = /[\s<]/;
const TAG = /<\/?(analysis|summary)>/g;

/** Characters looked at for an excerpt. */
export const EXCERPT_LOOK_CHARS = 600;

/** The first N characters, never half a surrogate pair nor white space at the end. */
function cutText(text: string, chars: number): string {
  if (chars <= 0) return '';
  if (text.length < chars) return text;
  const kept = text.slice(0, chars);
  const last = kept.charCodeAt(chars - 1);
  const half = last >= 0xd800 && last <= 0xdbff;
  return half || /\s/.test(kept[chars - 1]!) ? `${kept.slice(0, -1)}.` : kept;
}

/** Lines cut or filled up to exactly this many characters; `more` is drawn on when the lines do not suffice. */
export function exactText(lines: readonly string[], chars: number, more?: Iterable<string>): string {
  let text = lines.join('\n');
  if (text.length < chars && more !== undefined) {
    for (const line of more) {
      text += text === '' ? line : `\n${line}`;
      if (text.length >= chars) break;
    }
  }
  if (text.length < chars) {
    if (text !== '') text += '\n';
    text += FILLER.repeat(Math.ceil((chars - text.length) / FILLER.length));
  }
  return cutText(text, chars);
}

/** The opening of a text on one line, without tags that would end a section. */
export function excerpt(text: string, chars: number): string {
  if (text.length <= chars && !UNEVEN.test(text)) return text;
  const line = text.slice(0, EXCERPT_LOOK_CHARS).replace(TAG, ' ').replace(/\s+/g, ' ').trim();
  return line.length <= chars ? line : cutText(line, chars);
}
