import { readPage } from '../../api/read-page.ts';
import { printable, printableLines } from '../../shared/core/text/printable.ts';
import { environmentProxies } from '../../shared/crawler/fetcher/proxy/environment-proxies.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { frontMatter } from '../../shared/services/outputs/front-matter.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { crawlError } from './crawl-error.ts';
import { withNetworkFiles } from './network-options.ts';

/** `strand read URL`: the main content of one page, as Markdown with front matter, or as a line of JSON. */
export async function read({ url, config, json, ...given }: LocalCommandOf<'read'>): Promise<number> {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  try {
    const project = await readProject(config);
    const warn = (line: string) => process.stderr.write(`${line}\n`);
    const options = {
      proxies: environmentProxies(process.env),
      ...project.crawl,
      ...withNetworkFiles(given.options, given.network, [url], warn),
    };
    const document = await readPage(url, { ...options, signal: interrupt.signal });
    process.stdout.write(readText(document, { json, isTerminal: process.stdout.isTTY }));
    return exitCodes.finished;
  } catch (error) {
    if (interrupt.signal.aborted) return exitCodes.interrupted;
    if ((error as Error).name !== 'PageNotRead') throw crawlError(error, undefined);
    process.stderr.write(`strand: ${printable((error as Error).message)}\n`);
    return exitCodes.nothingFetched;
  }
}

/** Markdown with front matter, or a line of JSON; a terminal gets no control characters of the page. */
export function readText(
  document: DocumentRow,
  { json, isTerminal }: { readonly json: boolean; readonly isTerminal: boolean },
): string {
  const text = json ? JSON.stringify(document) : `${frontMatter(document)}${document.markdown.trimEnd()}`;
  return `${isTerminal ? printableLines(text) : text}\n`;
}
