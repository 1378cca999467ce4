/** All that follows from the seed and the shape alone. */
import { type Assets, createAssets } from './assets.ts';
import { type Canonicals, createCanonicals } from './canonicals.ts';
import { type Chance, createChance } from './chance.ts';
import { createHosts, type Hosts } from './hosts.ts';
import { createLinks, type Links } from './links.ts';
import { createLocks, type Locks } from './locks.ts';
import { createMembers, type Members } from './members.ts';
import { createPages, type Pages } from './pages.ts';
import { createPlaces, type Places } from './places.ts';
import { createRefusing, type Refusing } from './refusing.ts';
import { createRules, type Rules } from './rules.ts';
import { createScripts, type Scripts } from './scripts.ts';
import type { WebShape } from './shape.ts';
import { createUsage, type Usage } from './usage.ts';
import { createVanishing, type Vanishing } from './vanishing.ts';

export interface Atlas {
  readonly shape: WebShape;
  readonly chance: Chance;
  readonly hosts: Hosts;
  readonly places: Places;
  readonly pages: Pages;
  readonly assets: Assets;
  readonly links: Links;
  readonly canonicals: Canonicals;
  readonly rules: Rules;
  readonly usage: Usage;
  readonly vanishing: Vanishing;
  readonly refusing: Refusing;
  readonly members: Members;
  readonly locks: Locks;
  readonly scripts: Scripts;
}

export function createAtlas(seed: number, shape: WebShape): Atlas {
  const chance = createChance(seed);
  const hosts = createHosts(shape, chance);
  const places = createPlaces(hosts, chance, shape);
  const pages = createPages(shape, hosts, places, chance);
  const assets = createAssets({ shape, hosts, places, pages, chance });
  const members = createMembers(shape.members, chance);
  const links = createLinks({ shape, hosts, places, pages, assets, members, chance });
  const usage = createUsage(shape, chance);
  return {
    shape,
    chance,
    hosts,
    places,
    pages,
    assets,
    links,
    canonicals: createCanonicals({ shape, hosts, places, chance }),
    usage,
    vanishing: createVanishing(shape, chance),
    refusing: createRefusing(shape, chance),
    members,
    locks: createLocks(shape, chance),
    scripts: createScripts({ shape, hosts, places, pages, chance }),
    rules: createRules(chance, usage, places.lists.namedBy),
  };
}
