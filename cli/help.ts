/** The output of `help`, made from the one table of options. */
import { wrapWords } from './format.ts';
import { GROUPS, type OptionSpec } from './option-spec.ts';
import { defaultText } from './options.ts';
import { PROGRAM } from './program.ts';
import {
  allOptionsOf,
  isHere,
  isOnStack,
  stackUsageOf,
  type VerbEntry,
  type VerbFile,
  type VerbTable,
} from './verb.ts';

const EXIT_CODES =
  'Exit codes: 0 finished, 1 unexpected error, 2 bad arguments or refused, 3 a limit was reached, ' +
  '4 nothing could be fetched or found, 5 hooks failed, 6 broken links, 7 the proxy failed, 130 interrupted.';

/** The verbs of which the page of the whole has an example. */
const OVERVIEW = ['crawl', 'resume', 'status', 'report', 'explain', 'export', 'help'];

/** The page of a verb, or of the whole; lines of at most `columns` characters, taken between 80 and 100. */
export async function helpText(table: VerbTable, verb?: string, columns = 100): Promise<string> {
  const width = Math.min(100, Math.max(80, columns));
  const entry = verb === undefined || verb === 'help' ? undefined : table[verb];
  const lines = entry ? verbPage(entry, await entry.load(), width) : await overview(table, width);
  return `${lines.join('\n')}\n`;
}

async function overview(table: VerbTable, width: number): Promise<string[]> {
  const verbs = await Promise.all(
    Object.entries(table).map(async ([name, entry]) => ({ name, ...entry, ...(await entry.load()) })),
  );
  const longest = Math.max(...verbs.map(({ usage }) => usage.length));
  const onStack = verbs.filter(isOnStack).map(({ name }) => name);
  return [
    'Strand: a polite web crawler that writes WARC files and never loses a URL.',
    '',
    'Examples:',
    ...verbs.filter(({ name }) => OVERVIEW.includes(name)).map(({ examples }) => exampleLine(examples[0]!)),
    exampleLine('--stack Strand crawl example.org --watch'),
    '',
    'Commands:',
    ...verbs.flatMap((verb) => columnsOf(verb.usage, sentencesOf(verb, verb), longest, width)),
    ...columnsOf('--version', 'The version.', longest, width),
    '',
    ...wrapWords(
      `On a deployed stack (--stack NAME): ${onStack.join(', ')}, with the name of a CRAWL instead of DIR.`.split(
        ' ',
      ),
      width,
    ),
    '',
    ...wrapWords(EXIT_CODES.split(' '), width),
    `Options of a command: ${PROGRAM} help COMMAND`,
  ];
}

const sentencesOf = ({ summary }: VerbEntry, { more }: VerbFile): string =>
  `${summary}.${more === undefined ? '' : ` ${more}`}`;

function verbPage(entry: VerbEntry, file: VerbFile, width: number): string[] {
  const options = allOptionsOf(entry, file);
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
  ];
}

function exampleLine(example: string): string {
  // npm's own banner would go into the file.
  if (example.includes(' > ')) return `  ${PROGRAM.replace('npm run', 'npm run --silent')} ${example}`;
  const hasShortForm = PROGRAM.startsWith('npm run') && example.startsWith('crawl ');
  return hasShortForm ? `  npm run crawl --${example.slice(5)}` : `  ${PROGRAM} ${example}`;
}

/** `--delay TIME`, `--allow-private-addresses[=CIDR,...]`, `--[no-]adaptive`. */
function usageOf({ name, argument, type, isNegatable }: OptionSpec): string {
  if (type === 'addresses') return `--${name}[=${argument}]`;
  return `--${isNegatable ? '[no-]' : ''}${name}${argument ? ` ${argument}` : ''}`;
}

function helpOf(option: OptionSpec, entry: VerbEntry): string {
  const preset = defaultText(option);
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

/** The options of a verb as a Markdown table, for docs/cli.md. */
export function optionsMarkdown(entry: VerbEntry, file: VerbFile): string {
  const rows = allOptionsOf(entry, file).map((option) => {
    const cells = [`\`${usageOf(option)}\``, meaningOf(option, entry), defaultText(option) ?? ''];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| option | meaning | default |', '|---|---|---|', ...rows].join('\n');
}
