/** Scripts by which shells complete commands, options and their choices. Made from the tables of both. */
import type { OptionSpec } from './option-spec.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const PROGRAMS = ['strand', 'strand-crawler'] as const;

/** A command with all of its options. */
interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
}

type Verbs = readonly CompletedVerb[];

export const completionScript = (shell: Shell, verbs: Verbs): string => SCRIPTS[shell](verbs);

const SCRIPTS: Readonly<Record<Shell, (verbs: Verbs) => string>> = { bash, zsh, fish };

/** `--adaptive`, `--no-adaptive` */
const flagsOf = ({ name, isNegatable }: OptionSpec): string[] =>
  isNegatable ? [`--${name}`, `--no-${name}`] : [`--${name}`];

const wordsOf = ({ options }: CompletedVerb): string[] => [
  ...new Set([...options.flatMap(flagsOf), '--help']),
];

/** The choices of each option that has some. */
function choicesOf(verbs: Verbs): Map<string, readonly string[]> {
  const all = verbs.flatMap(({ options }) => options).filter((option) => option.choices !== undefined);
  return new Map(all.map(({ name, choices = [] }) => [`--${name}`, choices]));
}

const isSeparate = ({ type }: OptionSpec): boolean => type !== 'flag' && type !== 'addresses';

/** Options that take the next word. */
const valuedOf = (verbs: Verbs): string[] => [
  ...new Set(verbs.flatMap(({ options }) => options.filter(isSeparate).map(({ name }) => `--${name}`))),
];

/** The body that bash and zsh share: it sets `candidates` from the words before the cursor. */
const candidatesOf = (verbs: Verbs): string => `  local verb="" word skip=""
  for word in "\${before[@]}"; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${valuedOf(verbs).join('|')}) skip=1 ;;
      -*) ;;
      *) [[ -z $verb ]] && verb="$word" ;;
    esac
  done
  local candidates=""
  case "$previous" in
${[...choicesOf(verbs)].map(([flag, values]) => `    ${flag}) candidates="${values.join(' ')}" ;;`).join('\n')}
  esac
  if [[ -z $candidates && -z $skip ]]; then
    case "$verb" in
      "") candidates="${verbs.map(({ name }) => name).join(' ')} --help --version" ;;
${verbs.map((verb) => `      ${verb.name}) [[ "$current" == -* ]] && candidates="${wordsOf(verb).join(' ')}" ;;`).join('\n')}
    esac
  fi`;

function bash(verbs: Verbs): string {
  return `# bash completion of strand: source <(strand completion bash)
_strand() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${candidatesOf(verbs)}
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _strand ${PROGRAMS.join(' ')}
`;
}

function zsh(verbs: Verbs): string {
  return `#compdef ${PROGRAMS.join(' ')}
# zsh completion of strand: source <(strand completion zsh)
_strand() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}"
  local -a before=("\${(@)words[2,CURRENT-1]}")
${candidatesOf(verbs)}
  if [[ -n $candidates ]]; then compadd -- \${=candidates}; else _files; fi
}
compdef _strand ${PROGRAMS.join(' ')}
`;
}

function fish(verbs: Verbs): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const commands = verbs.map(
    ({ name, summary }) => `-n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
  );
  const options = verbs.flatMap((verb) =>
    verb.options.flatMap((option) =>
      flagsOf(option).map((flag) => {
        const value = option.choices
          ? ` -x -a ${quote(option.choices.join(' '))}`
          : isSeparate(option)
            ? ' -r'
            : '';
        return `-n ${quote(`__fish_seen_subcommand_from ${verb.name}`)} -l ${flag.slice(2)}${value} -d ${quote(option.help)}`;
      }),
    ),
  );
  const lines = PROGRAMS.flatMap((program) =>
    [...commands, ...options].map((line) => `complete -c ${program} ${line}`),
  );
  return `# fish completion of strand: strand completion fish | source\n${lines.join('\n')}\n`;
}
