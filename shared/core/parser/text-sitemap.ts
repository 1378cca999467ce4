/** A sitemap that is a text file: one URL a line (sitemaps.org, protocol, "Text file"). */
import { absoluteLoc } from '../url/absolute-loc.ts';
import { createCharsetDecoder } from './charset-decoder.ts';
import { createLinkSet, type ResolveReference, resolveReference, withoutFragment } from './link-set.ts';
import { MAX_SITEMAP_LINKS, type XmlLinks } from './xml-links.ts';

/** Old editors of the Mac write CR alone. Behind CR, an LF ends an empty line. */
const LINE_END = /[\r\n]/g;
/** A longer line is not a URL. */
const MAX_LINE_CHARS = 8192;

/** Absolute http(s) URLs in UTF-8; other lines are skipped. A text without any URL is not a sitemap. */
export function createTextSitemap(url: string, resolve: ResolveReference = resolveReference) {
  const links = createLinkSet(MAX_SITEMAP_LINKS);
  const decoder = createCharsetDecoder('utf-8');
  let tooLong = 0;
  /** The text so far of the line that is not complete, and whether it is too long already. */
  let rest = '';
  let isTooLong = false;

  const takeLine = (line: string) => {
    if (isTooLong || line.length > MAX_LINE_CHARS) {
      tooLong++;
      isTooLong = false;
      return;
    }
    const reference = absoluteLoc(line, url);
    const target = /^https?:\/\//i.test(reference) ? resolve(withoutFragment(reference), url) : undefined;
    if (target !== undefined) links.add(target, 'url', false);
  };
  const takeText = (text: string) => {
    let from = 0;
    for (const { index } of text.matchAll(LINE_END)) {
      takeLine(rest + text.slice(from, index));
      rest = '';
      from = index + 1;
    }
    rest += text.slice(from);
    if (rest.length <= MAX_LINE_CHARS) return;
    rest = '';
    isTooLong = true;
  };

  return {
    write(bytes: Uint8Array): void {
      takeText(decoder.decode(bytes));
    },
    end(): XmlLinks {
      takeText(decoder.end());
      takeLine(rest);
      const { links: found, droppedLinks, dropCause, dropped } = links.resolved('', (target) => target);
      const fault =
        droppedLinks > 0
          ? `more than ${MAX_SITEMAP_LINKS} links`
          : found.length === 0
            ? 'neither XML nor a list of URLs'
            : undefined;
      return {
        type: 'sitemap',
        links: found,
        droppedLinks: droppedLinks + tooLong,
        ...(dropCause !== undefined && { dropCause, dropped }),
        charset: 'utf-8',
        fault,
      };
    },
  };
}
