import { kindOfBoth } from '../url/url-kind.ts';
import { mergeSketches, NO_LINKERS } from './linker-sketch.ts';
import { type Link, linkOf } from './message.ts';
import { levelOfLink } from './rank.ts';

/**
 * Keeps of many links to one URL the one that matters: a ledger makes the same of it as of all of them (but
 * for the least depth and the highest level coming from different links, which both are kept).
 */
export function foldLink(links: Map<string, Link>, link: Link): void {
  const known = links.get(link.url);
  if (!known) {
    links.set(link.url, link);
    return;
  }
  const better = levelOfLink(link) > levelOfLink(known) ? link : known;
  const depth = Math.min(link.depth, known.depth);
  const isSeed = link.isSeed || known.isSeed;
  const kind = isSeed ? link.kind && known.kind : kindOfBoth(link.kind, known.kind);
  const linkers = link.linkers ? mergeSketches(known.linkers ?? NO_LINKERS, link.linkers) : known.linkers;
  const isSame = depth === known.depth && kind === known.kind && linkers === known.linkers;
  if (better !== known || !isSame || isSeed !== known.isSeed)
    links.set(link.url, linkOf({ ...better, depth, kind, isSeed, linkers }));
}
