import { createRandom, type Random } from '../../src/core/base/random.js';
import { isObject, type JsonObject, listOf, objectOf } from '../../src/transcripts/lines/narrow.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { writeClaudeCode } from './write-claude-code.js';

/** Turns of one generated session; a recording consists of several. */
const TURNS = 800;
/** Part of the tool results that are edits, whose copies for the terminal hold the whole file: of the recordings' bytes. */
const EDIT_SHARE = 0.09;
/** Characters of an edited file, so that copies for the terminal are a third of all bytes, as in the recordings. */
const EDITED_CHARS = 14_000;
/** Lines of progress per tool result, and their characters: an eighth of all bytes, as in the recordings. */
const PROGRESS_PER_RESULT = 1.1;
const PROGRESS_CHARS = 900;

/** Time between two sessions. */
const PAUSE_MS = 3_600_000;

/** Where the lines of a session are written. */
export interface Workplace {
  readonly random: Random;
  /** Milliseconds by which its times are put off, so that sessions follow each other. */
  readonly laterMs: number;
  /** The usage of a response, by its line and the number of that. */
  usageOf(line: JsonObject, number: number): JsonObject;
}

/** A text as files are shown: numbered lines with an arrow, quotes and tabs here and there. */
function asFile(text: string): string {
  return text
    .split('\n')
    .map((line, i) => `${String(i + 1).padStart(6)}→\tconst line = "${line}";`)
    .join('\n');
}

function payloadOf(text: string, { random }: Workplace): JsonObject {
  if (random.chance(EDIT_SHARE)) {
    const file = asFile('keep every line of the file as it was before\n'.repeat(EDITED_CHARS / 72));
    const hunk = { oldStart: 12, oldLines: 3, newStart: 12, newLines: 3, lines: [' a', '-b', '+c', ' d'] };
    return {
      filePath: '/repo/project/src/index.ts',
      oldString: 'const a = "b";',
      newString: 'const a = "c";',
      originalFile: file,
      structuredPatch: [hunk, hunk],
      userModified: false,
      replaceAll: false,
    };
  }
  return { stdout: text, stderr: '', interrupted: false, isImage: false };
}

/** The content of a message as a client gets it: file contents are numbered lines. */
function contentOf(message: JsonObject): unknown {
  if (!Array.isArray(message.content)) return message.content;
  return listOf(message.content).map((part) => {
    if (!isObject(part) || part.type !== 'tool_result' || typeof part.content !== 'string') return part;
    return { ...part, content: asFile(part.content) };
  });
}

function steadyUsage(_line: JsonObject, number: number): JsonObject {
  return {
    input_tokens: 3,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 20_000 + number,
    cache_creation: { ephemeral_5m_input_tokens: 900, ephemeral_1h_input_tokens: 0 },
    output_tokens: 250,
    service_tier: 'standard',
  };
}

/** The time of a line, ms since 1970. */
export function timeOf(line: JsonObject): number {
  return Date.parse(String(line.timestamp));
}

/** The lines a client writes for one line of a session: in its order of members, with what only the terminal shows. */
export function* clientLines(
  line: JsonObject,
  number: number,
  place: Workplace,
): Generator<object, void, void> {
  const { parentUuid, isSidechain, userType, sessionId, version, type, uuid } = line;
  const timestamp = new Date(timeOf(line) + place.laterMs).toISOString();
  const shared = {
    parentUuid,
    isSidechain,
    userType,
    cwd: '/repo/project',
    sessionId,
    version,
    gitBranch: 'main',
    slug: 'steady-walking-river',
    type,
  };
  const message = objectOf(line.message);
  if (type === 'assistant') {
    yield {
      ...shared,
      message: { ...message, usage: place.usageOf(line, number) },
      requestId: `req_${number}`,
      uuid,
      timestamp,
    };
    return;
  }
  const content = contentOf(message);
  const result = Array.isArray(content) ? objectOf(content[0]) : {};
  if (result.type !== 'tool_result') {
    yield { ...shared, message: { ...message, content }, uuid, timestamp };
    return;
  }
  const toolUseResult = payloadOf(String(result.content), place);
  yield {
    ...shared,
    message: { ...message, content },
    uuid,
    timestamp,
    toolUseResult,
    sourceToolAssistantUUID: parentUuid,
  };
  for (let left = PROGRESS_PER_RESULT; left > 0 && place.random.chance(left); left--) {
    yield {
      ...shared,
      parentUuid: uuid,
      type: 'progress',
      data: { type: 'bash_progress', output: 'built "one" more file\n'.repeat(PROGRESS_CHARS / 24) },
      toolUseID: `bash-progress-${number}`,
      parentToolUseID: result.tool_use_id,
      uuid: `${String(uuid).slice(0, -2)}p${left > 1 ? 1 : 2}`,
      timestamp,
    };
  }
}

/** The lines of one recording of at least this many bytes, made of generated sessions one after another. */
export function* recordingLines(bytes: number): Generator<string, void, void> {
  let written = 0;
  let laterMs = 0;
  for (let session = 1; written < bytes; session++) {
    const random = createRandom(`recording ${session}`);
    const place: Workplace = { random, laterMs, usageOf: steadyUsage };
    const spec = { workload: 'refactor', turns: TURNS, seed: session, model: 'claude-sonnet-4-5' } as const;
    const transcript = { ...generateTranscript(spec), id: `session-${session}` };
    const text = writeClaudeCode(transcript).files[0]!.text.replaceAll('"main-', `"s${session}-`);
    let number = 0;
    const lines = text.split('\n').filter((json) => json !== '');
    const times = [lines[0]!, lines.at(-1)!].map((json) => timeOf(JSON.parse(json) as JsonObject));
    laterMs += times[1]! - times[0]! + PAUSE_MS;
    for (const json of lines) {
      number++;
      for (const line of clientLines(JSON.parse(json) as JsonObject, number, place)) {
        const written1 = `${JSON.stringify(line)}\n`;
        written += written1.length;
        yield written1;
      }
      if (written >= bytes) return;
    }
  }
}
