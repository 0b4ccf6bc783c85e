import { priceSettings } from '../describe-command.js';

/** The setting that `--predict` stands for. */
const PREDICTED = 'mode=predict';

/** Options that stand for settings. */
interface Settings {
  readonly set?: readonly string[];
  readonly predict?: boolean;
  readonly pricesOf?: string;
}

/** Options with `--predict` as the setting that it stands for. */
export function withPredict<T extends Settings>(options: T) {
  const { set = [], predict } = options;
  return { ...options, set: predict === true ? [...set, PREDICTED] : set };
}

/** The same with the day of the prices. */
export function withSet<T extends Settings>(options: T) {
  return { ...options, set: [...withPredict(options).set, ...priceSettings(options)] };
}

/** What holds at every point: the policy first, since other settings may be its own. */
export function withPolicy<T extends Settings & { readonly policy?: string }>(options: T) {
  const { policy } = options;
  const { set } = withSet(options);
  return { ...options, set: policy === undefined ? set : [`policy=${JSON.stringify(policy)}`, ...set] };
}

/** The options of a search as the commands take them. */
export function searched<T extends { readonly policy?: string; readonly subjectTo?: readonly string[] }>(
  options: T,
) {
  return { ...withPolicy(options), subjectTo: options.subjectTo ?? [] };
}

/** Policy files among the policies of an option: names with an ending. */
export function policyFiles(policy: string | undefined): readonly string[] {
  return (policy ?? '').split(',').filter((name) => /\.ya?ml$/i.test(name));
}
