import { INLINE } from '../parser/inline-elements.ts';
import { MAX_DEPTH, parseShallow } from '../parser/shallow-parser.ts';

/** An element of a document. */
export interface ContentElement {
  /** Its place among all elements, in document order: a parent comes before its children. */
  readonly index: number;
  /** In lower case. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: ContentElement | undefined;
  readonly children: (ContentElement | string)[];
  /** Whether an element within begins a line of its own. */
  hasBlocks: boolean;
}

/** Further elements of a document are dropped, with the text in them. */
export const MAX_ELEMENTS = 100_000;

/**
 * Parses HTML, whatever it is. Returns all elements in document order, the root first. Time and memory are
 * linear.
 */
export function parseElements(html: string): readonly ContentElement[] {
  const root: ContentElement = {
    index: 0,
    name: '#document',
    attributes: {},
    parent: undefined,
    children: [],
    hasBlocks: true,
  };
  const elements = [root];
  let current = root;
  let depth = 0;
  /** Open elements that were not added, since there were too many or they were too deep. */
  let dropped = 0;
  parseShallow(
    html,
    {
      onopentag(name, attributes) {
        if (dropped > 0 || depth >= MAX_DEPTH || elements.length >= MAX_ELEMENTS) {
          dropped++;
          return;
        }
        depth++;
        const index = elements.length;
        const element = { index, name, attributes, parent: current, children: [], hasBlocks: false };
        elements.push(element);
        current.children.push(element);
        if (!INLINE.has(name) && name !== 'br') markBlock(current);
        current = element;
      },
      onclosetag() {
        if (dropped > 0) {
          dropped--;
          return;
        }
        if (!current.parent) return;
        depth--;
        current = current.parent;
      },
      ontext(text) {
        if (elements.length >= MAX_ELEMENTS) return;
        const { children } = current;
        const last = children.length - 1;
        if (typeof children[last] === 'string') children[last] += text;
        else children.push(text);
      },
    },
    () => {
      dropped = Math.min(dropped, MAX_DEPTH - 1);
    },
  );
  return elements;
}

/** Each element is marked once: the ones around a marked one are marked already. */
function markBlock(inner: ContentElement): void {
  for (
    let element: ContentElement | undefined = inner;
    element && !element.hasBlocks;
    element = element.parent
  )
    element.hasBlocks = true;
}
