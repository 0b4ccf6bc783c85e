import type { Transcript } from '../../../src/core/model/transcript.js';
import { readClaudeCode } from '../../../src/transcripts/readers/claude-code/read.js';

/** What one response of a test recording is like. */
export interface AnswerInit {
  /** Seconds from the start at which the response ended. */
  readonly at: number;
  readonly read: number;
  readonly write: number;
  readonly input?: number;
  readonly output?: number;
  readonly ttl?: '5m' | '1h';
  readonly model?: string;
  readonly reason?: string;
  readonly blocks?: readonly object[];
  /** Writes with the other lifetime, besides `write`. */
  readonly alsoWrite?: number;
  readonly usage?: 'recorded' | 'absent';
}

const START_MS = Date.UTC(2026, 1, 1, 9);
const TEXT = { type: 'text', text: 'done' };

/** A response block that calls a tool. */
export function toolUse(id: string): object {
  return { type: 'tool_use', id, name: 'Read', input: { file_path: `/src/${id}.ts` } };
}

/** A response block that thinks. */
export const THINKING: object = { type: 'thinking', thinking: 'so it is', signature: 'x'.repeat(40) };

/** Builds a small session file of Claude Code line by line. */
export class RecordingBuilder {
  readonly lines: string[] = [];
  sessionId = 'session-1';
  #count = 0;

  constructor(
    public version = '2.1.42',
    private readonly model = 'claude-opus-4-6',
  ) {}

  line(type: string, at: number, fields: object): this {
    const uuid = `line-${++this.#count}`;
    const parentUuid = this.#count === 1 ? null : `line-${this.#count - 1}`;
    const { version, sessionId } = this;
    const timestamp = new Date(START_MS + at * 1_000).toISOString();
    this.lines.push(
      JSON.stringify({
        parentUuid,
        isSidechain: false,
        sessionId,
        version,
        type,
        uuid,
        timestamp,
        ...fields,
      }),
    );
    return this;
  }

  say(text: string, at: number, fields: object = {}): this {
    return this.line('user', at, { message: { role: 'user', content: text }, ...fields });
  }

  result(id: string, text: string, at: number): this {
    const content = [{ type: 'tool_result', tool_use_id: id, content: text }];
    return this.line('user', at, { message: { role: 'user', content } });
  }

  answer(init: AnswerInit): this {
    const id = `msg_${this.#count}`;
    const { read, write, ttl = '5m' } = init;
    const short = ttl === '5m' ? write : (init.alsoWrite ?? 0);
    const long = ttl === '1h' ? write : (init.alsoWrite ?? 0);
    const usage = {
      input_tokens: init.input ?? 0,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: short + long,
      cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
      output_tokens: init.output ?? 10,
    };
    const diagnostics = init.reason === undefined ? null : { cache_miss_reason: { type: init.reason } };
    const content = init.blocks ?? [TEXT];
    const message = {
      id,
      role: 'assistant',
      model: init.model ?? this.model,
      content,
      stop_reason: null,
      diagnostics,
      ...(init.usage === 'absent' ? {} : { usage }),
    };
    return this.line('assistant', init.at, { requestId: `req_${id}`, message });
  }

  compact(at: number, trigger: 'auto' | 'manual', preTokens: number): this {
    const compactMetadata = { trigger, preTokens };
    this.line('system', at, { subtype: 'compact_boundary', compactMetadata });
    return this.say('what was done so far', at, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
  }

  microcompact(at: number, compactedToolIds: readonly string[]): this {
    const microcompactMetadata = {
      trigger: 'auto',
      preTokens: 60_000,
      tokensSaved: 21_000,
      compactedToolIds,
    };
    return this.line('system', at, { subtype: 'microcompact_boundary', microcompactMetadata });
  }

  exit(at: number): this {
    return this.say('<command-name>/exit</command-name>', at);
  }

  get text(): string {
    return `${this.lines.join('\n')}\n`;
  }

  read(): Transcript {
    return readText(this.text);
  }
}

/** Reads a session file from its text. */
export function readText(text: string): Transcript {
  return readClaudeCode(new TextEncoder().encode(text), { id: 'test' });
}

/** A recording begun with a cold first request of 30,000 tokens; what follows starts 10 s later. */
export function begun(version?: string, model?: string, first: Partial<AnswerInit> = {}): RecordingBuilder {
  return new RecordingBuilder(version, model)
    .say('go on', 0)
    .answer({ at: 5, read: 0, write: 30_000, ...first });
}
