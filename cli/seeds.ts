/** Seeds as an operator writes them, and who asks for them. */

import { quoted } from '../shared/core/text/printable.ts';
import { parseSeed } from '../shared/core/url/parse-seed.ts';
import { UsageError } from './usage-error.ts';

/**
 * The seed as an absolute URL: `example.org` is taken as `https://example.org/`. Throws {@link UsageError}
 * for a text that is not an http(s) URL; `where` says where it was found.
 */
export function seedUrl(text: string, where = ''): string {
  const url = parseSeed(text);
  if (url === undefined)
    throw new UsageError(`Expected an http or https URL${where}, got ${quoted(text)}${folderHint(text)}`);
  return url;
}

/** How the files of a folder are crawled. */
const folderHint = (text: string): string =>
  /^(?:file:|\.{0,2}\/)/i.test(text)
    ? ': a file of seeds is given by --seeds FILE, the files of a site by https://example.org/ --from-folder example.org=FOLDER'
    : '';

const MAX_LINES_NAMED = 10;

/**
 * The seeds of a file, one a line (or each before a NUL, as `find -print0` writes); empty lines and lines that begin with `#` are none. `name` is the file's.
 */
export function seedLines(content: string, name: string): string[] {
  const lines = content.replace(/^\ufeff/, '').split(/\r\n|[\n\r\0]/);
  const urls: string[] = [];
  const broken: number[] = [];
  for (const [i, line] of lines.entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const url = parseSeed(text);
    if (url === undefined) broken.push(i);
    else urls.push(url);
  }
  const [first, ...others] = broken;
  if (first === undefined) return urls;
  const numbers = others.slice(0, MAX_LINES_NAMED).map((i) => i + 1);
  const more =
    others.length > 0 ? `; no URLs either: line${others.length > 1 ? 's' : ''} ${numbers.join(', ')}` : '';
  const rest = others.length > numbers.length ? ` and ${others.length - numbers.length} more` : '';
  throw new UsageError(
    `Expected an http or https URL in ${name}, line ${first + 1}, got ${quoted(lines[first]!.trim())}${more}${rest}`,
  );
}

/** Returns the fault of the contact, in the command line's words. */
export const contactText = ({
  fault,
  contact = '',
}: {
  readonly fault: 'missing' | 'unreadable';
  readonly contact?: string | undefined;
}): string =>
  fault === 'unreadable'
    ? `Expected --contact to be a URL or a mail address, got ${quoted(contact)}`
    : 'The owners of the hosts must be able to reach you: add --contact https://example.org/about-my-crawl ' +
      'or --contact me@example.org (or a URL or mail address within --user-agent)';
