/** Whether failures are reported to GitHub. */
export type GithubChoice = 'on' | 'off';

/** Whether to tell GitHub: in a workflow of GitHub Actions, with --github anywhere, with --no-github nowhere. */
export function githubChoice(
  flags: { readonly on: boolean; readonly off: boolean },
  env: Readonly<Record<string, string | undefined>>,
): GithubChoice {
  if (flags.off) return 'off';
  return flags.on || env.GITHUB_ACTIONS === 'true' ? 'on' : 'off';
}
