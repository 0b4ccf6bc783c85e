import type { CommandValues } from '../../commands.generated.js';
import { type CommandDescription, type DescribedValue, optionOf } from '../../describe-command.js';
import { type CliSession, EXIT, type ExitCode, printJson } from '../../session.js';

/** An option, as shells complete it. */
export interface CompletedOption {
  /** With their dashes, the long one first. */
  readonly names: readonly string[];
  readonly description: string;
  /** What its value may be; null if it takes none, empty if any value is allowed (a file is offered). */
  readonly values: readonly string[] | null;
}

/** A command, as shells complete it. */
export interface CompletedCommand {
  /** Names of the commands that lead to it; empty for ccbench itself. */
  readonly path: string;
  readonly description: string;
  /** Commands below it, with what they do. */
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** Words that its first argument may be. */
  readonly words: readonly string[];
  /** Whether its arguments may be files. */
  readonly takesFiles: boolean;
}

/** The shells that have a script. */
type Shell = CommandValues['completion'][0];

type Tree = readonly CompletedCommand[];

/** A text between single quotes, for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const wordsOf = ({ commands, words }: CompletedCommand): readonly string[] => [
  ...commands.map(({ name }) => name),
  ...words,
];

const withValue = ({ options }: CompletedCommand): readonly CompletedOption[] =>
  options.filter(({ values }) => values !== null);

/** Pairs of a command and one of the options of it that take a value, as a pattern of `case`. */
function valueCases(tree: Tree, reply: (values: readonly string[]) => string): readonly string[] {
  return tree.flatMap((command) =>
    withValue(command).map(({ names, values }) => {
      const pattern = names.map((name) => quoted(`${command.path}:${name}`)).join('|');
      return `    ${pattern}) ${reply(values!)} return ;;`;
    }),
  );
}

/** Patterns of `case` for every command that has a name. */
function pathPattern(tree: Tree): string {
  return tree
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path.includes(' ') ? path : ` ${path}`))
    .join('|');
}

function bash(tree: Tree): string {
  const words = (list: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quoted(list.join(' '))} -- "$cur"));`;
  return `# Completion of ccbench for bash. In ~/.bashrc: eval "$(ccbench completion bash)"
_ccbench() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} path='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${pathPattern(tree)}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path:$prev" in
${valueCases(tree, (values) => (values.length === 0 ? '' : words(values)).trim()).join('\n')}
  esac
  case "$cur:$path" in
${tree
  .map((command) => {
    const options = command.options.flatMap(({ names }) => names);
    return `    -*${quoted(`:${command.path}`)}) ${words(options)} return ;;`;
  })
  .join('\n')}
${tree
  .filter((command) => wordsOf(command).length > 0)
  .map((command) => `    *${quoted(`:${command.path}`)}) ${words(wordsOf(command))} return ;;`)
  .join('\n')}
  esac
}
complete -o default -F _ccbench ccbench
`;
}

function zsh(tree: Tree): string {
  const described = (list: readonly (readonly [string, string])[]): string =>
    `(${list.map(([name, text]) => quoted(`${name.replaceAll(':', '\\:')}:${text}`)).join(' ')})`;
  return `#compdef ccbench
# Completion of ccbench for zsh. In ~/.zshrc, after compinit: eval "$(ccbench completion zsh)"
_ccbench() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} at='' i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      ${pathPattern(tree)}) at="\${at:+$at }\${words[i]}" ;;
    esac
  done
  case "$at:$prev" in
${valueCases(tree, (values) => (values.length === 0 ? '_files;' : `compadd -- ${values.map(quoted).join(' ')};`)).join('\n')}
  esac
  case "$cur:$at" in
${tree
  .map((command) => {
    const options = command.options.flatMap(({ names, description }) =>
      names.map((name) => [name, description] as const),
    );
    return `    -*${quoted(`:${command.path}`)}) found=${described(options)}; _describe option found; return ;;`;
  })
  .join('\n')}
${tree
  .filter((command) => wordsOf(command).length > 0)
  .map((command) => {
    const list = [
      ...command.commands.map(({ name, description }) => [name, description] as const),
      ...command.words.map((word) => [word, ''] as const),
    ];
    return `    *${quoted(`:${command.path}`)}) found=${described(list)}; _describe command found; return ;;`;
  })
  .join('\n')}
  esac
  _files
}
compdef _ccbench ccbench
`;
}

function fish(tree: Tree): string {
  const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const paths = tree.filter(({ path }) => path !== '').map(({ path }) => text(path));
  const lines = tree.flatMap((command) => {
    const at = `complete -c ccbench -n ${text(`__ccbench_at ${text(command.path)}`)}`;
    return [
      ...(command.takesFiles ? [] : [`${at} -f`]),
      ...command.commands.map(({ name, description }) => `${at} -a ${text(name)} -d ${text(description)}`),
      ...(command.words.length === 0 ? [] : [`${at} -f -a ${text(command.words.join(' '))}`]),
      ...command.options.map(({ names, description, values }) => {
        const flags = names.map((name) =>
          name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const value = values === null ? '' : values.length === 0 ? ' -r' : ` -x -a ${text(values.join(' '))}`;
        return `${at} ${flags.join(' ')}${value} -d ${text(description)}`;
      }),
    ];
  });
  return `# Completion of ccbench for fish: ccbench completion fish > ~/.config/fish/completions/ccbench.fish
function __ccbench_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join ' ' $at $word) ${paths.join(' ')}
            set at $at $word
        end
    end
    test (string join ' ' $at) = "$argv[1]"
end
${lines.join('\n')}
`;
}

function powershell(tree: Tree): string {
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
  const list = (values: readonly string[]): string => `@(${values.map(text).join(', ')})`;
  const entries = tree.map((command) => {
    const options = command.options.flatMap(({ names }) => names);
    const values = withValue(command).flatMap(({ names, values }) =>
      names.map((name) => `${text(name)} = ${list(values!)}`),
    );
    return `    ${text(command.path)} = @{ Words = ${list(wordsOf(command))}; Options = ${list(options)}; Values = @{ ${values.join('; ')} } }`;
  });
  return `# Completion of ccbench for PowerShell. In $PROFILE: ccbench completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ccbench -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $known = [System.Collections.Hashtable]::new([System.StringComparer]::Ordinal)
  @{
${entries.join('\n')}
  }.GetEnumerator() | ForEach-Object { $known[$_.Key] = $_.Value }
  $at = ''
  $previous = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    $previous = $element.ToString()
    $next = "$at $previous".Trim()
    if ($known.ContainsKey($next)) { $at = $next }
  }
  $command = $known[$at]
  $found =
    if ($command.Values.ContainsKey($previous)) { $command.Values[$previous] }
    elseif ($wordToComplete.StartsWith('-')) { $command.Options }
    else { $command.Words }
  $found | Where-Object { $_ -like "$wordToComplete*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`;
}

const WRITERS: Readonly<Record<Shell, (tree: Tree) => string>> = { bash, zsh, fish, powershell };

/** The words that a value may be, where they are known. */
function knownWords({ oneOf, anyOf }: DescribedValue): readonly string[] {
  return oneOf ?? anyOf ?? [];
}

function completedOption(described: DescribedValue): CompletedOption {
  const { long, short, description, required, optional } = optionOf(described);
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    description,
    values: required || optional ? knownWords(described) : null,
  };
}

/** A command and those below it, with what may follow each of them. */
function completed(
  { about, args, options, below }: CommandDescription,
  path: string,
): readonly CompletedCommand[] {
  const readers = args.map(knownWords);
  const own: CompletedCommand = {
    path,
    description: about,
    commands: [
      ...below.map((child) => ({ name: child.name, description: child.about })),
      ...(path === '' ? [{ name: 'help', description: 'show help for a command' }] : []),
    ],
    options: [
      ...options.map(completedOption),
      { names: ['--help', '-h'], description: 'show help', values: null },
    ],
    words: readers[0] ?? [],
    takesFiles: readers.some((words) => words.length === 0),
  };
  return [own, ...below.flatMap((child) => completed(child, `${path} ${child.name}`.trim()))];
}

/** `ccbench completion`: prints the script that teaches a shell to complete ccbench, `root`. */
export function completionCommand(session: CliSession, shell: Shell, root: CommandDescription): ExitCode {
  const script = WRITERS[shell](completed(root, ''));
  if (session.json) printJson(session, { shell, script });
  else session.host.stdout.write(script);
  return EXIT.fine;
}
