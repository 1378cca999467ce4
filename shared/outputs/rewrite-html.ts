/** An HTML page whose references lead elsewhere; all other bytes stay as they are. */
import { Tokenizer } from 'htmlparser2';
import { decodeAttribute } from '../parser/character-references.ts';
import { refreshReference } from '../parser/meta-refresh.ts';
import { srcsetReferences } from '../parser/srcset.ts';
import { type Rewrite, rewriteCss } from './rewrite-css.ts';

export interface HtmlRewriter {
  /** Called with the reference of the first `base`, which is taken out. */
  readonly onBase: (reference: string) => void;
  readonly rewrite: Rewrite;
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
const SETS = new Set(['srcset', 'imagesrcset']);
/** A changed file has another hash, and a file on a disk no origin. */
const DROPPED = new Set(['integrity', 'crossorigin', 'nonce', 'ping']);
/** `data` is a reference only there. */
const DATA_ELEMENTS = new Set(['object']);
const MAX_ATTRIBUTE = 1024 * 1024;

/**
 * The page with other references, in `href`, `src`, `srcset`, `style`, style sheets, and refreshes. `html` may be
 * text, or bytes as Latin-1: only what is ASCII is looked at. In time linear in its length.
 */
export function rewriteHtml(html: string, { onBase, rewrite, withoutScripts = false }: HtmlRewriter): string {
  const pieces: string[] = [];
  let done = 0;
  let element = '';
  let attribute = '';
  let nameAt = 0;
  let valueAt = -1;
  let valueEnd = -1;
  let hasBase = false;
  /** Of the tag under way, for `<meta http-equiv=refresh content=...>`. */
  let isRefresh = false;
  let content: { raw: string; from: number; to: number } | undefined;
  let styleAt = -1;

  const replace = (from: number, to: number, text: string) => {
    if (from < done) return;
    pieces.push(html.slice(done, from), text);
    done = to;
  };

  const one = (raw: string): string | undefined => {
    const reference = decodeAttribute(raw).trim();
    return reference === '' || reference.startsWith('#') ? undefined : rewrite(reference);
  };

  function set(raw: string): string | undefined {
    const written = decodeAttribute(raw);
    const parts: string[] = [];
    let at = 0;
    srcsetReferences(written, (reference, from) => {
      const other = rewrite(reference);
      if (other === undefined) return;
      parts.push(written.slice(at, from), other.replace(/,/g, '%2C'));
      at = from + reference.length;
    });
    return at === 0 ? undefined : parts.join('') + written.slice(at);
  }

  function changed(raw: string): string | undefined {
    if (element === 'base') return '';
    if (attribute === 'style') {
      const css = decodeAttribute(raw);
      const other = rewriteCss(css, rewrite);
      return other === css ? undefined : other;
    }
    if (SETS.has(attribute)) return set(raw);
    if (!REFERENCES.has(attribute) || (attribute === 'data' && !DATA_ELEMENTS.has(element))) return undefined;
    return one(raw);
  }

  function onAttribute(end: number): void {
    const raw = valueAt < 0 ? '' : html.slice(valueAt, valueEnd);
    if (raw.length > MAX_ATTRIBUTE) return;
    if (element === 'base' && attribute === 'href' && !hasBase) {
      hasBase = true;
      onBase(decodeAttribute(raw).trim());
    }
    if (element === 'meta' && attribute === 'http-equiv') isRefresh = /^refresh$/i.test(raw.trim());
    if (element === 'meta' && attribute === 'content') content = { raw, from: nameAt, to: end };
    if (element === 'base' && attribute !== 'href') return;
    const isPolicy =
      element === 'meta' && attribute === 'http-equiv' && /^content-security-policy/i.test(raw.trim());
    if (DROPPED.has(attribute) || (withoutScripts && attribute.startsWith('on'))) replace(nameAt, end, '');
    else if (isPolicy) replace(nameAt, end, 'name="removed"');
    else {
      const other = changed(raw);
      if (other !== undefined)
        replace(nameAt, end, `${html.slice(nameAt, nameAt + attribute.length)}="${escaped(other)}"`);
    }
  }

  function onTagEnd(): void {
    const refresh = isRefresh && content ? refreshReference(decodeAttribute(content.raw)) : undefined;
    const other = refresh && one(escaped(refresh.reference));
    if (content && refresh && other !== undefined)
      replace(content.from, content.to, `content="${refresh.delayMs / 1000};url=${escaped(other)}"`);
    isRefresh = false;
    content = undefined;
  }

  const tokenizer = new Tokenizer(
    { decodeEntities: false, xmlMode: false },
    {
      onopentagname(from, to) {
        element = html.slice(from, to).toLowerCase();
      },
      onattribname(from, to) {
        attribute = html.slice(from, to).toLowerCase();
        nameAt = from;
        valueAt = -1;
        valueEnd = -1;
      },
      onattribdata(from, to) {
        if (valueAt < 0) valueAt = from;
        valueEnd = to;
      },
      onattribentity() {},
      onattribend(quote, end) {
        // Behind the closing quote, if there is one.
        const hasQuote = html[valueAt - 1] === '"' || html[valueAt - 1] === "'" || valueAt < 0;
        onAttribute(quote > 1 && hasQuote && (html[end] === '"' || html[end] === "'") ? end + 1 : end);
      },
      onopentagend(end) {
        onTagEnd();
        styleAt = element === 'style' ? end + 1 : -1;
      },
      onselfclosingtag: onTagEnd,
      onclosetag(from) {
        if (styleAt < 0) return;
        // `from` is the name's; the text ends before `</`.
        const css = html.slice(styleAt, from - 2);
        const other = rewriteCss(css, rewrite);
        if (other !== css) replace(styleAt, from - 2, other.replaceAll('</', '<\\/'));
        styleAt = -1;
      },
      ontext() {},
      ontextentity() {},
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return pieces.join('') + html.slice(done);
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
