import { plainValue, type UsageSignal, type UsageStatement, usageWords } from '../usage/usage-statement.ts';
import { readContentSignal, readContentUsage } from '../usage/usage-values.ts';

/** Links read of a Link field, whose licences are taken. */
const MAX_LINKS = 100;
const MAX_LICENSES = 8;
/** Characters of a field of which licences are taken. */
const MAX_CHARS = 65_536;

/**
 * Returns the statements of a response's fields about the use of its content. `fields`: the values of each field of a
 * name in lower case. `directives`: those of X-Robots-Tag that are for us.
 */
export function headerUsage(
  fields: (name: string) => readonly string[],
  directives: readonly string[],
): UsageStatement[] {
  const values: [UsageSignal, string][] = [];
  /** Nearly all responses have none of them. */
  const add = (signal: UsageSignal, given: readonly string[], read: (given: readonly string[]) => string) => {
    if (given.length > 0) values.push([signal, read(given)]);
  };
  const last = (signal: UsageSignal) => (given: readonly string[]) => plainValue(signal, given.at(-1) ?? '');
  add('content-usage', fields('content-usage'), (given) => readContentUsage(given.join(', ')));
  add('content-signal', fields('content-signal'), (given) => readContentSignal(given.join(',')));
  add('tdm-reservation', fields('tdm-reservation'), last('tdm-reservation'));
  add('tdm-policy', fields('tdm-policy'), last('tdm-policy'));
  add('robots', directives, (given) => usageWords(given.join(',')));
  for (const url of licensesOf(fields('link').join(',')))
    values.push(['license', plainValue('license', url)]);
  return values
    .filter(([, value]) => value !== '')
    .map(([signal, value]) => ({ signal, source: 'header', value }));
}

/** Targets with the relation `license` in a value of Link (RFC 8288, section 3). */
function licensesOf(text: string): string[] {
  return text
    .slice(0, MAX_CHARS)
    .split('<', MAX_LINKS)
    .slice(1)
    .map((link) => {
      const end = link.indexOf('>');
      return { url: link.slice(0, end), isLicense: end > 0 && RELATION.test(link.slice(end)) };
    })
    .filter(({ isLicense }) => isLicense)
    .slice(0, MAX_LICENSES)
    .map(({ url }) => url);
}

const RELATION = /;[ \t]*rel[ \t]*=[ \t]*(?:"(?:[^"]*[ \t])?license[ \t"]|license(?![^ \t;,]))/i;
