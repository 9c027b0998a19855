import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

interface Entry {
  /** The words before, e.g. `note get`. */
  readonly at: string;
  readonly words: readonly string[];
}

/** A completion script for commands and options, to be sourced by the shell. */
export function completionScript(shell: Shell, program: Command): string {
  const entries = entriesOf(program, []);
  if (shell === 'fish') return fishScript(entries);
  const bash = bashScript(entries);
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function entriesOf(command: Command, path: readonly string[]): Entry[] {
  const options = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  const words = [...command.commands.map((each) => each.name()), ...options, '--help'];
  return [
    { at: path.join(' '), words },
    ...command.commands.flatMap((each) => entriesOf(each, [...path, each.name()])),
  ];
}

function bashScript(entries: readonly Entry[]): string {
  const cases = entries.map(({ at, words }) => `    '${at}') words='${words.join(' ')}' ;;`).join('\n');
  return `_lectern() {
  local at='' word words=''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$word" in
      -*) break ;;
      *) case " $_lectern_paths " in *" \${at:+\${at// /.}.}$word "*) at="\${at:+$at }$word" ;; *) break ;; esac ;;
    esac
  done
  case "$at" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
_lectern_paths='${entries
    .map(({ at }) => at.replaceAll(' ', '.'))
    .filter((at) => at !== '')
    .join(' ')}'
complete -o default -F _lectern lectern
`;
}

/** A group completes its commands for the next word only, a command its options for every later word. */
function fishScript(entries: readonly Entry[]): string {
  const isGroup = (at: string) => entries.some((entry) => entry.at.startsWith(at === '' ? '' : `${at} `));
  const lines = entries.map(({ at, words }) => {
    const before = ['lectern', at].filter((word) => word !== '').join(' ');
    const behind = at === '' || isGroup(at) ? { end: ' +[^ ]*\\$', files: ' -f' } : { end: ' ', files: '' };
    return `complete -c lectern${behind.files} -n '__lectern_at "^${before.replaceAll(' ', ' +')}${behind.end}"' -a '${words.join(' ')}'`;
  });
  return `function __lectern_at
  string match -qr -- $argv[1] (commandline -cp)
end
${lines.join('\n')}
`;
}
