import { kindOfBoth } from '../url/url-kind.ts';
import { mergeSketches, NO_LINKERS } from './linker-sketch.ts';
import { type Link, linkOf } from './message.ts';
import { levelOfLink } from './rank.ts';

/**
 * Keeps of many links to one URL the one that matters: a ledger makes the same of it as of all of them (but
 * for the least depth and the highest level coming from different links, which both are kept). A redirect is kept unless the
 * other is a seed: a page may wait for it that counts as a copy of what redirects (`turn/copies/restored-duplicates.ts`).
 */
export function foldLink(links: Map<string, Link>, link: Link): void {
  const known = links.get(link.url);
  if (!known) {
    links.set(link.url, link);
    return;
  }
  const [level, knownLevel] = [levelOfLink(link), levelOfLink(known)];
  const isRedirect = (link.redirects ?? 0) > 0;
  const isOther = isRedirect !== (known.redirects ?? 0) > 0 && !link.isSeed === !known.isSeed;
  const isBetter = isOther ? isRedirect : level > knownLevel;
  const better = isBetter ? raised(link, level, knownLevel) : raised(known, knownLevel, level);
  const depth = Math.min(link.depth, known.depth);
  const isSeed = link.isSeed || known.isSeed;
  const kind = isSeed ? link.kind && known.kind : kindOfBoth(link.kind, known.kind);
  const linkers = link.linkers ? mergeSketches(known.linkers ?? NO_LINKERS, link.linkers) : known.linkers;
  const isSame = depth === known.depth && kind === known.kind && linkers === known.linkers;
  if (better !== known || !isSame || isSeed !== known.isSeed)
    links.set(link.url, linkOf({ ...better, depth, kind, isSeed, linkers }));
}

/** The link with the higher one of its own level and another one's. */
const raised = (link: Link, level: number, other: number): Link =>
  other > level && !link.isSeed ? { ...link, level: other } : link;
