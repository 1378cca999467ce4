/** The plain pages of a host: their paths, and which links to which. */
import { hash, stream, zipf } from './random.ts';
import type { Reference } from './resource.ts';

/** Page `p` links to the pages `p * BRANCHES + 1` and following, so that all can be reached from the root. */
const BRANCHES = 6;

/**
 * Path and query of a host's page: of several shapes, some below /private/ or otherwise of interest to
 * robots.txt.
 */
export function pagePath(seed: number, host: number, index: number): string {
  if (index === 0) return '/';
  switch (hash(seed, 'path', host, index) % 20) {
    case 0:
      return `/private/p${index}.html`;
    case 1:
      return `/private/open/p${index}.html`;
    case 2:
      return `/docs/p${index}.cgi`;
    case 3:
      return `/~user${index}/`;
    case 4:
      return `/deep/a/b/c/p${index}`;
    case 5:
      return `/find?id=${index}&lang=en`;
    default:
      return `/d${index % 7}/p${index}.html`;
  }
}

/** The inverse of {@link pagePath}, for pages up to ten million; the host may have fewer. */
export function pageIndex(seed: number, host: number, path: string): number | undefined {
  if (path === '/') return 0;
  const digits = /(?:\/p|~user|\?id=)(\d{1,7})/.exec(path)?.[1];
  if (digits === undefined) return undefined;
  const index = Number(digits);
  return index > 0 && pagePath(seed, host, index) === path ? index : undefined;
}

/** The links of a page: down the host's tree, to popular pages of the host, and to pages of popular hosts. */
export function pageReferences(
  seed: number,
  hosts: readonly { readonly origin: string; readonly pages: number }[],
  host: number,
  index: number,
): Reference[] {
  const random = stream(seed, 'links', host, index);
  const { origin, pages } = hosts[host]!;
  const references: Reference[] = [];
  const toOwn = (to: number) => {
    const path = pagePath(seed, host, to);
    references.push({ how: 'a', written: random() < 0.5 ? path : origin + path, target: origin + path });
  };
  for (let to = index * BRANCHES + 1; to <= (index + 1) * BRANCHES && to < pages; to++) toOwn(to);
  for (let more = 2 + Math.floor(random() * 5); more > 0; more--) toOwn(zipf(random(), pages));
  for (let more = Math.floor(random() * 4); more > 0; more--) {
    const other = zipf(random(), hosts.length);
    const to = random() < 0.7 ? 0 : zipf(random(), hosts[other]!.pages);
    const target = hosts[other]!.origin + pagePath(seed, other, to);
    references.push({ how: 'a', written: random() < 0.8 ? target : target.slice('http:'.length), target });
  }
  return references;
}
