import { decodeAttribute } from './character-references.ts';
import { createHtmlScanner, type StyleListener } from './html-scanner.ts';
import type { RawAttributes } from './tag-attributes.ts';
import type { WantedElements } from './wanted-elements.ts';

export interface FrameListener {
  /** A tag of a document within the page: it says nothing of the page itself. */
  frameTag(name: string, attributes: RawAttributes): void;
  foreignAnchor(attributes: RawAttributes): void;
  readonly styles: StyleListener | undefined;
}

/** Frames within frames that are looked into. */
export const MAX_FRAMES = 4;

/**
 * Reports the tags of the document that a frame holds in its `srcdoc`, which is relative to the page's base (HTML standard,
 * section 4.8.5). Each level is a part of the one around it.
 */
export function scanFrame(
  attributes: RawAttributes,
  elements: WantedElements,
  listener: FrameListener,
  depth = 1,
): void {
  const html = attributes.get('srcdoc');
  if (html !== undefined && depth <= MAX_FRAMES) scanInner(decodeAttribute(html), elements, listener, depth);
}

/** Reports the tags of markup that is apart from that of the page: `noframes`, or the document of a frame. */
export function scanInner(html: string, elements: WantedElements, listener: FrameListener, depth = 1): void {
  const scanner = createHtmlScanner({
    elements,
    isXml: false,
    onStartTag(name, inner) {
      listener.frameTag(name, inner);
      if (name === 'iframe') scanFrame(inner, elements, listener, depth + 1);
    },
    onForeignAnchor: listener.foreignAnchor,
    onTitle: () => {},
    styles: listener.styles,
  });
  scanner.write(html);
  scanner.end();
}
