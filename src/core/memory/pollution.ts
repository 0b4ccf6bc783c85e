/**
 * What must not be in a memory (AUT-2), as a list of its own: it shares nothing with the rules that decide what is kept, so that
 * it can find what they let through (C49). Each kind has words that give it away.
 */
const POLLUTION: Readonly<Record<string, RegExp>> = {
  'code pattern':
    /=>|\bfunction \w+\(|\bimport .+ from\b|\w+\(\w*\)|\b(?:singleton|factory|observer) pattern\b/i,
  architecture:
    /\barchitecture\b(?! decisions?\b)|\b(?:monolith|micro-?services?|tech stack|module structure)\b/i,
  'file path':
    /(?:^|[\s`"'(])(?:\.{0,2}\/)?(?:[\w@.-]+\/){2,}[\w.-]*|\b[\w-]+\.(?:tsx?|jsx?|py|go|rs|java|rb|css)\b/,
  'git history':
    /\b(?:commit [0-9a-f]{7,40}|merged (?:pr|pull request)|rebased|cherry-picked|last commit)\b/i,
  fix: /\b(?:fixed|solved|the (?:bug|cause|culprit) (?:was|is)|root cause|workaround for the)\b/i,
  'small talk': /^(?:thanks|thank you|great|perfect|nice|ok(?:ay)?|yes|no problem)\b|\?\s*$/i,
  output:
    /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FAIL|PASS)\b|npm (?:ERR|WARN)|[>$] )|[{};]\s*$/,
  'ephemeral state':
    /\b(?:right now|currently|at the moment|for now|today|in progress|still (?:failing|running|open))\b/i,
};

/** The kind of content that a memory must not hold; null when none is found. */
export function pollutionOf(line: string): string | null {
  for (const [kind, words] of Object.entries(POLLUTION)) if (words.test(line)) return kind;
  return null;
}
