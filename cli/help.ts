/** The output of `help`, made from the one table of options. */
import { wrapWords } from './format.ts';
import { GROUPS, type OptionSpec } from './option-spec.ts';
import { defaultText, optionsOf } from './options.ts';
import { PROGRAM } from './program.ts';
import { VERB_HELP } from './verb-help.ts';
import { isLocalVerb, isStackVerb, STACK_VERBS, VERBS, type Verb } from './verbs.ts';

const EXIT_CODES =
  'Exit codes: 0 finished, 1 unexpected error, 2 bad arguments or refused, 3 a limit was reached, ' +
  '4 nothing could be fetched or found, 5 hooks failed, 6 broken links, 7 the proxy failed, 130 interrupted.';

/** The verbs of which the page of the whole has an example. */
const OVERVIEW: readonly Verb[] = ['crawl', 'resume', 'status', 'report', 'explain', 'export', 'help'];

/** The page of a verb, or of the whole; lines of at most `columns` characters, taken between 80 and 100. */
export function helpText(verb?: Verb, columns = 100): string {
  const width = Math.min(100, Math.max(80, columns));
  return `${(verb === undefined || verb === 'help' ? overview(width) : verbPage(verb, width)).join('\n')}\n`;
}

function overview(width: number): string[] {
  const longest = Math.max(...VERBS.map((verb) => VERB_HELP[verb].usage.length));
  const lines = (verbs: readonly Verb[]) =>
    verbs.flatMap((verb) => columnsOf(VERB_HELP[verb].usage, VERB_HELP[verb].summary, longest, width));
  return [
    'Strand: a polite web crawler that writes WARC files and never loses a URL.',
    '',
    'Examples:',
    ...OVERVIEW.flatMap((verb) => VERB_HELP[verb].examples.slice(0, 1)).map(exampleLine),
    exampleLine('--stack Strand crawl example.org --watch'),
    '',
    'Commands:',
    ...lines(VERBS),
    ...columnsOf('--version', 'The version.', longest, width),
    '',
    ...wrapWords(
      `On a deployed stack (--stack NAME): ${STACK_VERBS.join(', ')}, with the name of a CRAWL instead of DIR.`.split(
        ' ',
      ),
      width,
    ),
    '',
    ...wrapWords(EXIT_CODES.split(' '), width),
    `Options of a command: ${PROGRAM} help COMMAND`,
  ];
}

function verbPage(verb: Verb, width: number): string[] {
  const { usage, stackUsage, summary, examples } = VERB_HELP[verb];
  const options = optionsOf(verb);
  const longest = Math.max(
    0,
    ...options.map((option) => usageOf(option).length).filter((length) => length <= 28),
  );
  return [
    ...wrapWords(summary.split(' '), width),
    '',
    'Examples:',
    ...examples.map(exampleLine),
    '',
    `Usage: ${PROGRAM} ${isLocalVerb(verb) ? usage : `--stack NAME ${usage}`}`,
    ...(stackUsage === undefined ? [] : [`       ${PROGRAM} --stack NAME ${stackUsage}`]),
    ...GROUPS.flatMap((group) => {
      const lines = options
        .filter((option) => option.group === group)
        .flatMap((option) => columnsOf(usageOf(option), helpOf(option, verb), longest, width));
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

function helpOf(option: OptionSpec, verb: Verb): string {
  const preset = defaultText(option);
  return preset === undefined ? meaningOf(option, verb) : `${meaningOf(option, verb)} (default ${preset})`;
}

/** Returns the meaning of the option, with the only place where it applies for a verb of both places. */
function meaningOf(option: OptionSpec, verb: Verb): string {
  if (option.group === 'Stack' || !isLocalVerb(verb) || !isStackVerb(verb)) return option.help;
  if (!optionsOf(verb, 'stack').includes(option)) return `${option.help}; not with --stack`;
  if (!optionsOf(verb, 'local').includes(option)) return `${option.help}; only with --stack`;
  return option.help;
}

/** Two columns; a left text that is longer than its column has a line of its own. */
function columnsOf(left: string, right: string, leftWidth: number, width: number): string[] {
  const indent = ' '.repeat(leftWidth + 4);
  const lines = wrapWords(right.split(' '), width - indent.length).map((line) => indent + line);
  if (left.length > leftWidth) return [`  ${left}`, ...lines];
  return [`  ${left}`.padEnd(indent.length) + lines[0]!.trimStart(), ...lines.slice(1)];
}

/** The options of a verb as a Markdown table, for docs/cli.md. */
export function optionsMarkdown(verb: Verb): string {
  const rows = optionsOf(verb).map((option) => {
    const cells = [`\`${usageOf(option)}\``, meaningOf(option, verb), defaultText(option) ?? ''];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| option | meaning | default |', '|---|---|---|', ...rows].join('\n');
}
