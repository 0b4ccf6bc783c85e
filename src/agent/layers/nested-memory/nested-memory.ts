import { digestParts } from '../../../core/base/digest.js';
import { isInside } from '../../../core/base/files.js';
import { type Message, textMessage } from '../../../core/model/message.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { type FileState, fileState } from '../file-state/file-state.js';
import { changeReport, quietReport, sizeBefore } from '../support/change-report.js';
import { layerParams, param } from '../support/param-reader.js';
import { type MemoryFile, type MemoryFiles, memoryFilesIn, resolvePath } from './memory-files.js';

const ATTACHMENT = 'nested_memory';

/** A path of the session, as it is written there. */
class TouchedPath {
  /** The round in which it was touched last. */
  round = 0;

  /** Memory files on the way to it; null when it leads nowhere. */
  constructor(readonly way: readonly MemoryFile[] | null) {}
}

/** Attaches memory files that lie on the way to the paths the agent touches, once each (NES-1). */
class NestedMemory implements LayerInstance {
  readonly canCheckpoint = true;
  private readonly files: MemoryFiles;
  private readonly workingDirectory: string;
  private readonly denied: readonly string[];
  /** Which memory files are in the context is part of the file-read state (NES-1). */
  private readonly state: FileState;
  /** Files that may not be read: reported once. */
  private readonly refused = new Set<string>();
  private readonly paths = new Map<string, TouchedPath>();
  /** Begins again whenever memory files are forgotten: each path is looked at once a round. */
  private round = 1;
  private memoryVersion = 0;
  private queue: string[] = [];
  private failures: string[];
  /** Messages a compaction kept: their paths were touched before it. */
  private kept = new Set<string>();
  private count = 0;
  /** Absent when no path can lead to a memory file. */
  readonly observe?: (message: Message) => void;

  constructor(context: LayerContext) {
    const { params, session } = context;
    this.state = fileState(context);
    this.workingDirectory = resolvePath(param.text(params, 'nestedMemory.workingDirectory'), '/') ?? '/';
    const listed = param.table(params, 'nestedMemory.files');
    const isListed = Object.keys(listed).length > 0;
    this.files = memoryFilesIn(this.workingDirectory, isListed ? listed : session.memoryFiles);
    this.failures = [...this.files.broken];
    this.denied = param
      .names(params, 'nestedMemory.denied')
      .map((path) => resolvePath(path, this.workingDirectory))
      .filter((path) => path !== null);
    if (!this.files.isEmpty) this.observe = (message) => this.look(message);
  }

  private look(message: Message): void {
    const { state } = this;
    state.observe(message);
    if (this.memoryVersion !== state.memoryVersion) {
      this.memoryVersion = state.memoryVersion;
      this.round++;
    }
    const { blocks } = message;
    let latest: string | undefined;
    for (let i = 0; i < blocks.length; i++) {
      const { kind, facts } = blocks[i]!;
      const { path } = facts;
      if (path === undefined || path === latest || (kind !== 'tool_use' && kind !== 'tool_result')) continue;
      latest = path;
      const touched = this.paths.get(path) ?? this.meet(path);
      if (touched.round === this.round) continue;
      if (this.kept.has(message.id)) return;
      touched.round = this.round;
      if (!this.isSettled(touched.way)) this.queue.push(path);
    }
  }

  private meet(path: string): TouchedPath {
    const touched = new TouchedPath(this.files.wayTo(path));
    this.paths.set(path, touched);
    return touched;
  }

  /** Everything on the way to a path is in the context already. */
  private isSettled(way: readonly MemoryFile[] | null): boolean {
    if (way === null || this.denied.length > 0) return false;
    for (let i = 0; i < way.length; i++) if (!this.state.memories.has(way[i]!.path)) return false;
    return true;
  }

  reset(messages: readonly Message[]): void {
    if (this.files.isEmpty) return;
    this.startOver(messages);
    this.kept = new Set(messages.map((message) => message.id));
  }

  resume(messages: readonly Message[]): void {
    this.startOver(messages);
  }

  due(): boolean {
    return this.queue.length > 0 || this.failures.length > 0;
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const wanted: MemoryFile[] = [];
    let denied = 0;
    for (const touched of this.queue) {
      const path = resolvePath(touched, this.workingDirectory);
      if (path === null) {
        this.failures.push(touched);
        continue;
      }
      if (this.isDenied(path)) {
        denied++;
        continue;
      }
      for (const file of this.files.onTheWayTo(path)) {
        if (this.state.memories.has(file.path) || this.refused.has(file.path)) continue;
        if (this.isDenied(file.path)) {
          this.refused.add(file.path);
          denied++;
        } else {
          this.state.memories.add(file.path);
          if (file.path !== path) wanted.push(file);
        }
      }
    }
    this.queue = [];
    yield* this.attach(wanted, denied, moment, view);
    const failures = this.failures;
    this.failures = [];
    for (const path of failures) {
      yield quietReport('nested-memory', view, {
        action: 'attach',
        outcome: 'failed',
        reason: `the path ${path} climbs above the root`,
        failure: 'bad-path',
        details: { path },
      });
    }
  }

  private *attach(
    files: readonly MemoryFile[],
    denied: number,
    moment: HookContext,
    view: ContextView,
  ): Generator<Action, void, Outcome> {
    if (files.length === 0 && denied === 0) return;
    if (files.length === 0) {
      yield quietReport('nested-memory', view, {
        action: 'attach',
        outcome: 'declined',
        reason: 'reading the memory files is not permitted',
        failure: null,
        details: { files: [], tokens: 0, denied },
      });
      return;
    }
    const before = sizeBefore(view);
    const reason = 'the agent touched paths below them';
    let tokens = 0;
    for (const file of files) {
      tokens += file.tokens;
      yield {
        kind: 'attach',
        by: { layer: 'nested-memory', reason },
        message: this.messageFor(file, moment.now),
      };
    }
    yield changeReport(view, before, {
      layer: 'nested-memory',
      action: 'attach',
      trigger: 'auto',
      reason,
      saved: 0,
      details: { files: files.map((file) => file.path), tokens, denied },
    });
  }

  private messageFor(file: MemoryFile, at: number): Message {
    const { path, tokens } = file;
    return textMessage(
      { id: `nested-memory-${++this.count}`, origin: 'attachment', at },
      { tokens, digest: digestParts([ATTACHMENT, path, tokens]), facts: { attachment: ATTACHMENT, path } },
    );
  }

  private isDenied(path: string): boolean {
    return this.denied.some((denied) => path === denied || isInside(path, denied));
  }

  /** Only what the messages show is known to be attached. */
  private startOver(messages: readonly Message[]): void {
    this.round++;
    this.refused.clear();
    this.queue = [];
    this.state.reset(messages);
    this.memoryVersion = this.state.memoryVersion;
  }
}

/** Memory files of nested folders (NES-1). */
export const nestedMemoryLayer: LayerDefinition = {
  name: 'nested-memory',
  layer: 'nested-memory',
  points: ['before-request'],
  needs: ['tools'],
  killSwitch: 'nestedMemory.enabled',
  params: layerParams('nested-memory'),
  create: (context) => new NestedMemory(context),
};
