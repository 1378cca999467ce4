import { XHTML_TYPE } from './type-of-xml.ts';
import { isMarkdownType } from './whole-types.ts';

/** Whether one media type is that of HTML and the other that of Markdown: two forms of a page, of which neither is a version of the other. */
export const isOtherForm = (a: string | undefined, b: string | undefined): boolean =>
  (isMarkdownType(a) && isHtmlType(b)) || (isHtmlType(a) && isMarkdownType(b));

const isHtmlType = (mimeType: string | undefined): boolean =>
  mimeType === 'text/html' || mimeType === XHTML_TYPE;
