/** `strand` without words, on a terminal: three questions, and the command that they make. */
import { createInterface } from 'node:readline/promises';
import type { CrawlOptions } from '../shared/core/crawl/config.ts';
import { contactFault } from '../shared/services/begin/contact-fault.ts';
import { shellWord } from './command-at.ts';
import { parseDollars, parseDuration } from './format.ts';
import { exampleLine } from './program.ts';
import { seedUrl } from './seeds.ts';
import { UsageError } from './usage-error.ts';

/** Returns the user's answer. */
export type Ask = (question: string) => Promise<string>;

const DEFAULT_PAGES = '100';
const WHAT = 'What do you want to crawl? (a URL, such as example.org) ';
const WHERE = 'Where to? (a new folder, stack:NAME, or Enter for a folder in crawls) ';
const HOW_MUCH = `How much? (pages, a time such as 10m, $5 on a stack, or Enter for ${DEFAULT_PAGES} pages) `;
const WHO = 'How can owners of sites reach you? (a mail address or a page) ';

/**
 * Returns the words of the command. If the crawl needs a contact and the settings have none, that is asked for, too.
 * `say`: called with what is wrong with an answer, before the question is repeated.
 */
export async function askCommand(
  ask: Ask,
  project: CrawlOptions,
  say: (line: string) => void,
): Promise<string[]> {
  const again = async <T>(question: string, read: (answer: string) => T): Promise<T> => {
    for (;;) {
      const answer = await ask(question);
      try {
        return read(answer.trim());
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        say(error.message);
      }
    }
  };
  const seed = await again(WHAT, (answer) => seedUrl(answer));
  const where = await again(WHERE, placeWords);
  const amount = await again(HOW_MUCH, (answer) => amountWords(answer, where[0] === '--stack'));
  const contact = contactFault([seed], project) && (await again(WHO, (answer) => contactWords(seed, answer)));
  const place = where[0] === '--stack' ? [...where, 'crawl', seed, '--watch'] : ['crawl', seed, ...where];
  return [...place, ...amount, ...(contact ?? [])];
}

function placeWords(answer: string): string[] {
  if (answer === '') return [];
  const [, stack] = /^stack:(.*)$/.exec(answer) ?? [];
  if (stack === undefined) return answer.startsWith('-') ? [`--out=${answer}`] : ['--out', answer];
  if (stack === '') throw new UsageError('Expected stack:NAME');
  return ['--stack', stack];
}

function amountWords(answer: string, isOnStack: boolean): string[] {
  const text = answer === '' ? DEFAULT_PAGES : answer;
  if (/^[1-9]\d{0,14}$/.test(text)) return ['--max-pages', text];
  if (isOnStack && text.startsWith('$') && parseDollars(text.slice(1))) return ['--max-cost', text.slice(1)];
  if (parseDuration(text)) return ['--max-time', text];
  throw new UsageError(`Expected pages (100) or a time (10m)${isOnStack ? ' or a cost ($5)' : ''}`);
}

function contactWords(seed: string, answer: string): string[] {
  const fault = contactFault([seed], { contact: answer });
  if (fault !== undefined) throw new UsageError('Expected a mail address or a URL');
  return ['--contact', answer];
}

/** Asks on standard error. Undefined: the user has ended it. */
export async function askOnTerminal(): Promise<string[] | undefined> {
  const { readProject } = await import('../shared/services/project/project-file.ts');
  const { crawl } = await readProject(undefined);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    const ask: Ask = (question) => terminal.question(question, { signal: closed.signal });
    const words = await askCommand(ask, crawl, say);
    say(exampleLine(words.map(shellWord).join(' ')));
    return words;
  } catch (error) {
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}
