/** What `help` prints, made from the one table of options. */
import { wrapWords } from './format.ts';
import { defaultText, GROUPS, type OptionSpec, optionsOf, PROGRAM, VERBS, type Verb } from './options.ts';

interface VerbHelp {
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly string[];
}

const VERB_HELP: Readonly<Record<Verb, VerbHelp>> = {
  crawl: {
    usage: 'crawl SEED... [options]',
    summary: 'Crawl from the seeds (https where they name no scheme) into WARC files.',
    examples: [
      'crawl example.org --contact me@example.org --max-pages 100',
      'crawl --seeds seeds.txt --max-time 2h --contact me@example.org',
      'crawl http://localhost:8080/ --allow-private-addresses --delay 0',
    ],
  },
  resume: {
    usage: 'resume DIR [options]',
    summary: 'Go on with a crawl that was interrupted or met a limit, perhaps with higher limits.',
    examples: ['resume crawls/example.org', 'resume crawls/example.org --max-pages 5000'],
  },
  status: {
    usage: 'status DIR [options]',
    summary: 'How far a crawl is: pages, URLs, hosts, errors.',
    examples: ['status crawls/example.org', 'status crawls/example.org --json'],
  },
  url: {
    usage: 'url DIR URL [options]',
    summary: 'What happened to a URL.',
    examples: ['url crawls/example.org https://example.org/about'],
  },
  export: {
    usage: 'export DIR --format jsonl|csv',
    summary: 'Every known URL and what became of it, on standard output.',
    examples: ['export crawls/example.org --format csv > urls.csv'],
  },
  help: { usage: 'help [VERB]', summary: 'This page, or that of a command.', examples: ['help crawl'] },
};

const EXIT_CODES =
  'Exit codes: 0 finished, 1 unexpected error, 2 bad arguments or refused, 3 a limit was reached, ' +
  '4 nothing could be fetched, 130 interrupted.';

/** The page of a verb, or of the whole; lines of at most `columns` characters, taken between 80 and 100. */
export function helpText(verb?: Verb, columns = 100): string {
  const width = Math.min(100, Math.max(80, columns));
  return `${(verb === undefined || verb === 'help' ? overview(width) : verbPage(verb, width)).join('\n')}\n`;
}

function overview(width: number): string[] {
  const longest = Math.max(...VERBS.map((verb) => VERB_HELP[verb].usage.length));
  return [
    'Strand: a polite web crawler that writes WARC files and never loses a URL.',
    '',
    'Examples:',
    ...VERBS.flatMap((verb) => VERB_HELP[verb].examples.slice(0, 1)).map(exampleLine),
    '',
    'Commands:',
    ...VERBS.flatMap((verb) => columnsOf(VERB_HELP[verb].usage, VERB_HELP[verb].summary, longest, width)),
    ...columnsOf('--version', 'The version.', longest, width),
    '',
    ...wrapWords(EXIT_CODES.split(' '), width),
    `Options of a command: ${PROGRAM} help COMMAND`,
  ];
}

function verbPage(verb: Verb, width: number): string[] {
  const { usage, summary, examples } = VERB_HELP[verb];
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
    `Usage: ${PROGRAM} ${usage}`,
    ...GROUPS.flatMap((group) => {
      const lines = options
        .filter((option) => option.group === group)
        .flatMap((option) => columnsOf(usageOf(option), helpOf(option), longest, width));
      return lines.length > 0 ? ['', `${group}:`, ...lines] : [];
    }),
  ];
}

function exampleLine(example: string): string {
  // npm's own banner would go into the file.
  if (example.includes(' > ')) return `  ${PROGRAM.replace('run', 'run --silent')} ${example}`;
  return example.startsWith('crawl ') ? `  npm run crawl --${example.slice(5)}` : `  ${PROGRAM} ${example}`;
}

/** `--delay TIME`, `--allow-private-addresses[=CIDR,...]`, `--[no-]adaptive`. */
function usageOf({ name, argument, type, isNegatable }: OptionSpec): string {
  if (type === 'addresses') return `--${name}[=${argument}]`;
  return `--${isNegatable ? '[no-]' : ''}${name}${argument ? ` ${argument}` : ''}`;
}

function helpOf(option: OptionSpec): string {
  const preset = defaultText(option);
  return preset === undefined ? option.help : `${option.help} (default ${preset})`;
}

/** Two columns; a left text that is longer than its column has a line of its own. */
function columnsOf(left: string, right: string, leftWidth: number, width: number): string[] {
  const indent = ' '.repeat(leftWidth + 4);
  const lines = wrapWords(right.split(' '), width - indent.length).map((line) => indent + line);
  if (left.length > leftWidth) return [`  ${left}`, ...lines];
  return [`  ${left}`.padEnd(indent.length) + lines[0]!.trimStart(), ...lines.slice(1)];
}

/** The options of a verb as a Markdown table, for the README. */
export function optionsMarkdown(verb: Verb): string {
  const rows = optionsOf(verb).map((option) => {
    const cells = [`\`${usageOf(option)}\``, option.help, defaultText(option) ?? ''];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| option | meaning | default |', '|---|---|---|', ...rows].join('\n');
}
