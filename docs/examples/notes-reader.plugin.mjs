// A plug-in with a reader: lines such as `user: …` and `agent: …` become a session.
//   ccbench run scenario.yaml --plugin docs/examples/notes-reader.plugin.mjs
export default ({ readTranscript }) => ({
  name: 'notes-reader',
  readers: [
    {
      name: 'notes',
      label: 'notes file',
      detect: (head) => head.startsWith('# notes\n'),
      // The easiest way to a transcript: write the lines of a format that ccbench reads.
      read(text, { id }) {
        let parentUuid = null;
        const lines = text.split('\n').flatMap((line, i) => {
          const [, who, said] = /^(user|agent): (.+)$/.exec(line) ?? [];
          if (who === undefined) return [];
          const uuid = `${id}-${i}`;
          const role = who === 'user' ? 'user' : 'assistant';
          const usage = { input_tokens: 10, output_tokens: 10 };
          const message =
            role === 'user'
              ? { role, content: said }
              : {
                  role,
                  id: uuid,
                  model: 'claude-sonnet-4-5',
                  content: [{ type: 'text', text: said }],
                  usage,
                };
          const timestamp = new Date(1_700_000_000_000 + i * 1_000).toISOString();
          const entry = { type: role, uuid, parentUuid, sessionId: id, timestamp, message };
          parentUuid = uuid;
          return [JSON.stringify(entry)];
        });
        return { ...readTranscript(`${lines.join('\n')}\n`, { id }), source: 'notes' };
      },
    },
  ],
});
