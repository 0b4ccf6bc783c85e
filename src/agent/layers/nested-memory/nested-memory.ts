import { digestParts } from '../../../core/base/digest.js';
import { attempt } from '../../../core/base/errors.js';
import { isInside, normalisePath } from '../../../core/base/files.js';
import { addTo } from '../../../core/base/groups.js';
import { entryOf, getOrMake, oncePer } from '../../../core/base/once.js';
import { ownValue } from '../../../core/base/own-value.js';
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
import { changeReport, quietReport, sizeBefore } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';

/** A memory file: where it lies and how large it is. */
interface MemoryFile {
  readonly path: string;
  readonly tokens: number;
}

/** Folder of a normalised path. */
function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}

/** A path in its plain form, from the working directory when it is relative; null when it climbs above the root. @internal */
export function resolvePath(path: string, workingDirectory: string): string | null {
  return attempt(() => normalisePath(path.startsWith('/') ? path : `${workingDirectory}/${path}`), null);
}

/** The memory files of a project by folder. */
class MemoryFiles {
  /** Listed paths that lead nowhere. */
  readonly broken: readonly string[];
  private readonly byFolder = new Map<string, MemoryFile[]>();
  /** What was found on the way to a folder. */
  private readonly ways = new Map<string, readonly MemoryFile[]>();
  /** The same by paths as they are written; null for those that lead nowhere. */
  private readonly touched = new Map<string, readonly MemoryFile[] | null>();

  constructor(
    private readonly workingDirectory: string,
    listed: Readonly<Record<string, number>>,
  ) {
    const broken: string[] = [];
    for (const name of Object.keys(listed).sort()) {
      const path = resolvePath(name, workingDirectory);
      if (path === null) broken.push(name);
      else addTo(this.byFolder, folderOf(path), { path, tokens: ownValue(listed, name)! });
    }
    this.broken = broken;
  }

  get isEmpty(): boolean {
    return this.byFolder.size === 0;
  }

  /** Files in the folders from the working directory down to a path, outermost first (NES-1). */
  onTheWayTo(path: string): readonly MemoryFile[] {
    const folder = folderOf(path);
    return getOrMake(this.ways, folder, () => this.walk(folder));
  }

  /** Files on the way to a path as a session writes it; null when it climbs above the root. */
  wayTo(path: string): readonly MemoryFile[] | null {
    let way = this.touched.get(path);
    if (way === undefined) {
      const resolved = resolvePath(path, this.workingDirectory);
      way = resolved === null ? null : this.onTheWayTo(resolved);
      this.touched.set(path, way);
    }
    return way;
  }

  private walk(last: string): readonly MemoryFile[] {
    const found: MemoryFile[][] = [];
    let folder = last;
    while (isInside(folder, this.workingDirectory)) {
      found.push(this.byFolder.get(folder) ?? []);
      folder = folderOf(folder);
    }
    if (folder === this.workingDirectory) found.push(this.byFolder.get(folder) ?? []);
    return found.reverse().flat();
  }
}

/** Projects by the list of their memory files: what is found on the ways of one holds in every run over it. */
const projectsOf = oncePer((_listed: Readonly<Record<string, number>>) => new Map<string, MemoryFiles>());

/** The memory files of a list, in a project whose paths start at a folder. @internal */
export function memoryFilesIn(
  workingDirectory: string,
  listed: Readonly<Record<string, number>>,
): MemoryFiles {
  return entryOf(projectsOf(listed), workingDirectory, () => new MemoryFiles(workingDirectory, listed));
}

const ATTACHMENT = 'nested_memory';

/** A path of the session, as it is written there. */
class TouchedPath {
  /** The round in which it was touched last. */
  round = 0;

  /** Memory files on the way to it; null when it leads nowhere. */
  constructor(
    readonly path: string,
    readonly way: readonly MemoryFile[] | null,
  ) {}
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
  /** The last one: a result names the path of its call. */
  private latest: TouchedPath | null = null;
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
    for (let i = 0; i < blocks.length; i++) {
      const { kind, facts } = blocks[i]!;
      const { path } = facts;
      if (path === undefined || (kind !== 'tool_use' && kind !== 'tool_result')) continue;
      const touched = path === this.latest?.path ? this.latest : (this.paths.get(path) ?? this.meet(path));
      this.latest = touched;
      if (touched.round === this.round) continue;
      if (this.kept.has(message.id)) return;
      touched.round = this.round;
      if (!this.isSettled(touched.way)) this.queue.push(path);
    }
  }

  private meet(path: string): TouchedPath {
    const touched = new TouchedPath(path, this.files.wayTo(path));
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
