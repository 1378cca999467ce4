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
export const createPageContent = (
  raw: Uint8Array,
  { headers }: Pick<ResponseHead, 'headers'>,
  facts: PageFacts,
  maxDecodedBytes: number,
): PageContent => new ResponseContent(raw, headers, facts, maxDecodedBytes);

/** A class for the reason that `core/content/extract.ts` gives. What throws is tried again by the next use. */
class ResponseContent implements PageContent {
  readonly #raw: Uint8Array;
  readonly #headers: ResponseHead['headers'];
  readonly #facts: PageFacts;
  readonly #maxDecodedBytes: number;
  #decoded: Uint8Array | undefined;
  #body: Uint8Array | undefined;
  #html: string | undefined;
  #markup: string | undefined;
  #main: Extracted | undefined;
  #language: { readonly found: string | undefined } | undefined;
  #$: CheerioAPI | undefined;

  constructor(raw: Uint8Array, headers: ResponseHead['headers'], facts: PageFacts, maxDecodedBytes: number) {
    this.#raw = raw;
    this.#headers = headers;
    this.#facts = facts;
    this.#maxDecodedBytes = maxDecodedBytes;
  }

  get #decodedBody(): Uint8Array {
    const coding = valuesOf(this.#headers, 'content-encoding').join(', ');
    this.#decoded ??= decodeBody(this.#raw, coding, this.#maxDecodedBytes);
    return this.#decoded;
  }

  get body(): Uint8Array {
    const decoded = this.#decodedBody;
    // The bytes as received are still to be archived: a hook has its own.
    this.#body ??= decoded === this.#raw ? new Uint8Array(decoded) : decoded;
    return this.#body;
  }

  get html(): string {
    if (this.#html === undefined) {
      const declared = charsetOf(charsetParameter(valuesOf(this.#headers, 'content-type').at(-1)));
      this.#html = decodeAll(this.#decodedBody, this.#facts.charset ?? declared ?? 'utf-8');
    }
    return this.#html;
  }

  /** In the syntax of HTML. */
  get #asHtml(): string {
    this.#markup ??= this.#facts.mimeType === XHTML_TYPE ? xhtmlAsHtml(this.html) : this.html;
    return this.#markup;
  }

  get main(): Extracted {
    this.#main ??= this.#read();
    return this.#main;
  }

  #read(): Extracted {
    const { url, mimeType, charset, read } = this.#facts;
    if (read) return { ...read, isTruncated: read.cut !== undefined };
    if (isHtml(mimeType)) return extractContent(this.#asHtml, url, undefined, charset);
    return textContent(this.html, mimeType, url);
  }

  get text(): string {
    const { mimeType, read } = this.#facts;
    return read?.text ?? (isHtml(mimeType) ? this.main.visibleText : undefined) ?? this.html;
  }

  get language(): string | undefined {
    const { text, metadata } = this.main;
    this.#language ??= { found: pageLanguage(text, metadata.language) };
    return this.#language.found;
  }

  get $(): CheerioAPI {
    this.#$ ??= loadDocument(this.#asHtml, isXml(this.#facts.mimeType));
    return this.#$;
  }
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
  {
    keepsShadowRoots = false,
    ...options
  }: { readonly scriptingEnabled?: boolean; readonly keepsShadowRoots?: boolean } = {},
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
        if (keepsShadowRoots) return;
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
