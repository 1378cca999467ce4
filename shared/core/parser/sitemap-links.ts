/** The URLs of a document fetched as a sitemap: XML, text, or a gzip file of either, whatever its type says. */
import { messageOf } from '../base/error-message.ts';
import { type ContentDecoder, createContentDecoder } from './content-decoder.ts';
import { createFirstBytes } from './first-bytes.ts';
import { createTextSitemap } from './text-sitemap.ts';
import { createXmlLinks, type XmlLinks, type XmlLinksOptions } from './xml-links.ts';

export interface SitemapLinksOptions extends XmlLinksOptions {
  /** The largest size of a decompressed gzip file: more is not read. */
  readonly maxDecodedBytes: number;
  /** A text is not a list of URLs. */
  readonly isXmlAlone?: boolean;
}

interface SitemapLinks extends Omit<XmlLinks, 'charset'> {
  readonly charset?: string;
  /** For a gzip file, that of its content. */
  readonly decodedBytes?: number;
  /** False if a gzip file is broken or holds too much. */
  readonly isWhole: boolean;
}

export interface SitemapLinksParser {
  write(bytes: Uint8Array): void;
  /** Rejects if a parser failed, which is a bug. */
  end(): Promise<SitemapLinks>;
}

/** At most this much white space, or plain text of warnings, may precede the characters that distinguish XML from text. */
const SNIFFED_BYTES = 4096;
const XML_START = /^[\0\t\n\r \xef\xbb\xbf\xfe\xff]*<|<(?:\?xml|urlset|sitemapindex)[\s>]/;

interface Reader {
  write(bytes: Uint8Array): void;
  end(): SitemapLinks | Promise<SitemapLinks>;
}

/** The result does not depend on how the bytes are cut into pieces. */
export function createSitemapLinks(options: SitemapLinksOptions, isInGzip = false): SitemapLinksParser {
  const start = createFirstBytes(SNIFFED_BYTES);
  let reader: Reader | undefined;

  const open = (bytes: Buffer): Reader => {
    reader = createReader(bytes, options, isInGzip);
    reader.write(bytes);
    return reader;
  };
  return {
    write(bytes) {
      if (reader !== undefined) return reader.write(bytes);
      const first = start.add(bytes);
      if (first !== undefined) open(first);
    },
    async end() {
      return await (reader ?? open(start.all())).end();
    },
  };
}

function createReader(start: Buffer, options: SitemapLinksOptions, isInGzip: boolean): Reader {
  if (start[0] === 0x1f && start[1] === 0x8b)
    return isInGzip ? createRefused('gzip inside of gzip') : createGzip(options);
  const isXml = XML_START.test(start.toString('latin1', 0, SNIFFED_BYTES));
  if (!isXml && options.isXmlAlone) return createRefused('no XML');
  return isXml ? createXml(options) : createText(options);
}

function createXml(options: SitemapLinksOptions): Reader {
  const xml = createXmlLinks(options);
  return {
    write: xml.write,
    end() {
      const found = xml.end();
      if (found.type !== 'other') return { ...found, isWhole: true };
      return { ...found, isWhole: true, fault: found.fault ?? `<${found.root ?? '?'}> is not a sitemap` };
    },
  };
}

function createText({ url, resolve }: SitemapLinksOptions): Reader {
  const text = createTextSitemap(url, resolve);
  return { write: text.write, end: () => ({ ...text.end(), isWhole: true }) };
}

function createGzip(options: SitemapLinksOptions): Reader {
  const inner = createSitemapLinks(options, true);
  let failure: unknown;
  const onData = (chunk: Uint8Array) => {
    try {
      if (failure === undefined) inner.write(chunk);
    } catch (error) {
      // It may come from a stream's event, where it would not be caught.
      failure = error;
    }
  };
  const content: ContentDecoder = createContentDecoder({
    contentEncoding: 'gzip',
    maxDecodedBytes: options.maxDecodedBytes,
    onData,
  });
  return {
    write: content.write,
    async end() {
      const { decodedBytes, isWhole, error } = await content.end();
      if (failure !== undefined) throw new Error(messageOf(failure), { cause: failure });
      const found = await inner.end();
      return { ...found, decodedBytes, isWhole, fault: isWhole ? found.fault : (error ?? 'broken gzip') };
    },
  };
}

function createRefused(fault: string): Reader {
  return {
    write: () => {},
    end: () => ({ type: 'other', links: [], droppedLinks: 0, isWhole: true, fault }),
  };
}
