/** Scripts by which shells complete commands, options and their choices. Made from the tables of both. */
import type { OptionSpec } from './option-spec.ts';
import { optionsOf } from './options.ts';
import { VERB_HELP } from './verb-help.ts';
import { VERBS, type Verb } from './verbs.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const PROGRAMS = ['strand', 'strand-crawler'] as const;

export const completionScript = (shell: Shell): string => SCRIPTS[shell]();

const SCRIPTS: Readonly<Record<Shell, () => string>> = { bash, zsh, fish };

/** `--adaptive`, `--no-adaptive` */
const flagsOf = ({ name, isNegatable }: OptionSpec): string[] =>
  isNegatable ? [`--${name}`, `--no-${name}`] : [`--${name}`];

const wordsOf = (verb: Verb): string[] => [...new Set([...optionsOf(verb).flatMap(flagsOf), '--help'])];

/** The choices of each option that has some. */
function choices(): Map<string, readonly string[]> {
  const all = VERBS.flatMap((verb) => optionsOf(verb)).filter((option) => option.choices !== undefined);
  return new Map(all.map(({ name, choices = [] }) => [`--${name}`, choices]));
}

const isSeparate = ({ type }: OptionSpec): boolean => type !== 'flag' && type !== 'addresses';

/** Options that take the next word. */
const valued = (): string[] => [
  ...new Set(
    VERBS.flatMap((verb) =>
      optionsOf(verb)
        .filter(isSeparate)
        .map(({ name }) => `--${name}`),
    ),
  ),
];

/** The body that bash and zsh share: it sets `candidates` from the words before the cursor. */
const candidates = (): string => `  local verb="" word skip=""
  for word in "\${before[@]}"; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${valued().join('|')}) skip=1 ;;
      -*) ;;
      *) [[ -z $verb ]] && verb="$word" ;;
    esac
  done
  local candidates=""
  case "$previous" in
${[...choices()].map(([flag, values]) => `    ${flag}) candidates="${values.join(' ')}" ;;`).join('\n')}
  esac
  if [[ -z $candidates && -z $skip ]]; then
    case "$verb" in
      "") candidates="${VERBS.join(' ')} --help --version" ;;
${VERBS.map((verb) => `      ${verb}) [[ "$current" == -* ]] && candidates="${wordsOf(verb).join(' ')}" ;;`).join('\n')}
    esac
  fi`;

function bash(): string {
  return `# bash completion of strand: source <(strand completion bash)
_strand() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${candidates()}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _strand ${PROGRAMS.join(' ')}
`;
}

function zsh(): string {
  return `#compdef ${PROGRAMS.join(' ')}
# zsh completion of strand: source <(strand completion zsh)
_strand() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}"
  local -a before=("\${(@)words[2,CURRENT-1]}")
${candidates()}
  if [[ -n $candidates ]]; then compadd -- \${=candidates}; else _files; fi
}
compdef _strand ${PROGRAMS.join(' ')}
`;
}

function fish(): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const verbs = VERBS.map(
    (verb) => `-n __fish_use_subcommand -f -a ${verb} -d ${quote(VERB_HELP[verb].summary)}`,
  );
  const options = VERBS.flatMap((verb) =>
    optionsOf(verb).flatMap((option) =>
      flagsOf(option).map((flag) => {
        const value = option.choices
          ? ` -x -a ${quote(option.choices.join(' '))}`
          : isSeparate(option)
            ? ' -r'
            : '';
        return `-n ${quote(`__fish_seen_subcommand_from ${verb}`)} -l ${flag.slice(2)}${value} -d ${quote(option.help)}`;
      }),
    ),
  );
  const lines = PROGRAMS.flatMap((program) =>
    [...verbs, ...options].map((line) => `complete -c ${program} ${line}`),
  );
  return `# fish completion of strand: strand completion fish | source\n${lines.join('\n')}\n`;
}
