/** A layer that puts placeholders in the place of all old tool results, a policy with it, and a metric. */
export const CLEARING = `
export default ({ clearedBlock, sizeBefore, changeReport }) => ({
  name: 'clearing',
  layers: [{
    name: 'clear-all',
    points: ['before-request'],
    params: [{
      path: 'clear-all.from', kind: { type: 'integer', min: 0, max: 1000000 }, default: 30000,
      unit: 'tokens', help: 'It clears from here on.',
    }],
    create: ({ params }) => ({
      due: (_moment, view) => view.seenTokens >= params['clear-all.from'],
      *act(_moment, view) {
        const before = sizeBefore(view);
        const edits = [];
        let saved = 0;
        for (const message of view.messages.slice(0, -4)) message.blocks.forEach((block, blockIndex) => {
          if (block.kind !== 'tool_result' || block.facts.replaces === 'cleared') return;
          const cleared = clearedBlock(block);
          if (cleared.tokens >= block.tokens) return;
          edits.push({ messageId: message.id, blockIndex, block: cleared });
          saved += block.tokens - cleared.tokens;
        });
        if (edits.length === 0) return;
        const reason = 'old results';
        yield { kind: 'rewrite-blocks', by: { layer: 'rules', reason }, cause: 'microcompaction', keep: 'frozen', edits };
        yield changeReport(view, before, { layer: 'rules', action: 'clear', trigger: 'auto', reason, saved, details: {} });
      },
    }),
  }],
  policies: [{ name: 'clears', description: 'Clears.', layers: ['clear-all'], rules: [] }],
  metrics: [{
    name: 'twiceTheCalls', unit: 'count', better: null, help: 'calls, twice', value: (facts) => 2 * facts.requests.calls,
  }],
});
`;

/** A layer by itself: it is asked before every request, and does what it is told. */
export function layerPlugin(instance: string, more = ''): string {
  return `export default {
  name: 'own',
  layers: [{ name: 'own-layer', points: ['before-request'], create: () => (${instance}) }],
  policies: ['{ name: own-policy, layers: [own-layer], rules: [] }'],${more}
};\n`;
}

/** A reader of request traces that hide behind a first line. */
export const READER = `
export default ({ readTranscript }) => ({
  name: 'hidden',
  readers: [{
    name: 'hidden-trace',
    detect: (head) => head.startsWith('HIDDEN'),
    read: (text, { id }) => ({ ...readTranscript(text.slice('HIDDEN'.length), { id }), source: 'hidden-trace' }),
  }],
});
`;
