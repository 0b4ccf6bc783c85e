import type { Files, StoredFile } from '../../../core/base/files.js';
import { createBlock } from '../../../core/model/block.js';
import { MEMORY_INDEX } from '../../../core/model/memory.js';
import type { Notice, RenderedPart, SystemPart } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { tokensOfChars } from './fork-turns.js';
import { indexLimits, type LoadedIndex, loadIndex } from './memory-index.js';

/** Marks the block of the system prompt that holds the memory index. */
const NAME = 'memory-index';

/** Rendered once for each writing of the file. */
const RENDERED = new WeakMap<StoredFile, { readonly params: ParamValues; readonly part: RenderedPart }>();

/** The memory index in the system prompt (AUT-3): equal files give equal bytes. */
export const memoryIndexPart: SystemPart = {
  name: NAME,
  render(files: Files, params: ParamValues): RenderedPart | null {
    const file = files.read(MEMORY_INDEX);
    if (file === null) return null;
    let rendered = RENDERED.get(file);
    if (rendered?.params !== params) {
      rendered = { params, part: partOf(loadIndex(file, indexLimits(params))) };
      RENDERED.set(file, rendered);
    }
    return rendered.part;
  },
};

function partOf(loaded: LoadedIndex): RenderedPart {
  const { text, digest, lines, bytes, shownLines, cutBy } = loaded;
  const tokens = text === null ? 0 : tokensOfChars(text.chars);
  const shown =
    cutBy === null ? `${lines} lines` : `${shownLines} of ${lines} lines, cut by the limit of ${cutBy}`;
  const facts = { attachment: NAME };
  return {
    block:
      text === null ? null : createBlock({ kind: 'system', role: 'system', tokens, text, digest, facts }),
    problem: loaded.isBinary ? BINARY : null,
    entered: {
      what: NAME,
      message: `the memory index enters the system prompt: ${shown}`,
      details: { lines, bytes, shownLines, cutBy, tokens },
    },
  };
}

const BINARY: Notice = {
  what: 'memory-index-binary',
  message: 'the memory index holds binary content and is not loaded',
  details: { isBinary: true },
};
