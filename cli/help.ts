/** The output of `help`. */
import { wrapWords } from './format.ts';
import { exampleLine, PROGRAM } from './program.ts';
import { VERB_GROUPS, type VerbTable } from './verb.ts';

export interface HelpOptions {
  /** Lines have at most as many characters, taken between 80 and 100. */
  readonly columns?: number | undefined;
  /** All options, not only those that most need. */
  readonly all?: boolean | undefined;
}

/** The page of a verb, or of the whole. */
export async function helpText(
  table: VerbTable,
  verb?: string,
  { columns = 100, all = false }: HelpOptions = {},
): Promise<string> {
  const width = Math.min(100, Math.max(80, columns));
  const entry = verb === undefined || verb === 'help' ? undefined : table[verb];
  const lines = entry
    ? (await import('./verb-page.ts')).verbPage(entry, await entry.load(), { width, all })
    : overview(table, width);
  return `${lines.join('\n')}\n`;
}

/** Fits one screen: a line for each command. */
function overview(table: VerbTable, width: number): string[] {
  const commands = VERB_GROUPS.flatMap((group) =>
    Object.entries(table)
      .filter(([, entry]) => entry.group === group)
      .map(([name, { summary }], i) => `${(i === 0 ? group : '').padEnd(12)}${name.padEnd(12)}${summary}`),
  );
  return [
    'Strand: a polite web crawler that writes WARC files and never loses a URL.',
    '',
    exampleLine('crawl example.org --contact me@example.org --max-pages 100'),
    exampleLine('--stack Strand crawl example.org --watch'),
    '',
    ...commands,
    '',
    ...wrapWords(
      `With --stack NAME: on a deployed stack. Page of a command: ${PROGRAM} help COMMAND`.split(' '),
      width,
    ),
  ];
}
