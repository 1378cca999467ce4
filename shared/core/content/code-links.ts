/** The links within inline code, such as the types in a signature. */
import { withoutUnseen } from '../text/unseen-characters.ts';
import { codeText } from './code-text.ts';
import type { ContentElement } from './content-element.ts';
import { scriptText } from './script-text.ts';

export interface CodeRun {
  readonly text: string;
  /** The reference of the link around the text. */
  readonly href: string | undefined;
}

/** Linear in what the element holds. */
export const holdsLink = ({ children }: ContentElement): boolean => children.some(isOrHoldsLink);

/** Linear in what the node holds. */
export const isOrHoldsLink = (node: ContentElement | string): boolean =>
  typeof node === 'object' && !node.isUnseen && (hasReference(node) || holdsLink(node));

export const hasReference = ({ name, attributes }: ContentElement): boolean =>
  name === 'a' && attributes.href !== undefined;

/** Returns the text of code as pieces, each within one link or outside of links. Linear in what the element holds. */
export function codeRuns(code: ContentElement): readonly CodeRun[] {
  const runs: CodeRun[] = [];
  let text = '';
  let last = '';
  let open: ContentElement | undefined;
  read(code, undefined);
  begin(undefined);
  return runs;

  function read(element: ContentElement, link: ContentElement | undefined): void {
    for (const child of element.children) {
      if (typeof child === 'string') add(child, link);
      else if (child.isUnseen) continue;
      else if (child.name === 'br') add('\n', link);
      else if (child.name === 'sup' || child.name === 'sub')
        add(scriptText(child, last, codeText(child)), link);
      else read(child, hasReference(child) ? child : link);
    }
  }

  function add(more: string, link: ContentElement | undefined): void {
    const seen = withoutUnseen(more);
    if (seen === '') return;
    if (link !== open) begin(link);
    text += seen;
    last = seen.length > 1 ? seen.slice(-2) : last.slice(-1) + seen;
  }

  function begin(link: ContentElement | undefined): void {
    if (text !== '') runs.push({ text, href: open?.attributes.href });
    text = '';
    open = link;
  }
}
