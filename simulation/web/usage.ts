/** Statements of hosts about the use of their pages: in robots.txt, in a file beside it, and in a field of an answer. */
import { type Chance, DRAW } from './chance.ts';
import type { WebHost } from './hosts.ts';
import type { WebShape } from './shape.ts';

/** Where a host may keep the file. */
const FILE = '/.well-known/tdmrep.json';
/** Paths of which a host makes a statement. */
const PATHS = ['/shop/', '/private/', '/p/', '/a/', '/list', '/news/'];
/** Hosts that state something in robots.txt, and in the file; pages of any host that do in a field. */
const IN_ROBOTS = 0.7;
const IN_FILE = 0.5;
const IN_FIELD = 0.2;

export interface Usage {
  /** The path of which robots.txt forbids each use that it can. */
  ofRobots(host: WebHost): string | undefined;
  /** The path that the file reserves; undefined: there is no file. */
  ofFile(host: WebHost): string | undefined;
  /** Whether the answer for the page forbids each use. */
  isInField(host: WebHost, page: number): boolean;
}

export const isUsageFile = (url: string): boolean => url.endsWith(FILE);

export function createUsage({ usageShare = 0 }: WebShape, chance: Chance): Usage {
  const states = ({ number }: WebHost) => chance.at(DRAW.usage, number) < usageShare;
  const path = ({ number }: WebHost, draw: number) =>
    PATHS[Math.floor(chance.at(DRAW.usage, number, draw) * PATHS.length)] as string;
  return {
    ofRobots: (host) =>
      states(host) && chance.at(DRAW.usage, host.number, 1) < IN_ROBOTS ? path(host, 2) : undefined,
    ofFile: (host) =>
      states(host) && chance.at(DRAW.usage, host.number, 3) < IN_FILE ? path(host, 4) : undefined,
    isInField: (host, page) => states(host) && chance.at(DRAW.usage, host.number, 5, page) < IN_FIELD,
  };
}
