/** The content of a document that is text: Markdown, and plain text, which says nothing of itself. */
import { type MarkdownReference, readMarkdown } from '../parser/markdown-source.ts';
import { isMarkdownType } from '../parser/whole-types.ts';
import { withoutUnseen } from '../text/unseen-characters.ts';
import type { Extracted } from './extract.ts';
import { longestBackticks } from './markdown-pieces.ts';
import type { PageMetadata } from './metadata.ts';

/**
 * Text and Markdown are the document as it is, without what nobody sees. The Markdown of plain text has it between
 * fences. The Markdown of a Markdown document is its source, HTML and all, without front matter. With `rewrite`, which may replace
 * the URLs of links and images, references are absolute; otherwise they are as written.
 */
export function textContent(
  source: string,
  mediaType: string | undefined,
  url: string,
  rewrite?: (url: string) => string,
): Extracted {
  if (!isMarkdownType(mediaType)) {
    const text = withoutUnseen(source);
    return { metadata: { types: [] }, text, markdown: fenced(text), isTruncated: false };
  }
  const { title, facts, body, references } = readMarkdown(source);
  return {
    metadata: metadataOf(title, facts),
    text: withoutUnseen(body),
    markdown: withoutUnseen(rewrite ? withAbsolute(body, references, url, rewrite) : body),
    format: 'source',
    isTruncated: false,
  };
}

function fenced(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').trimEnd();
  if (lines === '') return '';
  const fence = '`'.repeat(Math.max(3, longestBackticks(lines) + 1));
  return `${fence}text\n${lines}\n${fence}`;
}

/** Longer references are data. */
const MAX_URL = 2000;

function withAbsolute(
  body: string,
  references: readonly MarkdownReference[],
  url: string,
  rewrite: (url: string) => string,
): string {
  const pieces: string[] = [];
  let end = 0;
  for (const { target, from } of references.toSorted((a, b) => a.from - b.from)) {
    if (from < end || target.startsWith('#') || target.length > MAX_URL) continue;
    const absolute = URL.parse(target, url);
    if (absolute === null || !/^https?:$/.test(absolute.protocol)) continue;
    pieces.push(body.slice(end, from), rewrite(absolute.href));
    end = from + target.length;
  }
  return pieces.join('') + body.slice(end);
}

/** By the names that Hugo, Jekyll, MkDocs and Docusaurus use. */
function metadataOf(title: string | undefined, facts: ReadonlyMap<string, string>): PageMetadata {
  const metadata = {
    title,
    description: facts.get('description') ?? facts.get('summary'),
    author: facts.get('author'),
    published: facts.get('date'),
    modified: facts.get('lastmod') ?? facts.get('last_modified_at') ?? facts.get('updated'),
    language: facts.get('lang') ?? facts.get('language'),
  };
  const given = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), types: [] };
}
