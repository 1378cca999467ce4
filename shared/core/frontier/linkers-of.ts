import { type LinkerSketch, mergeSketches, NO_LINKERS } from './linker-sketch.ts';
import type { Link } from './message.ts';

/** The domains that link to the host of these links, as the router has found them. */
export const linkersOf = (links: Iterable<Link>): LinkerSketch => {
  let all = NO_LINKERS;
  for (const { linkers } of links) if (linkers !== undefined) all = mergeSketches(all, linkers);
  return all;
};
