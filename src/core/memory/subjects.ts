/** What statements about software work are about: each subject with the words that name it. */
const SUBJECTS: Readonly<Record<string, string>> = {
  'package-manager': 'npm pnpm yarn bun pip uv poetry lockfile',
  indentation: 'indent indentation tab tabs space spaces',
  quotes: 'quote quotes semicolon semicolons',
  formatting: 'prettier biome formatting format formatter linter lint eslint whitespace',
  tests: 'test tests testing coverage assertion vitest jest pytest tdd flaky',
  mocks: 'mock mocks mocking stub stubs',
  commits: 'commit commits squash changelog',
  branches: 'branch branches push force-push rebase merge merges merging trunk-based',
  reviews: 'review reviews reviewer pr pull',
  comments: 'comment comments docstring docstrings',
  naming: 'name names naming rename renamed abbreviation abbreviations called prefix',
  answers:
    'answer answers reply replies summary summaries summarise summarising recap emoji emojis explanation explanations paragraphs tables',
  dependencies: 'dependency dependencies library libraries package packages vendored upgrade',
  errors: 'error errors exception exceptions catch try/catch swallow',
  logging: 'log logs logger logging console.log',
  types: 'type types any typescript hints',
  database: 'database postgres mysql sqlite mariadb mongodb sql schema migration migrations',
  framework: 'react vue svelte redux zustand angular django rails',
  runtime: 'node python java deno runtime',
  ci: 'ci runner runners pipeline jenkins buildkite',
  deployment: 'deploy deploys deployment staging production prod release releases freeze frozen',
  secrets: 'secret secrets credentials password passwords token tokens',
  api: 'api apis endpoint endpoints protocol graphql rest',
  security: 'security compliance legal audit gdpr',
  deadline: 'deadline beta launch launches scheduled',
  tracker: 'linear jira issue issues ticket tickets bugs',
  dashboards: 'grafana datadog kibana sentry dashboard dashboards metrics',
  documents: 'wiki confluence notion runbook docs documentation handbook',
  designs: 'figma design designs wireframes storybook',
  editor: 'editor vim neovim vscode emacs keyboard',
  language: 'english german spanish french spelling',
  users: 'customer customers user users client clients tenant',
  'error-handling': 'result throw wrapped',
  plan: 'plan ask approve permission',
};

/** Choices that exclude each other: two of one list cannot both hold. */
const CHOICES: readonly (readonly string[])[] = [
  ['npm', 'pnpm', 'yarn', 'bun'],
  ['pip', 'uv', 'poetry'],
  ['tabs', 'spaces'],
  ['vitest', 'jest'],
  ['postgres', 'mysql', 'sqlite', 'mariadb', 'mongodb'],
  ['react', 'vue', 'svelte', 'angular'],
  ['redux', 'zustand'],
  ['linear', 'jira'],
  ['grafana', 'datadog', 'kibana'],
  ['vim', 'neovim', 'vscode', 'emacs'],
  ['english', 'german', 'spanish', 'french'],
  ['graphql', 'rest'],
  ['squash', 'rebase'],
];

const SUBJECT_OF = new Map<string, string>();
for (const [subject, words] of Object.entries(SUBJECTS))
  for (const word of words.split(' ')) if (!SUBJECT_OF.has(word)) SUBJECT_OF.set(word, subject);

const CHOICE_OF = new Map<string, number>();
for (const [i, words] of CHOICES.entries()) for (const word of words) CHOICE_OF.set(word, i);

/** What some words are about: the subject that most of them name, the first of equals; else their first two. */
export function subjectOf(words: readonly string[]): string {
  const hits = new Map<string, number>();
  let best: string | null = null;
  for (const word of words) {
    const subject = SUBJECT_OF.get(word);
    if (subject !== undefined) hits.set(subject, (hits.get(subject) ?? 0) + 1);
  }
  for (const [subject, count] of hits) if (best === null || count > hits.get(best)!) best = subject;
  return best ?? words.slice(0, 2).join('-');
}

/** A choice that is made: from which list, and what. */
export interface Choice {
  readonly list: number;
  readonly word: string;
}

/** The first choice among some words; null when none is made. */
export function choiceIn(words: readonly string[]): Choice | null {
  for (const word of words) {
    const list = CHOICE_OF.get(word);
    if (list !== undefined) return { list, word };
  }
  return null;
}
