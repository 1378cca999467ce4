/**
 * A site for language models: `llms.txt`, an index in Markdown (https://llmstxt.org), and `llms-full.txt`,
 * all its pages.
 */
import { hostKey } from '../url/host-key.ts';
import type { PageDocument } from './page-document.ts';

const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 300;

/** The beginning of `llms.txt`: the name of the site or crawl, and where the texts are. */
export const llmsHeader = (name: string): string =>
  `# ${oneLine(name, MAX_TITLE_CHARS)}\n\n> The text of all pages is in [llms-full.txt](llms-full.txt).\n`;

/**
 * The line of a page: its title, address and description. A heading comes first if `before`, the URL of the
 * page before it, is of another host.
 */
export function llmsEntry({ url, title, description }: PageDocument, before?: string): string {
  const host = hostKey(url);
  const heading = before !== undefined && hostKey(before) === host ? '' : `\n## ${host}\n\n`;
  const name = oneLine(title ?? url, MAX_TITLE_CHARS).replace(/[[\]]/g, '\\$&');
  const about = oneLine(description ?? '', MAX_DESCRIPTION_CHARS);
  const address = url.replaceAll('(', '%28').replaceAll(')', '%29');
  return `${heading}- [${name}](${address})${about === '' ? '' : `: ${about}`}\n`;
}

/** The page in `llms-full.txt`. */
export const llmsPage = ({ url, title, markdown }: PageDocument): string =>
  `# ${oneLine(title ?? url, MAX_TITLE_CHARS)}\n\nSource: ${url}\n\n${markdown}\n\n`;

const oneLine = (text: string, maxChars: number): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, maxChars).toWellFormed();
