import { Parser } from 'htmlparser2';

/**
 * What a reader sees of an HTML document, white space folded: no scripts, styles, titles or hidden elements; a blank
 * where a block, a cell or a line begins. Linear in the document's length.
 */
export function visibleText(html: string): string {
  const pieces: string[] = [];
  /** How deep we are in what is not seen. */
  let hiddenDepth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        forgetOutermost();
        if (hiddenDepth > 0 || UNSEEN.has(name) || isHidden(attributes)) hiddenDepth++;
        else if (!INLINE.has(name)) pieces.push(' ');
      },
      onclosetag(name) {
        if (hiddenDepth > 0) hiddenDepth--;
        else if (!INLINE.has(name)) pieces.push(' ');
      },
      ontext(text) {
        if (hiddenDepth === 0) pieces.push(text);
      },
    },
    { decodeEntities: true },
  );
  // The parser's own stacks, innermost first. It searches and shifts them at each tag: quadratic in their depth.
  const { stack, foreignContext } = parser as unknown as Record<'stack' | 'foreignContext', unknown[]>;
  const forgetOutermost = () => {
    if (foreignContext.length > MAX_DEPTH) foreignContext.pop();
    if (stack.length <= MAX_DEPTH) return;
    stack.pop();
    hiddenDepth = Math.min(hiddenDepth, MAX_DEPTH - 1);
  };
  parser.end(html);
  return pieces.join('').replace(/\s+/g, ' ').trim();
}

/** Elements around more than so many others are forgotten. Browsers nest no deeper, either. */
const MAX_DEPTH = 512;

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  return attributes.hidden !== undefined || /display\s*:\s*none/i.test(attributes.style ?? '');
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const UNSEEN = names(
  'script style noscript template title textarea select datalist object audio video canvas iframe noframes noembed',
);
/** Elements within a line; all others begin one of their own (HTML standard, section 15.3). */
const INLINE = names(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp slot ' +
    'small span strike strong sub sup time tt u var wbr',
);
