/**
 * The elements of sitemaps and sitemap indexes (sitemaps.org, protocol), and of their extensions that name
 * URLs.
 */
import { absoluteLoc } from '../url/absolute-loc.ts';
import { parseW3cDatetime } from './w3c-datetime.ts';
import type { XmlElement, XmlReader, XmlSink } from './xml-reader.ts';

/**
 * `loc` counts only as a child of `url` or `sitemap` in the same namespace, or of the root; an image's or video's belongs to
 * the page. An entry that is the URL itself, without `loc`, counts, too. Translations (`link rel=alternate`) are pages of their own.
 */
export function createSitemapElements(sink: XmlSink): XmlReader {
  /** Facts of the open `url` or `sitemap`. */
  let loc: string | undefined;
  let priority: number | undefined;
  let modifiedAt: number | undefined;

  const addLoc = (text: string, isPage: boolean, element: XmlElement) =>
    sink.add(absoluteLoc(text, element.base), isPage ? 'url' : 'sitemap', element);

  return {
    start(element, parent, attributes) {
      const { local } = element;
      if (isEntry(element, parent)) {
        loc = priority = modifiedAt = undefined;
        return true;
      }
      if (local === 'link' && parent?.local === 'url') {
        const href = attributes.get('href');
        if (href !== undefined && attributes.get('rel')?.toLowerCase() === 'alternate')
          sink.addRaw(href, 'url', element);
        return false;
      }
      return TEXTS.has(local);
    },
    end(element, parent, text) {
      if (isEntry(element, parent)) {
        if (loc === undefined && /^https?:\/\//i.test(text)) addLoc(text, element.local === 'url', element);
        if (loc !== undefined && (priority !== undefined || modifiedAt !== undefined))
          sink.hint(loc, { priority, modifiedAt });
      } else if (ENTRIES.has(parent?.local ?? '') && parent?.prefix === element.prefix) {
        if (element.local === 'loc') {
          const url = addLoc(text, parent.local === 'url', element);
          loc ??= url;
        } else if (element.local === 'priority') priority = parsePriority(text);
        else if (element.local === 'lastmod') modifiedAt = parseW3cDatetime(text);
      } else if (element.local === 'loc' && isRoot(parent)) {
        addLoc(text, parent?.local === 'urlset', element);
      } else if (parent?.local === 'image' && element.local === 'loc') {
        sink.add(text, 'img', element);
      } else if (parent?.local === 'video') {
        if (element.local === 'content_loc') sink.add(text, 'media', element);
        else if (element.local === 'thumbnail_loc') sink.add(text, 'img', element);
      }
    },
  };
}

const TEXTS = new Set(['loc', 'priority', 'lastmod', 'content_loc', 'thumbnail_loc']);

const ENTRIES = new Set(['url', 'sitemap']);
const isEntry = ({ local }: XmlElement, parent: XmlElement | undefined) =>
  ENTRIES.has(local) && isRoot(parent);
const isRoot = (parent: XmlElement | undefined): boolean =>
  parent?.local === 'urlset' || parent?.local === 'sitemapindex';

/** Undefined if the text is not a number from 0 to 1. */
function parsePriority(text: string): number | undefined {
  const priority = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return priority >= 0 && priority <= 1 ? priority : undefined;
}
