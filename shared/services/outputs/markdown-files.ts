/** Documents as files of Markdown: their names, their links to one another, and their texts. */

import { canonicalize } from '../../core/url/canonical.ts';
import { knownRoute } from '../../core/url/hash-route.ts';
import { createDocumentPaths } from './document-paths.ts';
import type { DocumentRow } from './document-row.ts';
import { frontMatter } from './front-matter.ts';
import { relativeReference } from './relative-path.ts';

export interface MarkdownPaths {
  /** The path of a page's file; undefined: it is none of those that were given. */
  pathOf(url: string): string | undefined;
  /** As above, and gives a path to a page that had none. */
  add(url: string): string;
  /** The relative reference from a page's file to that of another page, its fragment kept; other links stay. */
  rewrite(link: string, page: string): string;
}

/** Sorts the URLs of the pages in place, so that a crawl always gives the same names. */
export function markdownPaths(urls: string[]): MarkdownPaths {
  const paths = createDocumentPaths();
  for (const url of urls.sort()) paths.add(url);
  return {
    ...paths,
    rewrite(link, page) {
      const hash = link.indexOf('#');
      const route =
        hash < 0 ? undefined : knownRoute(link, undefined, (url) => paths.pathOf(url) !== undefined);
      if (route !== undefined) return relativeReference(paths.add(page), paths.add(route));
      const url = canonicalize(link);
      const to = url && paths.pathOf(url);
      if (to === undefined) return link;
      return `${relativeReference(paths.add(page), to)}${hash < 0 ? '' : link.slice(hash)}`;
    },
  };
}

/** The text of a page's file. */
export const markdownFile = (document: DocumentRow): string =>
  `${frontMatter(document)}${document.markdown.trimEnd()}\n`;
