/**
 * XHTML in the syntax of HTML, for readers that know HTML only: the same elements, attributes and text (XML 1.0; HTML
 * standard, sections 13.3 and 14.2). So an XHTML page is a page for content, hooks, links and replay alike.
 */
import { AttributeList, readAttributes } from './tag-attributes.ts';
import { decodeXml } from './xml-scanner.ts';

/** Elements that have no end tag in HTML. */
const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen'.split(
    ' ',
  ),
);
/** Elements whose content HTML does not parse. */
const RAW = new Set(['script', 'style']);
/** Namespaces whose elements HTML knows, without a prefix. */
const NAMESPACES = new Set([
  'http://www.w3.org/1999/xhtml',
  'http://www.w3.org/2000/svg',
  'http://www.w3.org/1998/Math/MathML',
]);

/** Accepts input that is not well-formed, and loses none of it. Time linear in the length. */
export function xhtmlAsHtml(xml: string): string {
  return new Translation(xml).html();
}

/**
 * Rewrites a document in one pass. The methods write the markup at `mark`, and return the index behind it, or -1 if the
 * text ends before.
 */
class Translation {
  readonly #xml: string;
  readonly #pieces: string[] = [];
  readonly #prefixes = new Set<string>();
  readonly #attributes = new AttributeList();

  constructor(xml: string) {
    this.#xml = xml;
  }

  html(): string {
    const xml = this.#xml;
    let at = 0;
    for (let mark = xml.indexOf('<'); mark >= 0; mark = xml.indexOf('<', at)) {
      this.#pieces.push(xml.slice(at, mark));
      const end = this.#markup(mark);
      at = end < 0 ? mark : end;
      if (end < 0) break;
    }
    return this.#pieces.join('') + xml.slice(at);
  }

  #markup(mark: number): number {
    const next = this.#xml.charAt(mark + 1);
    if (next === '?') return behind(this.#xml, '?>', mark);
    if (next === '!') return this.#declaration(mark);
    if (next === '/') return this.#endTag(mark);
    if (/[A-Za-z_]/.test(next)) return this.#startTag(mark);
    this.#pieces.push('&lt;');
    return mark + 1;
  }

  #declaration(mark: number): number {
    const xml = this.#xml;
    if (xml.startsWith('<![CDATA[', mark)) {
      const end = xml.indexOf(']]>', mark);
      if (end < 0) return -1;
      this.#pieces.push(escaped(xml.slice(mark + 9, end)));
      return end + 3;
    }
    const end = xml.startsWith('<!--', mark) ? behind(xml, '-->', mark + 4) : endOfDoctype(xml, mark);
    const isDoctype = xml.startsWith('<!DOCTYPE', mark);
    if (end >= 0) this.#pieces.push(isDoctype ? '<!DOCTYPE html>' : xml.slice(mark, end));
    return end;
  }

  #endTag(mark: number): number {
    const end = behind(this.#xml, '>', mark);
    const name = end < 0 ? '' : this.#localName(this.#xml.slice(mark + 2, end - 1).trim());
    if (name !== '' && !VOID.has(name)) this.#pieces.push(`</${name}>`);
    return end;
  }

  #startTag(mark: number): number {
    const xml = this.#xml;
    const attributes = this.#attributes;
    const nameEnd = endOfName(xml, mark + 1);
    attributes.clear();
    const end = readAttributes(xml, nameEnd, attributes);
    if (end < 0) return -1;
    attributes.each((attribute, value) => {
      if (attribute.startsWith(XMLNS) && NAMESPACES.has(value))
        this.#prefixes.add(attribute.slice(XMLNS.length));
    });
    const written = xml.slice(mark + 1, nameEnd);
    const name = this.#localName(written);
    const isEmpty = attributes.isSelfClosing;
    this.#pieces.push(`<${name}${xml.slice(nameEnd, isEmpty ? xml.lastIndexOf('/', end) : end - 1)}>`);
    if (isEmpty && !VOID.has(name)) this.#pieces.push(`</${name}>`);
    return RAW.has(name) && !isEmpty ? this.#rawText(written, end) : end;
  }

  /** Writes the content of a script or style, whose references HTML would not decode. */
  #rawText(name: string, from: number): number {
    const end = this.#xml.indexOf(`</${name}`, from);
    if (end < 0) return -1;
    const text = this.#xml.slice(from, end);
    const content = text.includes('<![CDATA[') ? text.replace(/<!\[CDATA\[|\]\]>/g, '') : decodeXml(text);
    this.#pieces.push(content.includes('</') ? text : content);
    return end;
  }

  #localName(name: string): string {
    const colon = name.indexOf(':');
    const isKnown = colon >= 0 && this.#prefixes.has(name.slice(0, colon).toLowerCase());
    return isKnown ? name.slice(colon + 1) : name;
  }
}

const XMLNS = 'xmlns:';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? -1 : found + mark.length;
}

/** With an internal subset, whose entities are not expanded. */
function endOfDoctype(text: string, mark: number): number {
  const head = /[[>]/g;
  head.lastIndex = mark + 2;
  const found = head.exec(text);
  if (found === null) return -1;
  if (found[0] === '>') return head.lastIndex;
  const subset = /\]\s*>/g;
  subset.lastIndex = head.lastIndex;
  return subset.test(text) ? subset.lastIndex : -1;
}

function endOfName(text: string, from: number): number {
  const end = /[\t\n\r />]/g;
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}
