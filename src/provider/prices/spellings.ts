/** Regions and vendors that clouds put before the names of models: `us.anthropic.claude-…`. */
const CLOUD =
  /^(?:(?:us|eu|apac|jp|au|ca|sa|global|us-gov)\.)?(?:anthropic|amazon|openai|xai|deepseek|qwen|moonshot|moonshotai|minimax|zai)\./;
/** Versions of deployments: `-v1:0`, `-v1`, `@20250929`, `@latest`, `:0`. */
const DEPLOYMENT = /(?:-v\d+(?::\d+)?|:\d+|@[\w.-]+)$/;
/** Dates, `latest` and previews: `-20250929`, `-2026-04-23`, `-latest`, `-preview`, `-preview-09-2025`. */
const RELEASE = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2}|latest|preview(?:-\d{2}-(?:\d{2}|\d{4}))?)$/;
/** The number before the family: `claude-4-5-sonnet`. */
const NUMBER_FIRST = /^claude-(\d+(?:-\d+)?)-(opus|sonnet|haiku|fable|mythos)$/;

function without(pattern: RegExp, name: string): string {
  let rest = name;
  for (let next = rest.replace(pattern, ''); next !== rest; next = rest.replace(pattern, '')) rest = next;
  return rest;
}

/**
 * Names that a recorded name may stand for, the nearest first: without the path of a provider (`openai/gpt-5.5`,
 * `models/gemini-2.5-pro`), without a cloud's region, vendor and version, without a date, `-latest` and `-preview`.
 */
export function spellingsOf(name: string): readonly string[] {
  const lower = name.toLowerCase();
  const own = lower.slice(lower.lastIndexOf('/') + 1);
  const deployed = without(DEPLOYMENT, own.replace(CLOUD, ''));
  const plain = without(RELEASE, deployed);
  const claude = plain.startsWith('claude-') ? [plain.replaceAll('.', '-')] : [];
  const turned = claude.map((spelling) => spelling.replace(NUMBER_FIRST, 'claude-$2-$1'));
  return [...new Set([lower, own, deployed, plain, ...claude, ...turned])];
}
