/** The content of a document that is text: Markdown, and plain text, which says nothing of itself. */
import { isMarkdown } from '../parser/markdown-links.ts';
import { readMarkdown } from '../parser/markdown-source.ts';
import type { Extracted } from './extract.ts';
import type { PageMetadata } from './metadata.ts';

/** Text and Markdown are the document as it is, that of Markdown without its front matter. */
export function textContent(source: string, mediaType: string | undefined): Extracted {
  if (!isMarkdown(mediaType))
    return { metadata: { types: [] }, text: source, markdown: source, isTruncated: false };
  const { title, facts, body } = readMarkdown(source);
  return { metadata: metadataOf(title, facts), text: body, markdown: body, isTruncated: false };
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
