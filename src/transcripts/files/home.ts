import { homedir } from 'node:os';

/** The home folder, as the environment names it. */
export function homeFolder(env: Readonly<Record<string, string | undefined>> = {}): string {
  const { HOME = '', USERPROFILE = '' } = env;
  if (HOME !== '') return HOME;
  return USERPROFILE === '' ? homedir() : USERPROFILE;
}

/** A path with a leading `~` replaced by the home folder. */
export function withHome(path: string, home: string): string {
  return path === '~' ? home : path.replace(/^~(?=[\\/])/, () => home);
}
