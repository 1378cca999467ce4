import { BLOCKS } from '../parser/block-elements.ts';
import { MAX_DEPTH, parseShallow } from '../parser/shallow-parser.ts';

/**
 * Returns the visible text of an HTML document, white space folded: no scripts, styles, titles or hidden
 * elements; a blank where a block, a cell or a line begins. Linear in the document's length.
 */
export function visibleText(html: string): string {
  const pieces: string[] = [];
  /** How deep we are in what is not seen. */
  let hiddenDepth = 0;
  parseShallow(
    html,
    {
      onopentag(name, attributes) {
        if (hiddenDepth > 0 || UNSEEN.has(name) || isHidden(attributes)) hiddenDepth++;
        else if (BLOCKS.has(name)) pieces.push(' ');
      },
      onclosetag(name) {
        if (hiddenDepth > 0) hiddenDepth--;
        else if (BLOCKS.has(name)) pieces.push(' ');
      },
      ontext(text) {
        if (hiddenDepth === 0) pieces.push(text);
      },
    },
    () => {
      hiddenDepth = Math.min(hiddenDepth, MAX_DEPTH - 1);
    },
    HIDING,
  );
  return pieces.join('').replace(/\s+/g, ' ').trim();
}

const HIDING: ReadonlySet<string> = new Set(['hidden', 'style']);

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  return attributes.hidden !== undefined || /display\s*:\s*none/i.test(attributes.style ?? '');
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const UNSEEN = names(
  'script style noscript template title textarea select datalist object audio video canvas iframe noframes noembed',
);
