import type { Answer } from '../run/action.js';
import { CHARS_PER_TOKEN } from './block.js';

/** What becomes of the scratchpad before the summary enters the context (FUL-3). */
export type Scratchpad = 'drop' | 'relabel';

/** What comes before the scratchpad once relabelled. */
export const ANALYSIS_LABEL = 'Analysis:\n';

/** What comes before the summary once its tags are gone. */
export const SUMMARY_LABEL = 'Summary:\n';

const ANALYSIS = /<analysis>([\s\S]*?)<\/analysis>/;
/** To the last closing tag: the summary may quote one. */
const SUMMARY = /<summary>([\s\S]*)<\/summary>/;

/** Runs of blank lines as one (FUL-3). */
export function collapseBlankLines(text: string): string {
  return text.replace(/\n{3,}/g, '\n\n');
}

/** The summary as it enters the context: without tags, scratchpad dropped or relabelled, runs of blank lines collapsed. */
export function formatSummary(text: string, scratchpad: Scratchpad): string {
  const opens = text.indexOf('<summary>');
  const analysis = ANALYSIS.exec(text);
  let rest = text;
  let head = '';
  if (analysis !== null && (opens < 0 || analysis.index < opens)) {
    if (scratchpad === 'relabel') head = `${ANALYSIS_LABEL}${analysis[1]!.trim()}\n\n`;
    rest = text.slice(0, analysis.index) + text.slice(analysis.index + analysis[0].length);
  }
  const summary = SUMMARY.exec(rest);
  if (summary !== null) {
    const before = rest.slice(0, summary.index);
    const after = rest.slice(summary.index + summary[0].length);
    rest = `${before}${SUMMARY_LABEL}${summary[1]!.trim()}${after}`;
  }
  return collapseBlankLines(head + rest.trim()).trim();
}

/** Share of the characters of an answer that are its scratchpad. */
export function scratchpadShare(text: string): number {
  const kept = formatSummary(text, 'drop').length;
  const whole = formatSummary(text, 'relabel').length;
  return whole === 0 ? 0 : (whole - kept) / whole;
}

/** Characters of a summary once formatted; those of a composed one are known without reading it. */
export function formattedChars(
  answer: Pick<Answer, 'tokens' | 'scratchpadTokens' | 'text' | 'isReal'>,
  scratchpad: Scratchpad,
): number {
  if (answer.isReal === true) return formatSummary(answer.text.read(), scratchpad).length;
  const summary = Math.round(answer.tokens * CHARS_PER_TOKEN);
  return scratchpad === 'drop' ? summary : summary + Math.round(answer.scratchpadTokens * CHARS_PER_TOKEN);
}
