import { createBlock } from '../model/block.js';
import { createMessage } from '../model/message.js';
import { changeReport, sizeBefore } from '../tiers/change-report.js';
import { clearedBlock } from '../tiers/compactable.js';
import { readTranscript } from '../transcript/read-transcript.js';
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
