/** Reads an XML part of a document that is in memory, by our own scanner: no entity is ever expanded. */
import { sniffXmlCharset } from '../parser/charset.ts';
import { createCharsetDecoder } from '../parser/charset-decoder.ts';
import type { RawAttributes } from '../parser/tag-attributes.ts';
import { createXmlScanner, decodeXml } from '../parser/xml-scanner.ts';
import { UnreadableDocument } from './media-module.ts';
import { Namespaces } from './namespaces.ts';

/** An attribute's value, its references decoded. Names are in lower case, and have their usual prefixes. */
export type Attributes = (name: string) => string | undefined;

export interface XmlEvents {
  /** `name`: as by `Namespaces.elementName`. `parents`: names of the open elements, the outermost first. */
  start?(name: string, attributes: Attributes, parents: readonly string[]): void;
  end?(name: string, parents: readonly string[]): void;
  text?(text: string, parents: readonly string[]): void;
}

/** As in libxml2, which most readers of such documents use. What is done for an element may look at all open ones. */
const MAX_DEPTH = 256;

/** Throws {@link UnreadableDocument} for XML that declares entities or is nested too deep. */
export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  const decoder = createCharsetDecoder(sniffXmlCharset(bytes.subarray(0, 1024), undefined));
  const source = decoder.decode(bytes) + decoder.end();
  const open: string[] = [];
  /** How many of the open elements have that name. */
  const counts = new Map<string, number>();
  const count = (name: string) => counts.get(name) ?? 0;
  const namespaces = new Namespaces();
  let fault: string | undefined;
  const stop = (reason: string) => {
    fault ??= reason;
    scanner.stop();
  };
  const close = (name: string) => {
    open.pop();
    counts.set(name, count(name) - 1);
    events.end?.(name, open);
    namespaces.close(open.length);
  };
  const scanner = createXmlScanner({
    onStartTag(qualified, attributes, isEmpty) {
      if (open.length >= MAX_DEPTH) return stop(`its XML is nested deeper than ${MAX_DEPTH}`);
      namespaces.open(attributes, open.length);
      const name = namespaces.elementName(qualified);
      events.start?.(name, valuesOf(attributes, namespaces), open);
      open.push(name);
      counts.set(name, count(name) + 1);
      if (isEmpty) close(name);
    },
    onEndTag(qualified) {
      const name = namespaces.elementName(qualified);
      if (open.at(-1) === name) return close(name);
      // It closes nothing.
      if (count(name) === 0) return;
      const at = open.lastIndexOf(name);
      while (open.length > at) close(open.at(-1)!);
    },
    onText(text, from, to, isLiteral) {
      const raw = text.slice(from, to);
      events.text?.(isLiteral ? raw : decodeXml(raw), open);
    },
    onEntities: () => stop('its XML declares entities'),
  });
  scanner.write(source);
  scanner.end();
  if (fault !== undefined) throw new UnreadableDocument(fault);
}

const valuesOf =
  (attributes: RawAttributes, namespaces: Namespaces): Attributes =>
  (name) => {
    const raw = namespaces.attribute(attributes, name);
    return raw === undefined ? undefined : decodeXml(raw);
  };
