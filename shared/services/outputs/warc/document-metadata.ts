/** The metadata and the links of a document that a module has read, in the form that WAT files have for pages. */
import { METADATA_TEXTS } from '../../../core/content/metadata-texts.ts';
import type { MediaContent } from '../../../core/media/media-module.ts';
import { cut, MAX_LINKS } from './html-metadata.ts';

/** Characters of all links of a document together. */
const MAX_LINK_CHARS = 4 * 1024 * 1024;

type Json = Readonly<Record<string, unknown>>;

/**
 * `{ Head: { Title, Metas }, Links }`: a meta for each other fact by its name, and links as they stand in the document, absolute
 * or relative to its URL. Absent parts are left out.
 */
export function documentMetadata({ metadata, links }: Pick<MediaContent, 'metadata' | 'links'>): Json {
  const { title, pages } = metadata;
  const metas = METADATA_TEXTS.flatMap((name): { name: string; content: string }[] => {
    const content = metadata[name];
    return name === 'title' || content === undefined ? [] : [{ name, content: cut(content) }];
  });
  if (pages !== undefined) metas.push({ name: 'pages', content: String(pages) });
  return {
    Head: {
      Title: title === undefined ? undefined : cut(title),
      Metas: metas.length > 0 ? metas : undefined,
    },
    Links: links.length > 0 ? linksOf(links) : undefined,
  };
}

function linksOf(references: readonly string[]): Json[] {
  const links: Json[] = [];
  let chars = 0;
  for (const reference of references.slice(0, MAX_LINKS)) {
    const url = cut(reference);
    chars += url.length;
    if (chars > MAX_LINK_CHARS) break;
    links.push({ url });
  }
  return links;
}
