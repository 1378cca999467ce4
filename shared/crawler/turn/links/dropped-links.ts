import { boundedText, type DroppedLinksCause } from '../../../core/causes/cause.ts';
import type { DroppedLinks } from '../../../core/parser/link-set.ts';

/** The sentence about a page whose links were left out; undefined if none was. */
export function droppedCause({
  droppedLinks: links,
  dropCause = 'too long to be URLs',
}: DroppedLinks): DroppedLinksCause | undefined {
  return links === 0 ? undefined : { code: 'linksDropped', links, detail: boundedText(dropCause) };
}
