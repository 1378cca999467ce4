/** Reads an XML part of a document that is in memory, by our own scanner: no entity is ever expanded. */
import { sniffXmlCharset } from '../parser/charset.ts';
import { createCharsetDecoder } from '../parser/charset-decoder.ts';
import type { RawAttributes } from '../parser/tag-attributes.ts';
import { createXmlScanner, decodeXml } from '../parser/xml-scanner.ts';
import { UnreadableDocument } from './media-module.ts';

/** An attribute's value, its references decoded. Names are in lower case, and have their prefixes. */
export type Attributes = (name: string) => string | undefined;

export interface XmlEvents {
  /** `name`: without its prefix. `parents`: names of the open elements, the outermost first. */
  start?(name: string, attributes: Attributes, parents: readonly string[]): void;
  end?(name: string, parents: readonly string[]): void;
  text?(text: string, parents: readonly string[]): void;
}

const MAX_DEPTH = 1000;

/** Throws {@link UnreadableDocument} for XML that declares entities or is nested too deep. */
export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  const decoder = createCharsetDecoder(sniffXmlCharset(bytes.subarray(0, 1024), undefined));
  const source = decoder.decode(bytes) + decoder.end();
  const open: string[] = [];
  let fault: string | undefined;
  const stop = (reason: string) => {
    fault ??= reason;
    scanner.stop();
  };
  const close = (name: string) => {
    open.pop();
    events.end?.(name, open);
  };
  const scanner = createXmlScanner({
    onStartTag(qualified, attributes, isEmpty) {
      if (open.length >= MAX_DEPTH) return stop(`its XML is nested deeper than ${MAX_DEPTH}`);
      const name = localOf(qualified);
      events.start?.(name, valuesOf(attributes), open);
      open.push(name);
      if (isEmpty) close(name);
    },
    onEndTag(qualified) {
      const name = localOf(qualified);
      if (open.at(-1) === name) return close(name);
      const at = open.lastIndexOf(name);
      // It closes nothing.
      if (at === -1) return;
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

const localOf = (name: string): string => name.slice(name.indexOf(':') + 1);

const valuesOf =
  (attributes: RawAttributes): Attributes =>
  (name) => {
    const raw = attributes.get(name);
    return raw === undefined ? undefined : decodeXml(raw);
  };
