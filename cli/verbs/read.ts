import { printableLines } from '../../shared/core/text/printable.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import { frontMatter } from '../../shared/services/outputs/front-matter.ts';
import { pageFault } from '../crawl/page-fault.ts';
import { exitCodes } from '../exit-codes.ts';
import { configOf, readWords, textOf } from '../given.ts';
import { networkOf } from '../network-files.ts';
import { CONFIG_OPTION, JSON_OPTION } from '../option-spec.ts';
import { preferMarkdownOptions, requestOptions } from '../options.ts';
import { seedUrl } from '../seeds.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'read URL [options]',
  more: 'The page is fetched politely, and nothing is stored.',
  examples: [
    'read https://example.org/ --contact me@example.org',
    'read example.org --json --contact me@example.org',
  ],
  options: [CONFIG_OPTION, ...preferMarkdownOptions(), ...requestOptions(), JSON_OPTION],
  read(given) {
    const [url] = readWords(given, 'URL');
    return {
      url: seedUrl(url!),
      config: textOf(given, 'config'),
      options: configOf(given),
      network: networkOf(given),
    };
  },
  async run({ url, config, ...given }, { json }) {
    const { readPage } = await import('../../api/read-page.ts');
    const { fetchOptions } = await import('../crawl/fetch-options.ts');
    const interrupt = new AbortController();
    process.once('SIGINT', () => interrupt.abort());
    try {
      const { options } = await fetchOptions({ url, config, ...given });
      const document = await readPage(url, { ...options, signal: interrupt.signal });
      process.stdout.write(readText(document, { json, isTerminal: process.stdout.isTTY }));
      return exitCodes.finished;
    } catch (error) {
      return await pageFault(error, interrupt.signal);
    }
  },
});

/** Markdown with front matter, or a line of JSON; a terminal gets no control characters of the page. */
export function readText(
  document: DocumentRow,
  { json, isTerminal }: { readonly json: boolean; readonly isTerminal: boolean },
): string {
  const text = json ? JSON.stringify(document) : `${frontMatter(document)}${document.markdown.trimEnd()}`;
  return `${isTerminal ? printableLines(text) : text}\n`;
}
