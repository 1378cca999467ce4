/** The page of a command, made from its file. */
import { exitCodes, exitCodeTexts } from './exit-codes.ts';
import { wrapWords } from './format.ts';
import { GROUPS, type OptionSpec } from './option-spec.ts';
import { exampleLine, PROGRAM } from './program.ts';
import { allOptionsOf, isHere, isOnStack, stackUsageOf, type VerbEntry, type VerbFile } from './verb.ts';

/** `0 finished, 1 unexpected error` */
const exitCodesText = (): string =>
  Object.entries(exitCodeTexts)
    .map(([name, text]) => `${exitCodes[name as keyof typeof exitCodes]} ${text}`)
    .join(', ');

const sentencesOf = ({ summary }: VerbEntry, { more }: VerbFile): string =>
  `${summary}.${more === undefined ? '' : ` ${more}`}`;

export function verbPage(
  entry: VerbEntry,
  file: VerbFile,
  { width, all }: { readonly width: number; readonly all: boolean },
): string[] {
  const every = allOptionsOf(entry, file);
  const { usual } = file;
  const options = all || !usual ? every : every.filter(({ name }) => usual.includes(name));
  const left = every.length - options.length;
  const longest = Math.max(
    0,
    ...options.map((option) => usageOf(option).length).filter((length) => length <= 28),
  );
  const usages = [
    ...(isHere(entry) ? [file.usage] : []),
    ...(isOnStack(entry) ? [`--stack NAME ${stackUsageOf(entry, file)}`] : []),
  ];
  return [
    ...wrapWords(sentencesOf(entry, file).split(' '), width),
    '',
    'Examples:',
    ...file.examples.map(exampleLine),
    '',
    ...usages.map((usage, i) => `${i === 0 ? 'Usage:' : '      '} ${PROGRAM} ${usage}`),
    ...GROUPS.flatMap((group) => {
      const lines = options
        .filter((option) => option.group === group)
        .flatMap((option) => columnsOf(usageOf(option), helpOf(option, entry), longest, width));
      return lines.length > 0 ? ['', `${group}:`, ...lines] : [];
    }),
    ...(left > 0 ? ['', `${left} more options: ${PROGRAM} help ${file.usage.split(' ')[0]} --all`] : []),
    ...(usual ? ['', ...wrapWords(`Exit codes: ${exitCodesText()}.`.split(' '), width)] : []),
  ];
}

/** `--delay TIME`, `--allow-private-addresses[=CIDR,...]`, `--[no-]adaptive`. */
export function usageOf({ name, argument, type, isNegatable }: OptionSpec): string {
  if (type === 'addresses') return `--${name}[=${argument}]`;
  return `--${isNegatable ? '[no-]' : ''}${name}${argument ? ` ${argument}` : ''}`;
}

function helpOf(option: OptionSpec, entry: VerbEntry): string {
  const { preset } = option;
  return preset === undefined ? meaningOf(option, entry) : `${meaningOf(option, entry)} (default ${preset})`;
}

/** Returns the meaning of the option, with the only place where it applies for a verb of both places. */
function meaningOf({ help, group, only }: OptionSpec, { at }: VerbEntry): string {
  if (group === 'Stack' || at !== 'both' || only === undefined) return help;
  return `${help}; ${only === 'here' ? 'not with --stack' : 'only with --stack'}`;
}

/** Two columns; a left text that is longer than its column has a line of its own. */
function columnsOf(left: string, right: string, leftWidth: number, width: number): string[] {
  const indent = ' '.repeat(leftWidth + 4);
  const lines = wrapWords(right.split(' '), width - indent.length).map((line) => indent + line);
  if (left.length > leftWidth) return [`  ${left}`, ...lines];
  return [`  ${left}`.padEnd(indent.length) + lines[0]!.trimStart(), ...lines.slice(1)];
}

/** The table of a verb's options, for docs/cli.md. */
export const optionRows = (entry: VerbEntry, file: VerbFile): string[][] => [
  ['option', 'meaning', 'default'],
  ...allOptionsOf(entry, file).map((option) => [
    `\`${usageOf(option)}\``,
    meaningOf(option, entry),
    option.preset ?? '',
  ]),
];
