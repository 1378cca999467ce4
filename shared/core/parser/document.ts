/** From a response's head and body as received to what the crawl needs to know of the document. */
import { messageOf } from '../base/error-message.ts';
import { STEADY_BODY_BYTES } from '../outcome/fetch-request.ts';
import { fieldValues, type ResponseHead } from '../outcome/response-head.ts';
import type { UrlKind } from '../url/url-kind.ts';
import type { UsageStatement } from '../usage/usage-statement.ts';
import { createContentDecoder, type DecodedContent } from './content-decoder.ts';
import {
  createDocumentReader,
  type DocumentReader,
  type DocumentType,
  type ReadDocument,
  type ReaderOptions,
} from './document-reader.ts';
import { createFirstBytes, type FirstBytes } from './first-bytes.ts';
import type { HashedBlocks } from './hashed-blocks.ts';
import { headerUsage } from './header-usage.ts';
import {
  type DroppedLinks,
  type HtmlLink,
  type ResolveReference,
  resolveReference,
  withoutFragment,
} from './link-set.ts';
import { essenceOf } from './media-type.ts';
import { refreshReference } from './meta-refresh.ts';
import type { PageSigns } from './page-signs.ts';
import { resolverIn } from './query-charset.ts';
import {
  bothRobotsDirectives,
  ourDirectives,
  parseRobotsDirectives,
  type RobotsDirectives,
} from './robots-directives.ts';
import { bytesToSniff, isPageNotList, typeToRead } from './whole-types.ts';
import { MAX_SITEMAP_BYTES } from './xml-links.ts';

export interface DocumentParserOptions {
  /** Absolute URL of the document. */
  readonly url: string;
  readonly headers: ResponseHead['headers'];
  /** Decoded bytes beyond this are not parsed. */
  readonly maxDecodedBytes: number;
  readonly maxLinks: number;
  readonly resolve?: ResolveReference;
  /**
   * The kind as which the document was fetched. A `sitemap` may be text or a gzip file, too, whatever its
   * type says, and a page ({@link isPageNotList}).
   */
  readonly kind?: UrlKind | undefined;
  /** Requisites are among the links. */
  readonly wantsRequisites?: boolean;
  /** Feeds that a page names as its alternates are among the links. */
  readonly wantsFeeds?: boolean;
  readonly wantsTextHash?: boolean;
  readonly wantsBlocks?: boolean;
  readonly wantsSigns?: boolean;
  /** Whether the content of such a document is among its facts, where that is decoded in one piece. */
  readonly wantsContent?: (facts: DocumentFacts) => boolean;
  /** Our product token in lower case: directives to a robot of this name count like those to all. */
  readonly robotName?: string;
  /**
   * Runs each synchronous part of the parser's work: for a watchdog, which knows by it what the thread does.
   */
  readonly around?: <T>(parse: () => T) => T;
}

export interface DocumentFacts extends DroppedLinks {
  readonly type: DocumentType;
  /**
   * As declared, in lower case without parameters; where nothing is declared, or where that is wrong (`correctedType`), as its
   * first bytes suggest.
   */
  readonly mimeType?: string;
  /** The Encoding standard's name of the encoding that was used, in lower case. */
  readonly charset?: string;
  /** Links of all kinds in document order, each URL once. */
  readonly links: HtmlLink[];
  readonly title?: string;
  /** Where the first `meta` refresh outside of `noscript`, otherwise the field `Refresh`, leads, and after how long. */
  readonly refresh?: string;
  readonly refreshMs?: number;
  readonly canonical?: string;
  /** Directives in the markup and in X-Robots-Tag together. */
  readonly robots: RobotsDirectives;
  /** A page that a route behind `#` shows once more. */
  readonly copy?: { readonly of: string; readonly similarity: number };
  /** Statements of the response and the page about the use of the content; a crawl adds those of robots.txt. */
  readonly usage?: readonly UsageStatement[];
  /**
   * 32 bits of the visible text of HTML, with white space folded and each run of digits as one letter, if it
   * was wanted: pages that differ in dates and counters alone have the same.
   */
  readonly textHash?: number;
  /** The text of HTML in hashed blocks, if it was wanted. */
  readonly blocks?: HashedBlocks;
  /** For HTML, if requested. */
  readonly signs?: PageSigns;
  /** A copy of the decoded content, if it was wanted and is at hand. */
  readonly content?: Uint8Array;
  readonly decodedBytes: number;
  /** False if the parser did not see all of the document. */
  readonly isWhole: boolean;
  /** A line for people: a fault of the content coding, or of this parser. */
  readonly error?: string;
  /** The body could not be decoded to its end; `isAll`: nothing of it could. */
  readonly undecoded?: { readonly detail: string; readonly isAll?: true };
  /**
   * A line for people: why a sitemap or feed was not read to its end (broken, too large, nested, a bomb).
   */
  readonly fault?: string;
}

export interface DocumentParser {
  /** Takes the next piece of the body as received: as the receiver of `FetchRequest.onHead`. Never throws. */
  write(chunk: Uint8Array): void;
  /** A promise, which never rejects, only if something had to be waited for. Call it once. */
  end(): DocumentFacts | Promise<DocumentFacts>;
}

/** Should the parser fail, which is a bug, the document has no links and an `error`; the page is not lost. */
export function createDocumentParser(options: DocumentParserOptions): DocumentParser {
  const { headers, kind, around = (parse) => parse() } = options;
  const maxDecodedBytes =
    kind === 'sitemap' ? Math.min(options.maxDecodedBytes, MAX_SITEMAP_BYTES) : options.maxDecodedBytes;
  const contentType = lastHeader(headers, 'content-type');
  let mimeType = essenceOf(contentType);
  let reader: DocumentReader | undefined;
  let failure: string | undefined;
  const fail = (error: unknown): undefined => {
    failure ??= `parser: ${messageOf(error)}`;
  };
  const parseSafely = (parse: () => void) => {
    if (failure !== undefined) return;
    try {
      around(parse);
    } catch (error) {
      fail(error);
    }
  };
  /** The first bytes: more of a document whose type is uncertain. */
  let start: FirstBytes | undefined = createFirstBytes(bytesToSniff(mimeType, kind));
  const sniff = (bytes: Uint8Array) => {
    start = undefined;
    mimeType = typeToRead(mimeType, bytes, options.url);
    reader = openReader(mimeType, bytes, { ...options, contentType, maxDecodedBytes });
    reader?.write(bytes);
  };
  const onData = (chunk: Uint8Array) => {
    if (start === undefined) return reader?.write(chunk);
    const first = start.add(chunk);
    if (first !== undefined) sniff(first);
  };
  let isEnding = false;
  /** The content, if all of it was decoded at once. It stays as it is until the next document is decoded. */
  let whole: Uint8Array | undefined;
  const content = createContentDecoder({
    contentEncoding: joinedHeader(headers, 'content-encoding'),
    maxDecodedBytes,
    steadyBytes: STEADY_BODY_BYTES,
    onData(chunk) {
      whole = isEnding ? chunk : undefined;
      parseSafely(() => onData(chunk));
    },
  });
  const endReader = () => {
    try {
      const read = failure === undefined ? around(() => reader?.end()) : undefined;
      return read instanceof Promise ? read.catch(fail) : read;
    } catch (error) {
      return fail(error);
    }
  };

  const finish = (body: DecodedContent, read: ReadDocument, isAtOnce: boolean): DocumentFacts => {
    const facts = factsOf(withRefreshField(read, options), body, options, { mimeType, failure });
    const kept = isAtOnce ? wantedContent(whole, facts, options) : undefined;
    // All else that is kept of it are texts and numbers.
    content.free();
    return kept ? { ...facts, content: kept } : facts;
  };
  const endOf = (body: DecodedContent, isAtOnce: boolean): DocumentFacts | Promise<DocumentFacts> => {
    const short = start?.all();
    if (short !== undefined) parseSafely(() => sniff(short));
    const found = endReader();
    if (found instanceof Promise) return found.then((read) => finish(body, read ?? NOTHING, false));
    return finish(body, found ?? NOTHING, isAtOnce);
  };

  return {
    write: content.write,
    end() {
      isEnding = true;
      const ended = content.end();
      return ended instanceof Promise ? ended.then((body) => endOf(body, false)) : endOf(ended, true);
    },
  };
}

function openReader(type: string | undefined, start: Uint8Array, options: ReaderOptions) {
  const isPage = options.kind === 'sitemap' && isPageNotList(type, start, options.url);
  const kind = isPage ? undefined : options.kind;
  return createDocumentReader(type, { ...options, kind });
}

function factsOf(
  read: ReadDocument,
  body: DecodedContent,
  { headers, kind, robotName }: DocumentParserOptions,
  { mimeType, failure }: FoundByParser,
): DocumentFacts {
  const isWhole = body.isWhole && read.isWhole !== false;
  return {
    decodedBytes: body.decodedBytes,
    ...read,
    mimeType,
    ...statementsOf(headers, read, robotName),
    isWhole: isWhole && failure === undefined,
    error: failure ?? body.error,
    ...undecodedIn(body),
    fault: !isList(read, kind) ? undefined : isWhole ? faultOf(read) : (body.error ?? faultOf(read)),
  };
}

interface FoundByParser {
  readonly mimeType: string | undefined;
  readonly failure: string | undefined;
}

function wantedContent(
  whole: Uint8Array | undefined,
  facts: DocumentFacts,
  { wantsContent }: DocumentParserOptions,
): Uint8Array | undefined {
  if (whole?.length !== facts.decodedBytes || !wantsContent?.(facts)) return undefined;
  return new Uint8Array(whole);
}

/** XML that was not fetched as a sitemap has no faults of one. */
const isList = ({ type }: ReadDocument, kind: UrlKind | undefined) => kind === 'sitemap' || LISTS.has(type);

const faultOf = ({ type, fault }: ReadDocument): string | undefined =>
  type === 'html' ? 'a page is not a sitemap' : fault;

function undecodedIn({
  isWhole,
  isTooLarge,
  isUndecoded,
  error,
}: DecodedContent): Pick<DocumentFacts, 'undecoded'> {
  if (isWhole || (isTooLarge && !isUndecoded)) return {};
  return { undecoded: { detail: error ?? 'it is not whole', ...(isUndecoded && { isAll: true }) } };
}

/** Browsers obey the field `Refresh` of a page without a `meta` refresh. It is relative to the document's URL. */
function withRefreshField(
  read: ReadDocument,
  { headers, url, resolve = resolveReference }: DocumentParserOptions,
): ReadDocument {
  const field =
    read.type === 'html' && read.refresh === undefined ? lastHeader(headers, 'refresh') : undefined;
  // Browsers read its bytes as Latin-1, whatever they were meant as.
  const found = field === undefined ? undefined : refreshReference(field);
  const refresh =
    found && resolverIn(read.charset ?? 'utf-8', resolve)(withoutFragment(found.reference), url);
  if (refresh === undefined) return read;
  const isKnown = read.links.some((link) => link.url === refresh);
  const links: HtmlLink[] = isKnown ? read.links : [...read.links, { url: refresh, kind: 'refresh' }];
  return { ...read, links, refresh, refreshMs: found?.delayMs };
}

/** Directives and statements of the head and the markup together. */
function statementsOf(
  headers: ResponseHead['headers'],
  read: ReadDocument,
  robotName: string | undefined,
): Pick<DocumentFacts, 'robots' | 'usage'> {
  const tags = fieldValues(headers, 'x-robots-tag').map((field) => ourDirectives(field, robotName));
  const usage = [...headerUsage((name) => fieldValues(headers, name), tags), ...(read.usage ?? [])];
  return {
    robots: tags.map(parseRobotsDirectives).reduce(bothRobotsDirectives, read.robots ?? NO_DIRECTIVES),
    usage: usage.length > 0 ? usage : undefined,
  };
}

const NOTHING: ReadDocument = { type: 'other', links: [], droppedLinks: 0 };
/** Types whose errors are reported. */
const LISTS: ReadonlySet<DocumentType> = new Set(['sitemap', 'sitemapIndex', 'feed']);

const NO_DIRECTIVES: RobotsDirectives = { nofollow: false, noindex: false };

/** If there are several Content-Type fields, the last one counts (Fetch standard, "extract a MIME type"). */
function lastHeader(headers: ResponseHead['headers'], name: string): string | undefined {
  return fieldValues(headers, name).at(-1);
}

function joinedHeader(headers: ResponseHead['headers'], name: string): string | undefined {
  return fieldValues(headers, name).join(', ') || undefined;
}
