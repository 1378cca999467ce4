/** `strand shell`: a REPL with a page, as `onPage` gets it. */
import repl from 'node:repl';
import { inspect } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { openPages } from '../../api/open-pages.ts';
import type { PageSession } from '../../api/page-session.ts';
import { messageOf, textOf } from '../../shared/core/base/error-message.ts';
import { printable, printableLines } from '../../shared/core/text/printable.ts';
import { environmentProxies } from '../../shared/crawler/fetcher/proxy/environment-proxies.ts';
import type { PageContext } from '../../shared/services/project/project.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatCounted } from '../format.ts';
import { crawlError } from './crawl-error.ts';
import { withNetworkFiles } from './network-options.ts';

type ShellCommand = LocalCommandOf<'shell'>;

/** Fetches the page, or reads it from the archive; then evaluates `--eval`, or what the user types. */
export async function shell(command: ShellCommand): Promise<number> {
  const { url, evaluate, json } = command;
  const interrupt = new AbortController();
  const abort = () => interrupt.abort();
  process.once('SIGINT', abort);
  try {
    await using session = await open(command, interrupt.signal);
    const shown = { page: await session.fetch(url) };
    process.off('SIGINT', abort);
    const names = namesOf(shown, session);
    if (evaluate === undefined) await converse(names, shown.page);
    else print(await evaluateIn(names, evaluate), json);
    return exitCodes.finished;
  } catch (error) {
    if (interrupt.signal.aborted) return exitCodes.interrupted;
    if (error instanceof Failed || (error as Error).name === 'PageNotRead') {
      process.stderr.write(`strand: ${printable(messageOf(error))}\n`);
      return error instanceof Failed ? exitCodes.unexpected : exitCodes.nothingFetched;
    }
    throw crawlError(error, undefined);
  } finally {
    process.off('SIGINT', abort);
  }
}

async function open({ dir, url, config, ...given }: ShellCommand, signal: AbortSignal): Promise<PageSession> {
  const { crawl, middleware, extraction } = await readProject(config);
  if (dir !== undefined) return openPages(dir, { extraction });
  const warn = (line: string) => process.stderr.write(`${line}\n`);
  const options = withNetworkFiles(given.options, given.network, [url], warn);
  const proxies = environmentProxies(process.env);
  return openPages({ proxies, ...crawl, ...options, middleware, extraction, signal });
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
    if (textOf(error, 'name') === 'PageNotRead') throw error;
    // Errors of another context are no instances of our Error.
    throw new Failed(`--eval: ${textOf(error, 'name') ?? 'Error'}: ${messageOf(error)}`);
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
