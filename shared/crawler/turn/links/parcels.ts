import { SIZES, type Sizes } from '../../../core/base/sizes.ts';
import type { Link } from '../../../core/frontier/message.ts';

/** Links that go together. */
export function* parcelsOf(
  links: Iterable<Link>,
  { maxParcelLinks, maxParcelChars }: Sizes = SIZES,
): Generator<Link[]> {
  let parcel: Link[] = [];
  let chars = 0;
  for (const link of links) {
    parcel.push(link);
    chars += link.url.length + (link.via?.length ?? 0);
    if (chars < maxParcelChars && parcel.length < maxParcelLinks) continue;
    yield parcel;
    parcel = [];
    chars = 0;
  }
  if (parcel.length > 0) yield parcel;
}
