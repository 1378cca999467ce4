import { kindOfBoth } from '../url/url-kind.ts';
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
  if (better !== known || depth !== known.depth || isSeed !== known.isSeed || kind !== known.kind)
    links.set(link.url, linkOf({ ...better, depth, kind, isSeed }));
}
