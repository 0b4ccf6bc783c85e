import { defineConfig } from 'vitepress';

/** The site of the documentation: the same files that the repository shows, with navigation and search. */
export default defineConfig({
  title: 'ccbench',
  description: 'See what context management costs before you ship it.',
  lang: 'en',
  // Links end in .html, so that any server of plain files shows the site; below a folder: npm run site -- --base /folder/
  cleanUrls: false,
  rewrites: { 'README.md': 'index.md' },
  srcExclude: ['examples/**'],
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  // Links that leave the folder lead to files of the repository, which the site does not hold.
  ignoreDeadLinks: [/^(\.\/)?\.\.\//, /\.\.\/\.\.\//],
  markdown: {
    html: false,
    config({ renderer, utils }) {
      // Double braces are text here, not expressions of Vue.
      const text = (content: string) => utils.escapeHtml(content).replaceAll('{{', '&#123;&#123;');
      renderer.rules.text = (tokens, i) => text(tokens[i]!.content);
      renderer.rules.code_inline = (tokens, i, _options, _env, self) =>
        `<code${self.renderAttrs(tokens[i]!)}>${text(tokens[i]!.content)}</code>`;
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/tutorial' },
      { text: 'Glossary', link: '/glossary' },
      { text: 'Commands', link: '/cli' },
      { text: 'How accurate it is', link: '/fidelity' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Five minutes', link: '/tutorial' },
          { text: 'Concepts and glossary', link: '/glossary' },
        ],
      },
      {
        text: 'Use',
        items: [
          { text: 'Where the money went', link: '/why' },
          { text: 'Read a report', link: '/reports' },
          { text: 'Write your policy', link: '/policies' },
          { text: 'Guard costs in CI', link: '/ci' },
          { text: 'Many machines', link: '/fleet' },
          { text: 'A fake API', link: '/serve' },
          { text: 'Export to other tools', link: '/export' },
          { text: 'Questions answered', link: '/questions' },
        ],
      },
      {
        text: 'Look up',
        items: [
          { text: 'Commands', link: '/cli' },
          { text: 'Metrics', link: '/metrics' },
          { text: 'Recordings', link: '/recordings' },
          { text: 'Providers and prices', link: '/providers' },
          { text: 'Add a model or a price', link: '/current' },
          { text: 'Mechanisms', link: '/mechanisms' },
          { text: 'Other agents', link: '/peers' },
          { text: 'Many sessions', link: '/many-sessions' },
          { text: 'Memory rules', link: '/memory-rules' },
          { text: 'Library and plug-ins', link: '/library' },
          { text: 'Dependencies', link: '/dependencies' },
          { text: 'Licences', link: '/licences' },
        ],
      },
      {
        text: 'Background',
        items: [
          { text: 'How accurate it is', link: '/fidelity' },
          { text: 'What compactions lose', link: '/faults' },
          { text: 'How it is tested', link: '/robustness' },
          { text: 'Rooms of the source', link: '/design/house' },
          { text: 'A tour of the code', link: '/design/walk' },
          { text: 'What-ifs', link: '/design/what-if' },
          { text: 'Decisions', link: '/design/decisions' },
          { text: 'Profiles', link: '/design/profiles' },
          { text: 'Cache of OpenAI', link: '/design/providers' },
          { text: 'Speed', link: '/design/speed' },
        ],
      },
    ],
  },
});
