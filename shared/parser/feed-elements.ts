/** The elements of RSS (0.9x, 1.0, 2.0) and Atom (RFC 4287) that name an item's URLs. */
import type { XmlReader, XmlSink } from './xml-reader.ts';

/**
 * An item's elements count in the item's own namespace only: `atom:link` inside an RSS `item` is another
 * thing.
 */
export function createFeedElements(sink: XmlSink): XmlReader {
  return {
    start(element, parent, attributes) {
      if (parent === undefined || parent.prefix !== element.prefix) return false;
      if (parent.local === 'entry') {
        const href = element.local === 'link' ? attributes.get('href') : undefined;
        const rel = attributes.get('rel')?.toLowerCase() ?? 'alternate';
        if (href !== undefined && rel === 'alternate') sink.addRaw(href, 'item', element);
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
    end(element, _, text) {
      // A `guid` is a permanent link unless it says that it is not, and is often none anyway.
      if (element.local === 'link' || /^https?:\/\//i.test(text)) sink.add(text, 'item', element);
    },
  };
}
