/** Ways to set off text on a terminal; a width never changes by them. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/** How wide lines may be on a screen, and how they stand out. */
export interface Screen {
  readonly width: number;
  readonly style: Style;
}

const same = (text: string): string => text;

/** No emphasis at all: for files, pipes and tests. */
export const plainStyle: Style = { bold: same, dim: same, red: same, green: same, yellow: same };

/** Width of a text in character cells, wide East Asian characters counted twice. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) {
    if (/\p{Mn}|\p{Cf}/u.test(char)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        char,
      )
        ? 2
        : 1;
  }
  return width;
}
