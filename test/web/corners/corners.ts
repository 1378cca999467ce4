/** Which corners a host has. */
import type { Features } from '../features.ts';
import type { Corner, MakeCorner, Site } from './corner.ts';
import * as documents from './documents.ts';
import * as exchanges from './exchanges.ts';
import { traps } from './traps.ts';

const MAKERS: Readonly<Partial<Record<keyof Features, MakeCorner>>> = { ...exchanges, ...documents, traps };

/** Each feature stands on every third host; on all hosts of a web of one or two. */
export function cornersOf(site: Site, features: Features, hosts: number): ReadonlyMap<string, Corner> {
  const corners = new Map<string, Corner>();
  Object.entries(MAKERS).forEach(([name, make], place) => {
    if (!features[name as keyof Features]) return;
    if (hosts < 3 || (site.index + place) % 3 === 0) corners.set(name, make(site));
  });
  return corners;
}
