/** The elements of RSS (0.9x, 1.0, 2.0) and Atom (RFC 4287) that name an item's URLs, and when it was modified. */
import { parseW3cDatetime } from './w3c-datetime.ts';
import type { XmlElement, XmlReader, XmlSink } from './xml-reader.ts';

/**
 * An item's elements count in the item's own namespace only: `atom:link` inside an RSS `item` is another
 * thing. Its dates count in any one.
 */
export function createFeedElements(sink: XmlSink): XmlReader {
  /** Facts of the open item. */
  let urls: string[] = [];
  let modifiedAt: number | undefined;
  const keep = (url: string | undefined) => {
    if (url !== undefined && urls.length < MAX_URLS) urls.push(url);
  };

  return {
    start(element, parent, attributes) {
      if (isItem(element)) {
        urls = [];
        modifiedAt = undefined;
        return false;
      }
      if (parent === undefined) return false;
      if (element.local === 'link' && FEEDS.has(parent.local)) {
        const href = attributes.get('href');
        if (href !== undefined && PAGED.has(attributes.get('rel')?.toLowerCase() ?? ''))
          sink.addRaw(href, 'link', element);
        return false;
      }
      if (isItem(parent) && DATES.has(element.local)) return true;
      if (parent.prefix !== element.prefix) return false;
      if (parent.local === 'entry') {
        const href = element.local === 'link' ? attributes.get('href') : undefined;
        const rel = attributes.get('rel')?.toLowerCase() ?? 'alternate';
        if (href !== undefined && rel === 'alternate') keep(sink.addRaw(href, 'item', element));
        else if (href !== undefined && rel === 'enclosure') sink.addRaw(href, 'media', element);
        return false;
      }
      if (parent.local !== 'item') return false;
      if (element.local === 'enclosure') {
        const url = attributes.get('url');
        if (url !== undefined) sink.addRaw(url, 'media', element);
        return false;
      }
      if (element.local === 'guid') return attributes.get('ispermalink')?.toLowerCase() !== 'false';
      return element.local === 'link';
    },
    end(element, parent, text) {
      if (isItem(element)) {
        if (modifiedAt !== undefined) for (const url of urls) sink.hint(url, { modifiedAt });
        urls = [];
        return;
      }
      if (parent && isItem(parent) && DATES.has(element.local)) {
        const at = parseW3cDatetime(text) ?? parseRfc822(text);
        if (at !== undefined) modifiedAt = Math.max(at, modifiedAt ?? at);
        return;
      }
      // A `guid` is a permanent link unless it says that it is not, and is often none anyway.
      if (element.local === 'link' || /^https?:\/\//i.test(text)) keep(sink.add(text, 'item', element));
    },
  };
}

const FEEDS = new Set(['feed', 'channel']);
/** To further pages of the feed (RFC 5005), also of RSS by `atom:link`. */
const PAGED = new Set(['next', 'prev-archive']);

const isItem = ({ local }: XmlElement): boolean => local === 'item' || local === 'entry';

/** An item has one URL, or two. */
const MAX_URLS = 8;

/** `updated` and `published` of Atom; `pubDate` of RSS, `dc:date`, `dcterms:modified`. The newest one counts. */
const DATES = new Set(['updated', 'published', 'pubdate', 'date', 'modified']);

/** The dates of RSS (RFC 822, with years of four digits). Undefined for all else. */
function parseRfc822(text: string): number | undefined {
  if (!RFC_822.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

const RFC_822 =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UTC?|Z|[ECMP][SD]T)$/;
