/** Characters of a line that tell what it is. */
const TELLING_CHARS = 400;

/** Begins like the output of a program: a time, a level, a place in a stack, a mark of a test runner. */
const LOG =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d{1,2}:\d\d\b|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|FAIL|PASS)\b|npm (?:WARN|ERR)|Traceback\b|at [\w.<>$]+ ?\(|\w*(?:Error|Exception): |error TS\d|[✓✔✗×✖●]|warning:|error:)/;

/** Begins like a line of a listing: permissions, a tree, a state of version control. */
const LISTING = /^\s*(?:[d-][rwx-]{9}|[├└│]|[MADRU?]{1,2} \S+\/\S*$)/;

/** Begins or ends like code or a command. */
const CODE_START =
  /^\s*(?:(?:const|let|var|import|export|return|def|async|public|private|function|class) [^.?!]*[(){};:=<>]|(?:if|for|while|switch) ?\(|for \w+ in |SELECT |INSERT |DELETE FROM|CREATE TABLE|[<{}[\]#$@]|\/\/|(?:npm|npx|pnpm|yarn|git|docker|kubectl|cargo|pip|curl|sudo) (?:-|install|run|test|ci|add|commit|push|pull|checkout|status|log|rebase|build|exec|compose|get|apply|start)\b)/;
const CODE_END = /(?:[{};]|=>|\(\))\s*$/;

/** Quoted from elsewhere, or set off as code. */
const SET_OFF = /^(?:\s*>| {4}|\t)/;

/** A file's name. */
const FILE_NAME = /^[\w@.~-]+\.[a-z]{1,5}$/;

/** Characters that prose hardly has. */
const SYMBOLS = '{}()[]<>=;$|&\\^~_%@';

/** Share of such characters above which a line is no prose (assumed). */
const MAX_SYMBOL_SHARE = 0.08;

/** True for a line that somebody wrote as a sentence: neither code nor log nor listing nor quotation. */
export function isProse(whole: string): boolean {
  const line = whole.slice(0, TELLING_CHARS);
  if (line.trim() === '' || SET_OFF.test(line) || LOG.test(line) || LISTING.test(line)) return false;
  if (CODE_START.test(line) || CODE_END.test(line) || isListOfPaths(line)) return false;
  return symbolsIn(line) <= line.length * MAX_SYMBOL_SHARE;
}

function isListOfPaths(line: string): boolean {
  const words = line.split(' ').filter((word) => word !== '' && word !== '-' && word !== '*');
  return words.every((word) => word.includes('/') || FILE_NAME.test(word));
}

function symbolsIn(line: string): number {
  let count = 0;
  for (const char of line) if (SYMBOLS.includes(char)) count++;
  return count;
}
