/** Changes a known URL by a further link to it. */
import { kindOfBoth, type UrlKind } from '../url/url-kind.ts';
import { depthOfNote, levelOfNote, MAX_NOTED_DEPTH } from './key-run.ts';
import type { Link } from './message.ts';
import { levelOfLink } from './rank.ts';
import { noteOfPage } from './run.ts';
import type { UrlRecord } from './url-record.ts';

/** The record of a URL without an earlier link. */
export const newRecord = (link: Link, now: number): UrlRecord => ({
  url: link.url,
  state: 'waiting',
  kind: link.kind,
  depth: link.depth,
  level: levelOfLink(link),
  via: link.via,
  seenAt: now,
  redirects: link.redirects ?? 0,
  attempts: 0,
  dueAt: 0,
  result: undefined,
  recrawl: undefined,
});

/** Returns the kind of a waiting URL after a further link. A seed, which has depth 0, keeps its kind. */
export function kindAfter(known: Pick<UrlRecord, 'kind' | 'depth'>, link: Link): UrlKind | undefined {
  if (known.kind === undefined && known.depth === 0) return undefined;
  if (link.kind === undefined && link.isSeed) return undefined;
  return kindOfBoth(known.kind, link.kind);
}

/** The record as the link raises it; undefined if nothing changes. */
export function raisedRecord(known: UrlRecord, link: Link): UrlRecord | undefined {
  if (known.state !== 'waiting') return undefined;
  const level = levelOfLink(link);
  const kind = kindAfter(known, link);
  if (level <= known.level && link.depth >= known.depth && kind === known.kind) return undefined;
  const depth = Math.min(known.depth, link.depth);
  return { ...known, kind, depth, level: Math.max(known.level, level) };
}

/**
 * As above, for a page that waits in a run, of which only its `note` is known. `record`: made of the link alone.
 */
export function raisedFromNote(record: UrlRecord, note: number, link: Link): UrlRecord | undefined {
  const noted = depthOfNote(note);
  // The deepest note represents any greater depth, too.
  const depth = noted < MAX_NOTED_DEPTH ? Math.min(noted, link.depth) : link.depth;
  const kind = kindAfter({ kind: undefined, depth: noted }, link);
  const risen = { ...record, kind, depth, level: Math.max(levelOfNote(note), record.level) };
  // A link from something other than a page does not raise a page's rank.
  const isRisen = kind !== undefined || (link.kind === undefined && noteOfPage(depth, risen.level) !== note);
  return isRisen ? risen : undefined;
}
