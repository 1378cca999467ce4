/** The input and the output of a reader for one kind of XML document. */
import type { LinkKind, UrlHints } from './link-set.ts';
import type { RawAttributes } from './tag-attributes.ts';

/** An open element. Names are in lower case, so `<URL>` is read like `<url>`. */
export interface XmlElement {
  readonly local: string;
  readonly prefix: string;
  /** The base of relative references. */
  readonly base: string;
}

/** A reader of the elements of one kind of document. */
export interface XmlReader {
  /** Returns whether `end` is to receive the element's text. */
  start(element: XmlElement, parent: XmlElement | undefined, attributes: RawAttributes): boolean;
  /** `text`: without white space around it; '' unless `start` returned true. */
  end(element: XmlElement, parent: XmlElement | undefined, text: string): void;
}

export interface XmlSink {
  /** Adds a link. Returns its URL, or undefined if it is none or there are too many. */
  add(reference: string, kind: LinkKind, element: XmlElement): string | undefined;
  /** As above, for an attribute's value as written. */
  addRaw(value: string, kind: LinkKind, element: XmlElement): string | undefined;
  hint(url: string, hints: UrlHints): void;
}
