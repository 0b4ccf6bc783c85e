/** A copy of the tool's result for the terminal; the model's copy is in the message. */
const RESULT_KEY = ',"toolUseResult":';
const RESULT_PROBE = 'UseResu';
/** Two objects on one line. */
const NEXT_OBJECT = Buffer.from('}{"');
/** What a running tool shows, and what its subagents say. */
const PROGRESS_KEY = '"type":"progress","data":';
/** Bytes at the start of a line in which the type of progress stands. */
const HEAD_BYTES = 1_024;
const DATA_KEY_BYTES = ',"data":'.length;
/** How the data of progress begins that carries a message of a subagent, in whichever order its members come. */
const TOLD_DATA = [
  '"message":',
  '"type":"agent_progress"',
  '"agentId":',
  '"prompt":',
  '"normalizedMessages":',
].map((text) => Buffer.from(`{${text}`));
/** Ends of `toolUseID` and `parentToolUseID`, which come after the data of progress. */
const PROGRESS_MARK = Buffer.from('UseID');

/** How the data of a hook begin, and what they hold near their start when a process began (K3). */
const HOOK_DATA = Buffer.from('{"type":"hook_progress"');
const PROCESS_START = Buffer.from('"SessionStart');
const HOOK_HEAD_BYTES = 160;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/** Bytes of numbers and of `true`, `false` and `null`. */
function isBare(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x2b && byte <= 0x2e);
}

function startsWith(data: Buffer, bytes: Buffer, at: number, end: number): boolean {
  const behind = at + data.length;
  return bytes[at + 2] === data[2] && behind <= end && data.compare(bytes, at, behind) === 0;
}

/** True when the data of progress that begins at an index is for the terminal alone. */
export function isForTerminal(bytes: Buffer, at: number, end: number): boolean {
  if (startsWith(HOOK_DATA, bytes, at, end))
    return bytes.subarray(at, Math.min(end, at + HOOK_HEAD_BYTES)).indexOf(PROCESS_START) === -1;
  for (const data of TOLD_DATA) {
    if (startsWith(data, bytes, at, end)) return false;
  }
  return true;
}

/** The opening quote of the text whose closing quote comes before `behind`; -1 when it lies below a limit. */
function openingQuote(bytes: Buffer, limit: number, behind: number): number {
  let at = behind - 2;
  for (;;) {
    at = at > limit ? bytes.lastIndexOf(QUOTE, at) : -1;
    if (at <= limit) return -1;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
    at -= slashes + 1;
  }
}

/** Goes back over the plain members (texts, numbers, true, false, null) that end a line's object. */
class TailWalker {
  /** Where the members begin: a comma or the closing brace; -1 when the line does not end with an object. */
  start = -1;
  /** One of the keys belongs to progress. */
  isProgress = false;

  /** Walks back from the end of a line, not beyond a limit. */
  walk(bytes: Buffer, limit: number, end: number): void {
    let at = end - 1;
    while (at > limit && bytes[at]! <= SPACE) at--;
    this.start = bytes[at] === CLOSE_BRACE ? at : -1;
    this.isProgress = false;
    if (this.start === -1) return;
    for (;;) {
      const colon = this.#beforeValue(bytes, limit, at);
      if (colon === -1 || bytes[colon] !== COLON || bytes[colon - 1] !== QUOTE) return;
      const key = openingQuote(bytes, limit, colon);
      if (key === -1 || bytes[key - 1] !== COMMA) return;
      if (bytes[colon - 2] === PROGRESS_MARK[4] && bytes[colon - 6] === PROGRESS_MARK[0]) {
        this.isProgress ||= PROGRESS_MARK.equals(bytes.subarray(colon - 6, colon - 1));
      }
      at = key - 1;
      this.start = at;
    }
  }

  /** The index before a plain value that ends before `behind`; -1 when the value is not plain. */
  #beforeValue(bytes: Buffer, limit: number, behind: number): number {
    if (bytes[behind - 1] === QUOTE) {
      const quote = openingQuote(bytes, limit, behind);
      return quote === -1 ? -1 : quote - 1;
    }
    let at = behind - 1;
    while (at > limit && isBare(bytes[at]!)) at--;
    return at > limit && at < behind - 1 ? at : -1;
  }
}

/** Finds one sequence of bytes in the lines of a buffer without looking at any byte twice. */
class SequenceFinder {
  readonly #sequence: Buffer;
  readonly #probe: Buffer;
  readonly #lead: number;
  #buffer: Buffer | null = null;
  #next = -1;

  /** A probe is a part of the sequence, shorter than eight bytes and rare in its first: such parts are found fastest. */
  constructor(sequence: string, probe: string) {
    this.#sequence = Buffer.from(sequence);
    this.#probe = Buffer.from(probe);
    this.#lead = sequence.indexOf(probe);
  }

  /** The index of the sequence in a stretch; -1 when it is not there. */
  find(buffer: Buffer, start: number, end: number): number {
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#next = -1;
    }
    if (this.#next < start) this.#next = this.#search(buffer, start);
    return this.#next + this.#sequence.length <= end ? this.#next : -1;
  }

  #search(buffer: Buffer, start: number): number {
    let at = start + this.#lead;
    for (;;) {
      const found = buffer.indexOf(this.#probe, at);
      if (found === -1) return buffer.length;
      const first = found - this.#lead;
      if (first + this.#sequence.length > buffer.length) return buffer.length;
      if (this.#sequence.compare(buffer, first, first + this.#sequence.length) === 0) return first;
      at = found + 1;
    }
  }
}

/** Finds what only the terminal shows in lines; lines of one buffer must come in order. */
export class PayloadFinder {
  /** Where the payload of the latest line begins, its key included; -1 when it has none. */
  from = -1;
  /** Where the plain members behind it begin, or the closing brace. */
  to = -1;
  readonly #results = new SequenceFinder(RESULT_KEY, RESULT_PROBE);
  readonly #tail = new TailWalker();

  /** Looks for the payload of any line. */
  find(buffer: Buffer, start: number, end: number): void {
    if (this.findResult(buffer, start, end)) return;
    this.#tail.walk(buffer, start, end);
    if (!this.#tail.isProgress) return;
    const head = buffer.toString('latin1', start, Math.min(start + HEAD_BYTES, end));
    const found = head.indexOf(PROGRESS_KEY);
    if (found === -1) return;
    const data = start + found + PROGRESS_KEY.length;
    if (isForTerminal(buffer, data, end)) this.#place(data - DATA_KEY_BYTES, buffer, end);
  }

  /** Looks for the copy of a tool's result; false when there is no key of one. */
  findResult(buffer: Buffer, start: number, end: number): boolean {
    this.from = -1;
    const cut = this.#results.find(buffer, start, end);
    if (cut === -1) return false;
    this.#tail.walk(buffer, cut, end);
    this.#place(cut, buffer, end);
    return true;
  }

  /** True when a stretch of a line holds no second object. */
  isAlone(buffer: Buffer, start: number, end: number): boolean {
    return buffer.subarray(start, end).indexOf(NEXT_OBJECT) === -1;
  }

  #place(cut: number, buffer: Buffer, end: number): void {
    this.to = this.#tail.start;
    this.from = this.to > cut && this.isAlone(buffer, cut, end) ? cut : -1;
  }
}
