/**
 * As much of HTML's tree construction (HTML standard, section 13.2.6) as decides what is a link. Most tags
 * mean the same wherever they stand. The exceptions: tags inside `svg` and `math`, whose `a` and `title` are
 * other elements and whose `style` holds markup; inside `template`, which is not part of the document unless it is
 * the shadow root of an element; inside `select`, where browsers leave out nearly all. Only these, and what is open inside them, are tracked:
 * elsewhere no element is remembered.
 */
import { type Open, OpenElements } from './open-elements.ts';
import type { RawAttributes } from './tag-attributes.ts';

/** Where a start tag's element went: into the document, a template, SVG or MathML, or nowhere at all. */
export type Placement = 'document' | 'template' | 'foreign' | 'nowhere';

export interface HtmlTree {
  /** Handles a start tag; `name` is in lower case. */
  startTag(name: string, attributes: RawAttributes, isSelfClosing: boolean): Placement;
  endTag(name: string): void;
  /** Nothing is open that could matter: `startTag` of a name not in {@link PLACED_APART} is `document`. */
  isPlain(): boolean;
  /** The text that follows is inside SVG or MathML, where `<![CDATA[` is known. */
  isForeign(): boolean;
  /** Returns whether the following nodes are inside a template. */
  isTemplate(): boolean;
}

/** Elements inside which tags mean something else. */
export const PLACED_APART: ReadonlySet<string> = new Set(['svg', 'math', 'template', 'select']);

/** Elements nested deeper are not remembered. Browsers stop at 512 as well. */
const MAX_OPEN = 512;

export function createHtmlTree(): HtmlTree {
  const open = new OpenElements();
  let templates = 0;
  /** Read for each tag, so it is stored. */
  let isPlain = true;

  const push = (entry: Open) => {
    if (open.length >= MAX_OPEN) return;
    open.push(entry);
    if (entry.kind === 'template' && !entry.isShadowRoot) templates++;
  };
  const popTo = (length: number) => {
    while (open.length > length) {
      const entry = open.pop();
      if (entry?.kind === 'template' && !entry.isShadowRoot) templates--;
    }
  };
  const popForeign = () => {
    while (open.top()?.kind === 'foreign') open.pop();
  };
  const inHtml = (): Placement => (templates > 0 ? 'template' : 'document');

  const place = (name: string, attributes: RawAttributes, isSelfClosing: boolean): Placement => {
    const top = open.top();
    if (top === undefined && !PLACED_APART.has(name)) return 'document';
    if (top?.kind === 'select') return startInSelect(name, attributes, isSelfClosing);
    if (top?.kind === 'foreign' || (top?.vocabulary === 'math' && STAYS_IN_MATH.has(name))) {
      if (!leavesForeign(name, attributes)) {
        if (!isSelfClosing) push(foreignElement(name, attributes, top.vocabulary));
        return 'foreign';
      }
      popForeign();
      return place(name, attributes, isSelfClosing);
    }
    if (name === 'svg' || name === 'math') {
      if (!isSelfClosing) push({ kind: 'foreign', name, vocabulary: name });
      return 'foreign';
    }
    const placement = inHtml();
    if (name === 'template') push({ kind: name, name, isShadowRoot: isShadowRoot(attributes) });
    else if (name === 'select') push({ kind: name, name });
    else if ((top?.kind === 'gate' || top?.kind === 'html') && !VOID.has(name)) push({ kind: 'html', name });
    return placement;
  };

  const startInSelect = (name: string, attributes: RawAttributes, isSelfClosing: boolean): Placement => {
    if (name === 'template') push({ kind: 'template', name });
    if (name === 'template' || name === 'script') return inHtml();
    if (name === 'select') open.pop();
    if (!ENDS_SELECT.has(name)) return 'nowhere';
    open.pop();
    return place(name, attributes, isSelfClosing);
  };

  const end = (name: string) => {
    const top = open.top();
    if (top === undefined) return;
    const template = name === 'template' && top.kind !== 'foreign' ? open.lastTemplate() : -1;
    if (template >= 0) {
      popTo(template);
    } else if (top.kind === 'select') {
      if (name === 'select' || TABLE_PARTS.has(name)) open.pop();
    } else if (top.kind === 'foreign' || top.kind === 'gate') {
      endInForeign(name);
    } else {
      endInHtml(name);
    }
  };

  const endInForeign = (name: string) => {
    if (name === 'p' || name === 'br') return popForeign();
    const at = open.lastForeign(name);
    if (at >= 0) return popTo(at);
    endInHtml(name);
  };

  /** An end tag closes an HTML element of its name, but none outside the gate or template it is in. */
  const endInHtml = (name: string) => {
    const at = open.lastHtml(name);
    if (at >= 0) return popTo(at);
    if (open.isInGate()) return;
    // The document's own elements are not tracked, so `</div>` inside `svg` counts as the end of one around
    // it.
    if (ENDS_FOREIGN.has(name)) popForeign();
  };

  return {
    startTag(name, attributes, isSelfClosing) {
      const placement = place(name, attributes, isSelfClosing);
      isPlain = open.length === 0;
      return placement;
    },
    endTag(name) {
      end(name);
      isPlain = open.length === 0;
    },
    isPlain: () => isPlain,
    isForeign: () => open.top()?.kind === 'foreign',
    isTemplate: () => templates > 0,
  };
}

function foreignElement(name: string, attributes: RawAttributes, around: 'svg' | 'math' | undefined): Open {
  const vocabulary = around === 'math' && name === 'svg' ? 'svg' : around;
  return { kind: isGate(name, attributes, vocabulary) ? 'gate' : 'foreign', name, vocabulary };
}

function isGate(name: string, attributes: RawAttributes, vocabulary: 'svg' | 'math' | undefined): boolean {
  if (vocabulary === 'svg') return name === 'foreignobject' || name === 'desc' || name === 'title';
  if (name !== 'annotation-xml') return MATH_TEXT.has(name);
  const encoding = attributes.get('encoding')?.toLowerCase();
  return encoding === 'text/html' || encoding === 'application/xhtml+xml';
}

function leavesForeign(name: string, attributes: RawAttributes): boolean {
  if (name !== 'font') return LEAVES_FOREIGN.has(name);
  return attributes.has('color') || attributes.has('face') || attributes.has('size');
}

/** Whether a template is the shadow root of the element around it, which readers see (a "declarative" one). */
export const isShadowRoot = (attributes: Pick<RawAttributes, 'get'>): boolean => {
  const mode = attributes.get('shadowrootmode')?.toLowerCase();
  return mode === 'open' || mode === 'closed';
};

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const MATH_TEXT = names('mi mo mn ms mtext');
const STAYS_IN_MATH = names('mglyph malignmark');
/** HTML elements that close `svg` and `math` wherever they appear in them (section 13.2.6.5). */
const LEAVES_FOREIGN = names(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);
/** HTML elements that one expects around `svg` and `math`; their end tags close those too. */
const ENDS_FOREIGN = names(
  'a article aside b button center dd div dl dt em fieldset figure footer form h1 h2 h3 h4 h5 h6 header i label li ' +
    'main nav ol section small span strong table tbody td tfoot th thead tr u ul',
);
const TABLE_PARTS = names('caption table tbody tfoot thead tr td th');
const ENDS_SELECT = names('input keygen textarea caption table tbody tfoot thead tr td th');
const VOID = names('area base br col embed hr img input link meta param source track wbr');
