/**
 * Finds tags and text of an XML document in its text as the text arrives. As forgiving as feeds in the wild
 * need: it requires no well-formedness, and expands no entities but the five of XML itself. A document type
 * that declares entities ends it: nothing that is read here needs them, and they are how a small document is
 * made a large one.
 */
import { AttributeList, type RawAttributes, readAttributes } from './tag-attributes.ts';
import { createUnfinishedText } from './unfinished-text.ts';

export interface XmlListener {
  /** Attribute names are in lower case, their values not yet decoded. */
  onStartTag(name: string, attributes: RawAttributes, isEmpty: boolean): void;
  onEndTag(name: string): void;
  /** `text.slice(from, to)`; a CDATA section if `isLiteral`, else with character references. */
  onText(text: string, from: number, to: number, isLiteral: boolean): void;
  /** The document type declares entities. */
  onEntities(): void;
}

export interface XmlScanner {
  write(text: string): void;
  end(): void;
  /** Stops: nothing more is read or reported. */
  stop(): void;
}

/** The calls do not depend on how the text was cut into pieces. Work is linear in the text's length. */
export function createXmlScanner(listener: XmlListener): XmlScanner {
  let isStopped = false;

  const scan = (text: string, isLast: boolean): number => {
    let at = 0;
    while (!isStopped) {
      const mark = text.indexOf('<', at);
      if (mark === -1) {
        if (!isLast) return at;
        if (at < text.length) listener.onText(text, at, text.length, false);
        return text.length;
      }
      if (mark > at) listener.onText(text, at, mark, false);
      at = markup(text, mark, isLast, listener);
      if (at === -1) return isLast ? text.length : mark;
    }
    return text.length;
  };
  const text = createUnfinishedText(scan);

  return {
    write(piece) {
      if (!isStopped) text.write(piece);
    },
    end() {
      if (!isStopped) text.end();
    },
    stop() {
      isStopped = true;
    },
  };
}

/** Reports the markup that begins at `mark`; returns the index behind it, or -1 if the text ends before. */
function markup(text: string, mark: number, isLast: boolean, listener: XmlListener): number {
  const code = text.charCodeAt(mark + 1);
  if (code === SLASH) {
    const end = text.indexOf('>', mark + 2);
    if (end === -1) return -1;
    listener.onEndTag(text.slice(mark + 2, end).trimEnd());
    return end + 1;
  }
  if (code === QUESTION) return behind(text, '?>', mark + 2);
  if (code === EXCLAMATION) {
    // Which of them it is shows within nine characters.
    if (text.length - mark < CDATA.length && !isLast) return -1;
    if (text.startsWith('<!--', mark)) return behind(text, '-->', mark + 4);
    if (text.startsWith('<!DOCTYPE', mark)) return documentType(text, mark, listener);
    if (!text.startsWith(CDATA, mark)) return behind(text, '>', mark + 2);
    const end = text.indexOf(']]>', mark + CDATA.length);
    if (end === -1) return -1;
    listener.onText(text, mark + CDATA.length, end, true);
    return end + 3;
  }
  if (isSpace(code) || code === LESS) {
    // A `<` that someone forgot to escape.
    listener.onText(text, mark, mark + 1, true);
    return mark + 1;
  }
  return startTag(text, mark, listener);
}

function startTag(text: string, mark: number, listener: XmlListener): number {
  let nameEnd = mark + 1;
  for (; nameEnd < text.length; nameEnd++) {
    const code = text.charCodeAt(nameEnd);
    if (code === GREATER || code === SLASH || isSpace(code)) break;
  }
  const isBare = text.charCodeAt(nameEnd) === GREATER;
  const attributes = new AttributeList();
  const end = isBare ? nameEnd + 1 : readAttributes(text, nameEnd, attributes);
  if (end === -1) return -1;
  listener.onStartTag(text.slice(mark + 1, nameEnd), attributes, text.charCodeAt(end - 2) === SLASH);
  return end;
}

/** `<!DOCTYPE rss SYSTEM "a.dtd" [ declarations ]>`. The DTD itself is never fetched. */
function documentType(text: string, mark: number, listener: XmlListener): number {
  const head = /[[>]/g;
  head.lastIndex = mark;
  const found = head.exec(text);
  if (found === null) return -1;
  if (found[0] === '>') return head.lastIndex;
  const subset = /<!ENTITY|\]\s*>/g;
  subset.lastIndex = head.lastIndex;
  const next = subset.exec(text);
  if (next === null) return -1;
  if (next[0] === '<!ENTITY') listener.onEntities();
  return subset.lastIndex;
}

/**
 * XML 1.0, section 4.6, and numbers; others are left as they are, as is a `&` that was forgotten to escape.
 */
export function decodeXml(raw: string): string {
  if (!raw.includes('&')) return raw;
  return raw.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, reference);
}

function reference(whole: string, name?: string, decimal?: string, hex?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? whole;
  const codePoint = decimal !== undefined ? Number(decimal) : Number.parseInt(hex!, 16);
  return codePoint > 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole;
}

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;

const CDATA = '<![CDATA[';
const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;
const QUESTION = 0x3f;
