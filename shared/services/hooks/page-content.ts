/** The content of a response, each view of it made when it is first used. */
import type { CheerioAPI } from 'cheerio';
import { Parser } from 'htmlparser2';
import { type Extracted, extractContent } from '../../core/content/extract.ts';
import { textContent } from '../../core/content/text-content.ts';
import type { MediaContent } from '../../core/media/media-module.ts';
import type { ResponseHead } from '../../core/outcome/response-head.ts';
import { charsetOf, decodeAll } from '../../core/parser/charset-decoder.ts';
import { decodeBody } from '../../core/parser/decode-body.ts';
import type { DocumentFacts } from '../../core/parser/document.ts';
import { isShadowRoot } from '../../core/parser/html-tree.ts';
import { charsetParameter } from '../../core/parser/media-type.ts';
import { XHTML_TYPE } from '../../core/parser/type-of-xml.ts';
import { xhtmlAsHtml } from '../../core/parser/xhtml-as-html.ts';
import { pageLanguage } from '../outputs/page-language.ts';

export interface PageContent {
  /** Its content coding undone. */
  readonly body: Uint8Array;
  readonly html: string;
  readonly text: string;
  readonly $: CheerioAPI;
  readonly main: Extracted;
  /** By the main content, otherwise as the page declares it. */
  readonly language: string | undefined;
}

export interface PageFacts extends Pick<DocumentFacts, 'charset' | 'mimeType'> {
  readonly url: string;
  /** The content of a document that was read as a whole. */
  readonly read?: MediaContent | undefined;
}

/**
 * `raw`: the body as received. The views throw where the body cannot be decoded, or is larger than
 * `maxDecodedBytes`.
 */
export function createPageContent(
  raw: Uint8Array,
  { headers }: Pick<ResponseHead, 'headers'>,
  facts: PageFacts,
  maxDecodedBytes: number,
): PageContent {
  const decoded = once(() =>
    decodeBody(raw, valuesOf(headers, 'content-encoding').join(', '), maxDecodedBytes),
  );
  // The bytes as received are still to be archived: a hook has its own.
  const body = once(() => (decoded() === raw ? new Uint8Array(raw) : decoded()));
  const html = once(() => {
    const declared = charsetOf(charsetParameter(valuesOf(headers, 'content-type').at(-1)));
    return decodeAll(decoded(), facts.charset ?? declared ?? 'utf-8');
  });
  /** In the syntax of HTML. */
  const markup = once(() => (facts.mimeType === XHTML_TYPE ? xhtmlAsHtml(html()) : html()));
  const { read } = facts;
  const main = once((): Extracted => {
    if (read) return { ...read, isTruncated: read.cut !== undefined };
    if (isHtml(facts.mimeType)) return extractContent(markup(), facts.url, undefined, facts.charset);
    return textContent(html(), facts.mimeType, facts.url);
  });
  const text = () => read?.text ?? (isHtml(facts.mimeType) ? main().visibleText : undefined) ?? html();
  const language = once(() => pageLanguage(main().text, main().metadata.language));
  const $ = once(() => loadDocument(markup(), isXml(facts.mimeType)));
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
    get main() {
      return main();
    },
    get language() {
      return language();
    },
  };
}

interface Parsers {
  readonly load: typeof import('cheerio').load;
  readonly adapter: typeof import('parse5-htmlparser2-tree-adapter').adapter;
}

let parsers: Parsers | undefined;

/**
 * Loads cheerio for {@link loadDocument}, which takes 160 ms the first time: crawls without hooks never load it. To be called
 * before a hook is: a module that is cut off in the middle of its loading stays half of one. By `import`, which esbuild
 * bundles for the functions.
 */
export async function loadCheerio(): Promise<void> {
  if (parsers !== undefined) return;
  const [{ load }, { adapter }] = await Promise.all([
    import('cheerio'),
    import('parse5-htmlparser2-tree-adapter'),
  ]);
  parsers = { load, adapter };
}

/** Elements around each other. Browsers stop at 512. */
const MAX_DEPTH = 1024;

/**
 * To be called after {@link loadCheerio} has resolved. Throws for a document nested so deep that the parser's work, quadratic
 * in the depth, could be without end.
 */
export function loadDocument(
  text: string,
  isXml: boolean,
  options: { readonly scriptingEnabled?: boolean } = {},
): CheerioAPI {
  if (parsers === undefined) throw new Error('Expected loadCheerio to be called first');
  const { load, adapter } = parsers;
  let depth = 0;
  const countOpen = () => {
    if (++depth > MAX_DEPTH) throw new Error(`elements nested deeper than ${MAX_DEPTH}`);
  };
  if (isXml) {
    new Parser({ onopentag: countOpen, onclosetag: () => void depth-- }, { xmlMode: true }).end(text);
    return load(text, { xml: true });
  }
  return load(text, {
    ...options,
    treeAdapter: {
      ...adapter,
      onItemPush: countOpen,
      onItemPop(item) {
        depth--;
        if (item.name === 'template' && isShadowRoot({ get: (name) => item.attribs[name] }))
          unwrap(adapter, item);
      },
    },
  });
}

type Item = Parameters<NonNullable<Parsers['adapter']['onItemPop']>>[0];

/** A shadow root's content takes its place in the element around it, as readers see it: selectors find nothing in templates. */
function unwrap(adapter: Parsers['adapter'], template: Item): void {
  const { parent } = template;
  if (parent?.children.at(-1) !== template) return;
  const content = adapter.getTemplateContent(template);
  adapter.detachNode(template);
  for (const node of [...content.children]) {
    node.parent = null;
    adapter.appendChild(parent, node);
  }
  content.children = [];
}

const isHtml = (type: string | undefined) => type === 'text/html' || type === 'application/xhtml+xml';
const isXml = (type: string | undefined) => type !== undefined && !isHtml(type) && /[/+]xml$/.test(type);

function valuesOf(headers: ResponseHead['headers'], name: string): string[] {
  return headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
}

/**
 * Returns a function that calls `make` the first time and returns its result each time. If `make` throws, the
 * next call tries again.
 */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
