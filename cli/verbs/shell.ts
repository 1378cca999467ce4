import repl from 'node:repl';
import { inspect } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import type { PageSession } from '../../api/page-session.ts';
import { textOf as fieldOf, messageOf } from '../../shared/core/base/error-message.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { printable, printableLines } from '../../shared/core/text/printable.ts';
import type { PageContext } from '../../shared/services/project/project.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { configOf, isSet, readWords, refuseSettings, textOf } from '../given.ts';
import { type NetworkFiles, networkOf } from '../network-files.ts';
import { CONFIG_OPTION, JSON_OPTION } from '../option-spec.ts';
import { requestOptions } from '../options.ts';
import { seedUrl } from '../seeds.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

interface Asked {
  /** Absent: the page is fetched. */
  readonly crawl?: string;
  readonly url: string;
  /** An expression instead of the REPL. */
  readonly evaluate?: string | undefined;
  readonly config?: string | undefined;
  readonly options: CrawlOptions;
  readonly network?: NetworkFiles | undefined;
}

export const command = verb({
  usage: 'shell [DIR] URL [options]',
  more: 'Fetched politely, or read from the archive in DIR.',
  examples: [
    'shell https://example.org/ --contact me@example.org',
    `shell crawls/a https://example.org/ --eval '$("h1").text()'`,
  ],
  options: [
    CONFIG_OPTION,
    ...requestOptions(),
    {
      name: 'eval',
      argument: 'EXPRESSION',
      type: 'text',
      group: 'Output',
      help: 'print the value of this JavaScript expression, and end; it may use await',
    },
    JSON_OPTION,
  ],
  read(given): Asked {
    const shared = { config: textOf(given, 'config'), evaluate: textOf(given, 'eval') };
    if (isSet(given, 'json') && shared.evaluate === undefined)
      throw new UsageError('Expected --eval EXPRESSION with --json');
    if (given.words.length < 2) {
      const [url] = readWords(given, 'URL');
      return { ...shared, options: configOf(given), network: networkOf(given), url: seedUrl(url!) };
    }
    const [crawl, url] = readWords(given, '[DIR]', 'URL');
    refuseSettings(given, crawl!, ['config', 'eval', 'json']);
    return { ...shared, crawl: crawl!, options: {}, url: seedUrl(url!) };
  },
  /** Fetches the page, or reads it from the archive; then evaluates `--eval`, or what the user types. */
  async run(asked, { json }) {
    const interrupt = new AbortController();
    const abort = () => interrupt.abort();
    process.once('SIGINT', abort);
    try {
      await using session = await openSession(asked, interrupt.signal);
      const shown = { page: await session.fetch(asked.url) };
      process.off('SIGINT', abort);
      const names = namesOf(shown, session);
      if (asked.evaluate === undefined) await converse(names, shown.page);
      else print(await evaluateIn(names, asked.evaluate), json);
      return exitCodes.finished;
    } catch (error) {
      if (interrupt.signal.aborted) return exitCodes.interrupted;
      if (error instanceof Failed || (error as Error).name === 'PageNotRead') {
        process.stderr.write(`strand: ${printable(messageOf(error))}\n`);
        return error instanceof Failed ? exitCodes.unexpected : exitCodes.nothingFetched;
      }
      const { crawlError } = await import('../crawl/crawl-error.ts');
      throw crawlError(error, undefined);
    } finally {
      process.off('SIGINT', abort);
    }
  },
});

async function openSession({ crawl, ...given }: Asked, signal: AbortSignal): Promise<PageSession> {
  const { openPages } = await import('../../api/open-pages.ts');
  const { fetchOptions } = await import('../crawl/fetch-options.ts');
  const { project, options } = await fetchOptions(given);
  const { middleware, extraction } = project;
  if (crawl !== undefined) return openPages(crawl, { extraction });
  return openPages({ ...options, middleware, extraction, signal });
}

/** Returns the names that an expression can use. `fetch` replaces the page. */
function namesOf(shown: { page: PageContext }, session: PageSession): PropertyDescriptorMap {
  const of = <K extends keyof PageContext>(key: K): PropertyDescriptor => ({
    get: () => shown.page[key],
    enumerable: true,
    configurable: true,
  });
  return {
    page: { get: () => shown.page, enumerable: true, configurable: true },
    $: of('$'),
    links: of('links'),
    text: of('text'),
    html: of('html'),
    response: of('response'),
    url: of('url'),
    fetch: {
      async value(reference: string | URL) {
        shown.page = await session.fetch(new URL(reference, shown.page.url).href);
        return shown.page;
      },
      enumerable: true,
    },
  };
}

/** The expression failed. */
class Failed extends Error {
  override name = 'Failed';
}

async function evaluateIn(names: PropertyDescriptorMap, text: string): Promise<unknown> {
  const { console, URL, URLSearchParams, Buffer, TextDecoder, setTimeout } = globalThis;
  const context = createContext({ console, URL, URLSearchParams, Buffer, TextDecoder, setTimeout });
  Object.defineProperties(context, names);
  try {
    return await runInContext(`(async () => (${text}\n))()`, context, { filename: '--eval' });
  } catch (error) {
    if (fieldOf(error, 'name') === 'PageNotRead') throw error;
    // Errors of another context are not instances of our Error.
    throw new Failed(`--eval: ${fieldOf(error, 'name') ?? 'Error'}: ${messageOf(error)}`);
  }
}

/** Text as it is, other values as Node shows them; a terminal gets no control characters of a page. */
function print(value: unknown, json: boolean): void {
  if (value === undefined && !json) return;
  const text = json ? toJson(value) : typeof value === 'string' ? value : inspect(value, { depth: 4 });
  const safe = process.stdout.isTTY ? printableLines(text) : text;
  process.stdout.write(`${safe}\n`);
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value ?? null) ?? 'null';
  } catch (error) {
    throw new Failed(`The value of --eval is not JSON: ${messageOf(error)}`);
  }
}

/** Resolves when the user ends the REPL, or its input ends. */
async function converse(names: PropertyDescriptorMap, page: PageContext): Promise<void> {
  const { response, links, title = '' } = page;
  process.stderr.write(
    [
      `${response.httpStatus} ${printable(page.url)}  ${formatCounted(links.length, 'link')}  ${printable(title)}`,
      'page, $, links, text, html, response, url, and await fetch(URL). .exit ends.\n',
    ].join('\n'),
  );
  const server = repl.start({
    prompt: 'strand> ',
    breakEvalOnSigint: process.stdin.isTTY === true,
    // Strings are shown with escapes, and the texts of errors are not.
    writer(value) {
      return value instanceof Error ? printableLines(inspect(value)) : repl.writer.call(this, value);
    },
  });
  Object.defineProperties(server.context, names);
  await new Promise<void>((resolve) => server.on('exit', resolve));
}
