/** What a response holds, each view of it made when it is first touched. */
import { createRequire } from 'node:module';
import type { CheerioAPI } from 'cheerio';
import { charsetOf, createCharsetDecoder } from '../parser/charset-decoder.ts';
import type { DocumentFacts } from '../parser/document.ts';
import { charsetParameter } from '../parser/media-type.ts';
import type { ResponseHead } from '../ports.ts';
import { decodeBody } from './decode-body.ts';
import { visibleText } from './visible-text.ts';

export interface PageContent {
  /** Its content coding undone. */
  readonly body: Uint8Array;
  readonly html: string;
  readonly text: string;
  readonly $: CheerioAPI;
}

/** `raw`: the body as received. The views throw where the body cannot be decoded, or is larger than `maxDecodedBytes`. */
export function createPageContent(
  raw: Uint8Array,
  { headers }: Pick<ResponseHead, 'headers'>,
  facts: Pick<DocumentFacts, 'charset' | 'mimeType'>,
  maxDecodedBytes: number,
): PageContent {
  const decoded = once(() =>
    decodeBody(raw, valuesOf(headers, 'content-encoding').join(', '), maxDecodedBytes),
  );
  // The bytes as received are still to be archived: a hook has its own.
  const body = once(() => (decoded() === raw ? new Uint8Array(raw) : decoded()));
  const html = once(() => {
    const declared = charsetOf(charsetParameter(valuesOf(headers, 'content-type').at(-1)));
    const decoder = createCharsetDecoder(facts.charset ?? declared ?? 'utf-8');
    return decoder.decode(decoded()) + decoder.end();
  });
  const text = once(() => (isHtml(facts.mimeType) ? visibleText(html()) : html()));
  const $ = once(() => loadCheerio().load(html(), isXml(facts.mimeType) ? { xml: true } : undefined));
  return {
    get body() {
      return body();
    },
    get html() {
      return html();
    },
    get text() {
      return text();
    },
    get $() {
      return $();
    },
  };
}

const requireFrom = createRequire(import.meta.url);
let cheerio: typeof import('cheerio') | undefined;

/**
 * Loads cheerio, which takes 160 ms the first time. Synchronous, so that whoever has no hooks never loads it; and to be
 * called before a hook is: a module that is cut off in the middle of its loading stays half of one.
 */
export function loadCheerio(): typeof import('cheerio') {
  cheerio ??= requireFrom('cheerio') as typeof import('cheerio');
  return cheerio;
}

const isHtml = (type: string | undefined) => type === 'text/html' || type === 'application/xhtml+xml';
const isXml = (type: string | undefined) => type !== undefined && !isHtml(type) && /[/+]xml$/.test(type);

function valuesOf(headers: ResponseHead['headers'], name: string): string[] {
  return headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
}

/** What `make` gives the first time, each time. One that throws is asked again. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
