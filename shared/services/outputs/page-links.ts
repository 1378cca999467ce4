/** The links of an HTML page with their texts, as people know them. */
import { MAX_FRAMES } from '../../core/parser/frame-document.ts';
import { parseShallow } from '../../core/parser/shallow-parser.ts';

/** A reference of a page to something else. */
export interface TextLink {
  /** As written, its character references decoded. */
  readonly reference: string;
  /** The element: `a`, `img`, `link`, `script`. */
  readonly element: string;
  /** The visible text of the link, white space folded; for an image its `alt`. */
  readonly text: string;
}

/** Elements by the attribute that names what they refer to. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  img: 'src',
  script: 'src',
  iframe: 'src',
  frame: 'src',
  source: 'src',
  video: 'src',
  audio: 'src',
  track: 'src',
  embed: 'src',
  object: 'data',
};
const READ: ReadonlySet<string> = new Set(['href', 'src', 'srcdoc', 'data', 'alt', 'title']);
const MAX_TEXT = 200;

/**
 * Reports each link in the order of its start tag's end, also those in the `srcdoc` of frames, which are relative to the page's
 * base; `onBase` is called for the page's first `base` element, before the links after it. In time linear in the page's length.
 */
export function readPageLinks(
  html: string,
  onLink: (link: TextLink) => void,
  onBase: (reference: string) => void,
  depth = 0,
): void {
  let open: { reference: string; text: string } | undefined;
  let hasBase = false;
  const close = () => {
    if (open) onLink({ ...open, element: 'a', text: folded(open.text) });
    open = undefined;
  };
  const add = (text: string) => {
    if (open && open.text.length < MAX_TEXT * 2) open.text += text.slice(0, MAX_TEXT * 2);
  };
  parseShallow(
    html,
    {
      onopentag(name, attributes) {
        if (name === 'base' && !hasBase && attributes.href !== undefined) {
          hasBase = true;
          onBase(attributes.href);
        }
        if (name === 'a') close();
        if (name === 'img') add(` ${attributes.alt ?? ''} `);
        if (name === 'iframe' && attributes.srcdoc !== undefined && depth < MAX_FRAMES)
          readPageLinks(attributes.srcdoc, onLink, () => {}, depth + 1);
        const attribute = Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name] : undefined;
        const reference = attribute === undefined ? undefined : attributes[attribute];
        if (reference === undefined) return;
        if (name === 'a') open = { reference, text: '' };
        else onLink({ reference, element: name, text: folded(attributes.alt ?? attributes.title ?? '') });
      },
      ontext: add,
      onclosetag(name) {
        if (name === 'a') close();
      },
      onend: close,
    },
    () => {},
    READ,
  );
}

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT);
