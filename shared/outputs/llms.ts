/**
 * A site for language models: `llms.txt`, an index in Markdown (https://llmstxt.org), and `llms-full.txt`,
 * all its pages.
 */
import { hostKey } from '../url/host-key.ts';
import type { PageDocument } from './page-document.ts';

const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 300;

/** The beginning of `llms.txt`: the name of the site or crawl, and what the file is. */
export const llmsHeader = (name: string, pages: number, fetched: string): string =>
  `# ${oneLine(name, MAX_TITLE_CHARS)}\n\n> ${pages} ${pages === 1 ? 'page' : 'pages'}, fetched until ${fetched.slice(0, 10)}.\n`;

/**
 * The line of a page: its title, address and description. A heading first where `before` was a page of
 * another host.
 */
export function llmsEntry({ url, metadata }: PageDocument, before: PageDocument | undefined): string {
  const host = hostKey(url);
  const heading = before && hostKey(before.url) === host ? '' : `\n## ${host}\n\n`;
  const title = oneLine(metadata.title ?? url, MAX_TITLE_CHARS).replace(/[[\]]/g, '\\$&');
  const description = oneLine(metadata.description ?? '', MAX_DESCRIPTION_CHARS);
  const address = url.replaceAll('(', '%28').replaceAll(')', '%29');
  return `${heading}- [${title}](${address})${description === '' ? '' : `: ${description}`}\n`;
}

/** The page in `llms-full.txt`. */
export const llmsPage = ({ url, metadata, markdown }: PageDocument): string =>
  `# ${oneLine(metadata.title ?? url, MAX_TITLE_CHARS)}\n\nSource: ${url}\n\n${markdown}\n\n`;

const oneLine = (text: string, maxChars: number): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, maxChars).toWellFormed();
