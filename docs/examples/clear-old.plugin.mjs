// A plug-in with a layer, a policy that uses it, and a metric.
//   ccbench run scenario.yaml --plugin docs/examples/clear-old.plugin.mjs --policy clear-old
export default ({ clearedBlock, sizeBefore, changeReport }) => ({
  name: 'clear-old-results',
  layers: [
    {
      name: 'clear-old',
      points: ['before-request'],
      needs: ['tools'],
      params: [
        {
          path: 'clear-old.keep',
          kind: { type: 'integer', min: 0, max: 1000 },
          default: 5,
          unit: 'messages',
          help: 'The latest messages whose tool results stay.',
        },
        {
          path: 'clear-old.from',
          kind: { type: 'integer', min: 0, max: 10_000_000 },
          default: 40_000,
          unit: 'tokens',
          help: 'Results are cleared once the request is this long.',
        },
      ],
      create: ({ params }) => ({
        // Asked before every request: it must be cheap.
        due: (_moment, view) => view.seenTokens >= params['clear-old.from'],
        // Asks the engine for changes; it never edits the conversation itself.
        *act(_moment, view) {
          const before = sizeBefore(view);
          const edits = [];
          let saved = 0;
          for (const message of view.messages.slice(0, -params['clear-old.keep'] || undefined)) {
            message.blocks.forEach((block, blockIndex) => {
              if (block.kind !== 'tool_result' || block.facts.replaces === 'cleared') return;
              const cleared = clearedBlock(block);
              if (cleared.tokens >= block.tokens) return;
              edits.push({ messageId: message.id, blockIndex, block: cleared });
              saved += block.tokens - cleared.tokens;
            });
          }
          if (edits.length === 0) return;
          const reason = `${edits.length} old results`;
          const by = { layer: 'rules', reason };
          yield { kind: 'rewrite-blocks', by, cause: 'microcompaction', keep: 'frozen', edits };
          yield changeReport(view, before, {
            layer: 'rules',
            action: 'clear',
            trigger: 'auto',
            reason,
            saved,
            details: { results: edits.length },
          });
        },
      }),
    },
  ],
  policies: ['{ name: clear-old, description: Clears old tool results., layers: [clear-old], rules: [] }'],
  metrics: [
    {
      name: 'outputPerCall',
      unit: 'tokens',
      better: null,
      help: 'output tokens / answered requests',
      value: ({ requests }) => (requests.calls === 0 ? null : requests.outputTokens / requests.calls),
    },
  ],
});
