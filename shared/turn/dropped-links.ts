import type { DroppedLinks } from '../parser/link-set.ts';

/** `23958 links left out: more than 100000 links`; undefined if none was. */
export function droppedText({ droppedLinks, dropCause }: DroppedLinks): string | undefined {
  return droppedLinks === 0
    ? undefined
    : `${droppedLinks} ${droppedLinks === 1 ? 'link' : 'links'} left out: ${dropCause ?? 'too long to be URLs'}`;
}
