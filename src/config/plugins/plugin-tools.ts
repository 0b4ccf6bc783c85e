import { changeReport, sizeBefore } from '../../agent/layers/support/change-report.js';
import { clearedBlock } from '../../agent/layers/support/compactable.js';
import { createBlock } from '../../core/model/block.js';
import { createMessage } from '../../core/model/message.js';
import { readTranscript } from '../../transcripts/read-transcript.js';
import type { PluginTools } from './plugin.js';

/** What plug-ins that are functions are handed. */
export const pluginTools: PluginTools = {
  readTranscript: (text, { id }) => readTranscript(Buffer.from(text, 'utf8'), { id, agents: [] }).transcript,
  createBlock,
  createMessage,
  clearedBlock,
  sizeBefore,
  changeReport,
};
