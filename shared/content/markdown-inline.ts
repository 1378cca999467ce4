/** Text within a line, as Markdown (CommonMark 0.31, with GFM's strikethrough). */
import type { ContentElement } from './element-tree.ts';

const MARKS: Readonly<Record<string, string>> = {
  strong: '**',
  b: '**',
  em: '*',
  i: '*',
  del: '~~',
  s: '~~',
  strike: '~~',
};
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'tt']);
/** Longer references are data, not addresses. */
const MAX_URL = 2000;

/**
 * Renders nodes as one line; `resolve` makes a reference absolute, or gives undefined for one that is no page
 * or image.
 */
export function inlineMarkdown(
  nodes: readonly (ContentElement | string)[],
  resolve: (reference: string) => string | undefined,
): string {
  return tidy(nodes.map((node) => render(node, '')).join(''));

  function render(node: ContentElement | string, open: string): string {
    if (typeof node === 'string') return escapeText(node.replace(/ \s+|[^\S ]\s*/g, ' '));
    if (node.isUnseen) return '';
    const { name, attributes, children } = node;
    if (name === 'br') return '\n';
    if (name === 'img') return image(attributes);
    if (CODE.has(name)) return codeSpan(plainText(node));
    const mark = MARKS[name];
    const inner = children
      .map((child) => render(child, mark && !open.includes(mark) ? open + mark : open))
      .join('');
    if (name === 'a') return link(inner, attributes.href);
    return mark === undefined || open.includes(mark) ? inner : marked(inner, mark);
  }

  function link(text: string, href: string | undefined): string {
    const [before, core, after] = aroundBlanks(text);
    const url = href === undefined || href.startsWith('#') ? undefined : destination(href);
    return core === '' || url === undefined
      ? text
      : `${before}[${core.replaceAll('\n', ' ')}](${url})${after}`;
  }

  function image({ alt = '', src = '', ...others }: ContentElement['attributes']): string {
    const reference = /^data:/i.test(src) || src === '' ? (others['data-src'] ?? '') : src;
    const url = reference === '' ? undefined : destination(reference);
    const text = alt.replace(/\s+/g, ' ').trim();
    // An image without a description says nothing in a text.
    return url === undefined || text === '' ? '' : `![${escapeText(text)}](${url})`;
  }

  function destination(reference: string): string | undefined {
    const url = resolve(reference);
    return url === undefined || url.length > MAX_URL
      ? undefined
      : url.replaceAll('(', '%28').replaceAll(')', '%29');
  }
}

/** The text of a node as it stands, `br` as a line feed. */
export function plainText(node: ContentElement | string): string {
  if (typeof node === 'string') return node;
  if (node.name === 'br') return '\n';
  return node.isUnseen ? '' : node.children.map(plainText).join('');
}

/** With more backticks around than are in it (CommonMark, "Code spans"). */
function codeSpan(text: string): string {
  const code = text.replace(/\s+/g, ' ');
  if (code.trim() === '') return code;
  const fence = '`'.repeat(longestBackticks(code) + 1);
  const pad = /^`|`$/.test(code) ? ' ' : '';
  return `${fence}${pad}${code}${pad}${fence}`;
}

/** How many backticks stand in a row at most. */
export function longestBackticks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Marks must touch the text: blanks go outside of them. */
function marked(text: string, mark: string): string {
  const [before, core, after] = aroundBlanks(text);
  return core === '' || core.includes('\n') ? text : `${before}${mark}${core}${mark}${after}`;
}

function aroundBlanks(text: string): [string, string, string] {
  const core = text.trim();
  if (core === '') return [text, '', ''];
  const start = text.indexOf(core);
  return [text.slice(0, start), core, text.slice(start + core.length)];
}

const escapeText = (text: string): string => text.replace(/[\\`*_[\]<]/g, '\\$&');

/**
 * Blanks folded; line breaks that the author wanted as CommonMark writes them; nothing that would begin
 * another block.
 */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => escapeStart(line.replace(/ {2,}/g, ' ').trim()));
  return lines.filter((line) => line !== '').join('  \n');
}

const escapeStart = (line: string): string =>
  line.replace(/^([#>+-]|=+$|~~~)/, '\\$1').replace(/^(\d{1,9})([.)])(?= |$)/, '$1\\$2');
