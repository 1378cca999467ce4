import type { Link } from '../frontier/message.ts';

/** Far below what can be read of one message (`frontier/message-codec.ts`). */
const MAX_PARCEL_CHARS = 8_000_000;

/** Links that are much alike take a byte or two each: a queue's message would hold more than its reader takes. */
const MAX_PARCEL_LINKS = 20_000;

/** Links that go together. A sitemap's 50,000 URLs may take 100 MB, which nobody could read as one message. */
export function* parcelsOf(links: Iterable<Link>): Generator<Link[]> {
  let parcel: Link[] = [];
  let chars = 0;
  for (const link of links) {
    parcel.push(link);
    chars += link.url.length + (link.via?.length ?? 0);
    if (chars < MAX_PARCEL_CHARS && parcel.length < MAX_PARCEL_LINKS) continue;
    yield parcel;
    parcel = [];
    chars = 0;
  }
  if (parcel.length > 0) yield parcel;
}
