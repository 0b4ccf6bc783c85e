import { type Digest, digestText } from '../base/digest.js';
import { CHARS_PER_TOKEN } from './block.js';
import { literalText, type Text } from './text.js';

/** The sections of notes in order, as far as they are known without reading. */
export interface NotesSections {
  readonly frames: readonly { readonly name: string }[];
  /** Characters noted below each header and its description, without blank lines around them. */
  readonly sizes: readonly number[];
  /** Sections that the latest extraction changed: one edit each (C31). */
  readonly edited: number;
}

/** Notes as an extraction wrote them: sizes and digest are known without reading. */
export interface Notes {
  readonly text: Text;
  readonly tokens: number;
  readonly digest: Digest;
  /** Null when only the text can tell. */
  readonly sections: NotesSections | null;
}

/** One section of the session notes. */
export interface NotesHeading {
  readonly name: string;
  /** The line below the header that says what belongs there; it stays. */
  readonly about: string;
}

/** The ten sections of the session notes, in order (SES-1). */
export const NOTES_HEADINGS: readonly NotesHeading[] = [
  {
    name: 'Title',
    about: 'A name for this session in five to ten words, dense enough to be told apart from others',
  },
  { name: 'Current state', about: 'What is being worked on right now, what is unfinished, what comes next' },
  {
    name: 'Task specification',
    about: 'What the user wants, decisions on the design, constraints that were stated',
  },
  {
    name: 'Files and functions',
    about: 'Which files and functions matter, what each holds, why it matters here',
  },
  { name: 'Workflow', about: 'Commands that are run, in which order, and how to read what they print' },
  {
    name: 'Errors and corrections',
    about: 'What went wrong, how it was mended, what the user corrected, what not to try again',
  },
  { name: 'Codebase documentation', about: 'The main parts of the system and how they work together' },
  {
    name: 'Learnings',
    about: 'What turned out well, what turned out badly, without repeating other sections',
  },
  {
    name: 'Key results',
    about: 'Answers, tables or documents the user asked for, exactly as they were given',
  },
  { name: 'Worklog', about: 'One short line for each step: what was tried, what was done' },
];

/** The notes before anything was written: headers and descriptions alone (SES-1). */
export const NOTES_TEMPLATE = NOTES_HEADINGS.map(({ name, about }) => `# ${name}\n_${about}._\n`).join('\n');

/** Notes whose text is all that is known: read from a file. */
export function notesFromText(text: string): Notes {
  return {
    text: literalText(text),
    tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
    digest: digestText(text),
    sections: null,
  };
}
