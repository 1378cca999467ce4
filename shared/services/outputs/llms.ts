/**
 * A site for language models: `llms.txt`, an index in Markdown (https://llmstxt.org), and `llms-full.txt`,
 * all its pages.
 */
import { escapeHeadingEnd, escapeMarkdown, linkDestination } from '../../core/text/markdown-text.ts';
import { withoutUnseen } from '../../core/text/unseen-characters.ts';
import { hostKey } from '../../core/url/host-key.ts';
import type { PageDocument } from './page-document.ts';

const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 300;

/**
 * The beginning of `llms.txt`: the name of the site or crawl, a summary, and where the texts are. The reference parser finds a summary
 * only if a text follows it.
 */
export const llmsHeader = (name: string): string =>
  `# ${escapeHeadingEnd(escaped(name, MAX_TITLE_CHARS))}\n\n> An index of its pages, as they were crawled.\n\nThe text of all pages is in [llms-full.txt](llms-full.txt).\n`;

/**
 * The line of a page: its title, address and description. A heading comes first if `before`, the URL of the
 * page before it, is of another host.
 */
export function llmsEntry({ url, title, description }: PageDocument, before?: string): string {
  const host = hostKey(url);
  const heading = before !== undefined && hostKey(before) === host ? '' : `\n## ${host}\n\n`;
  const name = withoutBrackets(escaped(title ?? url, MAX_TITLE_CHARS));
  const about = escaped(description ?? '', MAX_DESCRIPTION_CHARS);
  return `${heading}- [${name}](${linkDestination(url)})${about === '' ? '' : `: ${about}`}\n`;
}

/**
 * The page in `llms-full.txt`. A page begins with a comment that names its URL. No text of a page begins a line so: what would,
 * has a backslash in front of it.
 */
export function llmsPage({ url, title, markdown }: PageDocument): string {
  const isSafe = !markdown.includes('<!--');
  const text = isSafe ? markdown : markdown.replace(/^(?=[\t >*+\d.)-]*<!--[\t ]*source:)/gim, '\\');
  return `<!-- Source: ${url} -->\n\n# ${escapeHeadingEnd(escaped(title ?? url, MAX_TITLE_CHARS))}\n\n${text}\n\n`;
}

/** The reference parser fails at a bracket within a name, and a backslash before it makes no difference to it. */
const withoutBrackets = (name: string): string => name.replaceAll('\\[', '&#91;').replaceAll('\\]', '&#93;');

const escaped = (text: string, maxChars: number): string => escapeMarkdown(oneLine(text, maxChars));

const oneLine = (text: string, maxChars: number): string =>
  withoutUnseen(text).replace(/\s+/g, ' ').trim().slice(0, maxChars).toWellFormed();
