/** An HTML page whose references lead elsewhere; all other bytes stay as they are. */

import { Tokenizer } from 'htmlparser2';
import { decodeAttribute } from '../../core/parser/character-references.ts';
import { MAX_FRAMES } from '../../core/parser/frame-document.ts';
import { LAZY_SETS, LAZY_SOURCES } from '../../core/parser/html-requisites.ts';
import { refreshReference } from '../../core/parser/meta-refresh.ts';
import { srcsetReferences } from '../../core/parser/srcset.ts';
import { isPlace } from '../../core/url/hash-route.ts';
import { type Rewrite, rewriteCss } from './rewrite-css.ts';

export interface HtmlRewriter {
  /** Called with the reference of the first `base`, which is taken out. */
  readonly onBase: (reference: string) => void;
  readonly rewrite: Rewrite;
  /** The text of a piece of the page, if that is bytes as Latin-1. */
  readonly decode?: (bytes: string) => string;
  /** XML syntax. */
  readonly isXml?: boolean;
  /** Takes out scripts and event handlers. */
  readonly withoutScripts?: boolean;
}

/** Attributes that hold one reference, whatever the element. */
const REFERENCES = new Set([
  'href',
  'src',
  'poster',
  'background',
  'data',
  'action',
  'formaction',
  'xlink:href',
]);
const SETS = new Set(['srcset', 'imagesrcset', ...LAZY_SETS]);
const LAZY: ReadonlySet<string> = new Set(LAZY_SOURCES);
/** `data-src` and the other lazy sources are references only there. */
const IMAGES = new Set(['img', 'source']);
/** A changed file has another hash, and a file on a disk no origin. */
const DROPPED = new Set(['integrity', 'crossorigin', 'nonce', 'ping']);
/** `data` is a reference only there. */
const DATA_ELEMENTS = new Set(['object']);
const MAX_ATTRIBUTE = 1024 * 1024;

/**
 * The page with other references, in `href`, `src`, `srcset`, `style`, style sheets, and refreshes. `html` may be text,
 * or bytes as Latin-1: only ASCII characters are examined. References in the `srcdoc` of frames are relative to the
 * page's base. In time linear in its length.
 */
export function rewriteHtml(html: string, rewriter: HtmlRewriter, depth = 0): string {
  const rewriting = new Rewriting(html, rewriter, depth);
  const tokenizer = new Tokenizer({ decodeEntities: false, xmlMode: rewriter.isXml === true }, rewriting);
  tokenizer.write(html);
  tokenizer.end();
  return rewriting.result();
}

const nothing = (): void => {};

/** The tokenizer's callbacks in one pass over a page. */
class Rewriting {
  readonly #html: string;
  readonly #rewriter: HtmlRewriter;
  /** Frames around it. */
  readonly #depth: number;
  readonly #pieces: string[] = [];
  #done = 0;
  #element = '';
  #attribute = '';
  #nameAt = 0;
  #valueAt = -1;
  #valueEnd = -1;
  #hasBase = false;
  /** State of the current tag, for `<meta http-equiv=refresh content=...>`. */
  #isRefresh = false;
  #content: { raw: string; from: number; to: number } | undefined;
  #styleAt = -1;

  readonly onattribentity = nothing;
  readonly ontext = nothing;
  readonly ontextentity = nothing;
  readonly oncdata = nothing;
  readonly oncomment = nothing;
  readonly ondeclaration = nothing;
  readonly onprocessinginstruction = nothing;
  readonly onend = nothing;

  constructor(html: string, rewriter: HtmlRewriter, depth: number) {
    this.#html = html;
    this.#rewriter = rewriter;
    this.#depth = depth;
  }

  readonly #rewriteInStyle: Rewrite = (reference) => {
    const { rewrite, decode } = this.#rewriter;
    return rewrite(decode?.(reference) ?? reference);
  };

  result(): string {
    return this.#pieces.join('') + this.#html.slice(this.#done);
  }

  onopentagname(from: number, to: number): void {
    this.#element = this.#html.slice(from, to).toLowerCase();
  }

  onattribname(from: number, to: number): void {
    this.#attribute = this.#html.slice(from, to).toLowerCase();
    this.#nameAt = from;
    this.#valueAt = -1;
    this.#valueEnd = -1;
  }

  onattribdata(from: number, to: number): void {
    if (this.#valueAt < 0) this.#valueAt = from;
    this.#valueEnd = to;
  }

  onattribend(quote: number, end: number): void {
    const isQuoted = quote > 1 && (this.#html[end] === '"' || this.#html[end] === "'");
    this.#onAttribute(isQuoted ? end + 1 : end);
  }

  onopentagend(end: number): void {
    this.#onTagEnd();
    this.#styleAt = this.#element === 'style' ? end + 1 : -1;
  }

  onselfclosingtag(): void {
    this.#onTagEnd();
  }

  /** `from` is the name's; the text ends before `</`. */
  onclosetag(from: number): void {
    if (this.#styleAt < 0) return;
    const css = this.#html.slice(this.#styleAt, from - 2);
    const other = rewriteCss(css, this.#rewriteInStyle);
    if (other !== css) this.#replace(this.#styleAt, from - 2, other.replaceAll('</', '<\\/'));
    this.#styleAt = -1;
  }

  #replace(from: number, to: number, text: string): void {
    if (from < this.#done) return;
    this.#pieces.push(this.#html.slice(this.#done, from), text);
    this.#done = to;
  }

  #onAttribute(end: number): void {
    const raw = this.#valueAt < 0 ? '' : this.#html.slice(this.#valueAt, this.#valueEnd);
    if (raw.length > MAX_ATTRIBUTE) return;
    const name = this.#attribute;
    if (this.#element === 'meta') this.#onMeta(raw, end);
    if (this.#element === 'base') this.#onBase(raw);
    const isHandler = this.#rewriter.withoutScripts === true && name.startsWith('on');
    if (DROPPED.has(name) || isHandler) {
      this.#replace(this.#nameAt, end, '');
      return;
    }
    const other = this.#changed(raw);
    const written = this.#html.slice(this.#nameAt, this.#nameAt + name.length);
    if (other !== undefined) this.#replace(this.#nameAt, end, `${written}="${escaped(other)}"`);
  }

  #onMeta(raw: string, end: number): void {
    if (this.#attribute === 'content') this.#content = { raw, from: this.#nameAt, to: end };
    if (this.#attribute !== 'http-equiv') return;
    this.#isRefresh = /^refresh$/i.test(raw.trim());
    // A policy may forbid what the files refer to.
    if (/^content-security-policy/i.test(raw.trim())) this.#replace(this.#nameAt, end, 'name="removed"');
  }

  #onBase(raw: string): void {
    if (this.#attribute !== 'href' || this.#hasBase) return;
    this.#hasBase = true;
    this.#rewriter.onBase(this.#textOf(raw).trim());
  }

  #onTagEnd(): void {
    const content = this.#content;
    const refresh = this.#isRefresh && content ? refreshReference(this.#textOf(content.raw)) : undefined;
    const other = refresh && this.#one(refresh.reference);
    if (content && refresh && other !== undefined)
      this.#replace(content.from, content.to, `content="${refresh.delayMs / 1000};url=${escaped(other)}"`);
    this.#isRefresh = false;
    this.#content = undefined;
  }

  /** The attribute's other value, if it gets one. */
  #changed(raw: string): string | undefined {
    const name = this.#attribute;
    if (name === 'style') {
      const css = this.#textOf(raw);
      const other = rewriteCss(css, this.#rewriter.rewrite);
      return other === css ? undefined : other;
    }
    if (name === 'srcdoc') return this.#element === 'iframe' ? this.#frame(this.#textOf(raw)) : undefined;
    if (SETS.has(name)) return this.#set(raw);
    if (LAZY.has(name)) return IMAGES.has(this.#element) ? this.#one(this.#textOf(raw)) : undefined;
    if (!REFERENCES.has(name) || (name === 'data' && !DATA_ELEMENTS.has(this.#element))) return undefined;
    return this.#element === 'base' ? '' : this.#one(this.#textOf(raw));
  }

  /** The document that the frame holds. It is HTML, also in XML. */
  #frame(text: string): string | undefined {
    if (this.#depth >= MAX_FRAMES) return undefined;
    const { rewrite, withoutScripts = false } = this.#rewriter;
    const other = rewriteHtml(text, { onBase: nothing, rewrite, withoutScripts }, this.#depth + 1);
    return other === text ? undefined : other;
  }

  #textOf(raw: string): string {
    return decodeAttribute(this.#rewriter.decode?.(raw) ?? raw);
  }

  #one(text: string): string | undefined {
    const reference = text.trim();
    return reference === '' || isPlace(reference) ? undefined : this.#rewriter.rewrite(reference);
  }

  #set(raw: string): string | undefined {
    const written = this.#textOf(raw);
    const parts: string[] = [];
    let at = 0;
    srcsetReferences(written, (reference, from) => {
      const other = this.#rewriter.rewrite(reference);
      if (other === undefined) return;
      parts.push(written.slice(at, from), inSet(other));
      at = from + reference.length;
    });
    return at === 0 ? undefined : parts.join('') + written.slice(at);
  }
}

/** Commas within a reference belong to it, those at its ends do not (HTML standard, "parse a srcset attribute"). */
const inSet = (reference: string): string =>
  reference
    .replace(/^,/, '%2C')
    .replace(/,$/, '%2C')
    .replace(/[\t\n\f\r ]/g, encodeURIComponent);

/** In ASCII, as the page may be bytes of any charset. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replace(/[^\0-\x7f]/gu, (char) => `&#${char.codePointAt(0)};`);
