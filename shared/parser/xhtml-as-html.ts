/**
 * XHTML in the syntax of HTML, for what reads HTML only: the same elements, attributes and text (XML 1.0; HTML standard,
 * sections 13.3 and 14.2). So what is a page in XML is one for content, hooks, links and replay alike.
 */
import { AttributeList, readAttributes } from './tag-attributes.ts';
import { decodeXml } from './xml-scanner.ts';

/** Elements that have no end tag in HTML. */
const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr basefont bgsound frame keygen'.split(' '),
);
/** Elements whose content HTML does not parse. */
const RAW = new Set(['script', 'style']);
/** Namespaces whose elements HTML knows, without a prefix. */
const NAMESPACES = new Set([
  'http://www.w3.org/1999/xhtml',
  'http://www.w3.org/2000/svg',
  'http://www.w3.org/1998/Math/MathML',
]);

/** Takes what is not well-formed, too: nothing of it gets lost. Time linear in the length. */
export function xhtmlAsHtml(xml: string): string {
  const pieces: string[] = [];
  const prefixes = new Set<string>();
  const attributes = new AttributeList();
  let at = 0;
  for (;;) {
    const mark = xml.indexOf('<', at);
    if (mark < 0) break;
    pieces.push(xml.slice(at, mark));
    const end = markup(mark);
    if (end < 0) {
      at = mark;
      break;
    }
    at = end;
  }
  pieces.push(xml.slice(at));
  return pieces.join('');

  /** Writes the markup that begins at `mark`; returns the index behind it, or -1 if the text ends before. */
  function markup(mark: number): number {
    const next = xml[mark + 1];
    if (next === '?') return behind(xml, '?>', mark);
    if (next === '!') return declaration(mark);
    if (next === '/') return endTag(mark);
    if (next === undefined || !/[A-Za-z_]/.test(next)) {
      pieces.push('&lt;');
      return mark + 1;
    }
    return startTag(mark);
  }

  function declaration(mark: number): number {
    if (xml.startsWith('<![CDATA[', mark)) {
      const end = xml.indexOf(']]>', mark);
      if (end < 0) return -1;
      pieces.push(escaped(xml.slice(mark + 9, end)));
      return end + 3;
    }
    const end = xml.startsWith('<!--', mark) ? behind(xml, '-->', mark + 4) : endOfDoctype(xml, mark);
    const isDoctype = xml.startsWith('<!DOCTYPE', mark);
    if (end >= 0) pieces.push(isDoctype ? '<!DOCTYPE html>' : xml.slice(mark, end));
    return end;
  }

  function endTag(mark: number): number {
    const end = behind(xml, '>', mark);
    const name = end < 0 ? '' : localName(xml.slice(mark + 2, end - 1).trim());
    if (name !== '' && !VOID.has(name)) pieces.push(`</${name}>`);
    return end;
  }

  function startTag(mark: number): number {
    const nameEnd = endOfName(xml, mark + 1);
    attributes.clear();
    const end = readAttributes(xml, nameEnd, attributes);
    if (end < 0) return -1;
    const written = xml.slice(mark + 1, nameEnd);
    attributes.each((attribute, value) => {
      if (attribute.startsWith('xmlns:') && NAMESPACES.has(value)) prefixes.add(attribute.slice(6));
    });
    const name = localName(written);
    const isEmpty = attributes.isSelfClosing;
    const behindAttributes = isEmpty ? xml.lastIndexOf('/', end) : end - 1;
    pieces.push(`<${name}${xml.slice(nameEnd, behindAttributes)}>`);
    if (isEmpty && !VOID.has(name)) pieces.push(`</${name}>`);
    return RAW.has(name) && !isEmpty ? rawText(written, end) : end;
  }

  /** Writes the content of a script or style, whose references HTML would not decode. */
  function rawText(name: string, from: number): number {
    const end = xml.indexOf(`</${name}`, from);
    if (end < 0) return -1;
    const text = xml.slice(from, end);
    const content = text.includes('<![CDATA[') ? text.replace(/<!\[CDATA\[|\]\]>/g, '') : decodeXml(text);
    pieces.push(content.includes('</') ? text : content);
    return end;
  }

  function localName(name: string): string {
    const colon = name.indexOf(':');
    return colon >= 0 && prefixes.has(name.slice(0, colon).toLowerCase()) ? name.slice(colon + 1) : name;
  }
}

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
