import { defineConfig } from 'vitepress';

/** The site of the documentation: the same files that the repository shows, with navigation and search. */
export default defineConfig({
  title: 'ccbench',
  description: 'See what context management costs before you ship it.',
  lang: 'en',
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md', 'questions/README.md': 'questions/index.md' },
  srcExclude: ['examples/**'],
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  // Links that leave the folder lead to files of the repository, which the site does not hold.
  ignoreDeadLinks: [/^(\.\/)?\.\.\//, /\.\.\/\.\.\//],
  markdown: { html: false },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/tutorial' },
      { text: 'Concepts', link: '/concepts' },
      { text: 'Commands', link: '/cli' },
      { text: 'How right is it', link: '/fidelity' },
    ],
    sidebar: [
      {
        text: 'Start here',
        items: [
          { text: 'Five minutes', link: '/tutorial' },
          { text: 'Concepts', link: '/concepts' },
          { text: 'Questions people ask', link: '/faq' },
          { text: 'Glossary', link: '/glossary' },
        ],
      },
      {
        text: 'How to',
        items: [
          { text: 'Where the money went', link: '/why' },
          { text: 'Read a report', link: '/how-to/read-a-report' },
          { text: 'Choose a lifetime', link: '/how-to/choose-a-lifetime' },
          { text: 'Write your policy', link: '/policies' },
          { text: 'Where two runs part', link: '/diff' },
          { text: 'Guard costs in CI', link: '/ci' },
          { text: 'Trust and limits', link: '/how-to/trust' },
          { text: 'Many machines', link: '/fleet' },
          { text: 'Stand-in for the API', link: '/serve' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Commands', link: '/cli' },
          { text: 'Metrics', link: '/metrics' },
          { text: 'Models and prices', link: '/models' },
          { text: 'Providers', link: '/providers' },
          { text: 'Recordings', link: '/recordings' },
          { text: 'Sessions on disk', link: '/sessions' },
          { text: 'Other agents', link: '/peers' },
          { text: 'Mechanisms', link: '/mechanisms' },
          { text: 'Many sessions', link: '/many-sessions' },
          { text: 'Memories', link: '/memory-rules' },
          { text: 'Library', link: '/library' },
          { text: 'Dependencies', link: '/dependencies' },
          { text: 'Licences', link: '/licences' },
        ],
      },
      {
        text: 'Background',
        items: [
          { text: 'How right it is', link: '/fidelity' },
          { text: 'How robust it is', link: '/robustness' },
          { text: 'How well tests notice', link: '/mutation' },
          { text: 'Decisions', link: '/design/decisions' },
          { text: 'A walk through the code', link: '/design/walk' },
          { text: 'Profiles', link: '/design/profiles' },
          { text: 'Caches of providers', link: '/design/providers' },
          { text: 'Columns', link: '/design/columns' },
          { text: 'Quiet turns', link: '/design/quiet-turns' },
          { text: 'Speed', link: '/design/speed' },
          { text: 'Questions answered', link: '/questions/' },
        ],
      },
    ],
  },
});
