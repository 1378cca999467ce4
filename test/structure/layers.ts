import { dirname } from 'node:path';
import { findCycles, type Graph } from './find-cycles.ts';

/**
 * The folders of the project, the lowest first. A file imports files of its own folder and of lower rows:
 * neither of a higher row, nor of another folder of the same row. `*`: the files in the root itself.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['shared/core'],
  ['shared/crawler'],
  ['shared/services'],
  ['shared/engines'],
  ['api'],
  ['cli', 'cdk', 'functions'],
  ['bench', 'examples', 'packaging', 'simulation', 'templates', 'test', '*'],
];

/** Folders that do not know each other, though the rows allow it. */
const APART: readonly (readonly [string, string])[] = [
  ['shared/engines/local', 'shared/engines/aws'],
  // A function has services and an engine. The library is for its callers.
  ['functions', 'api'],
];

/** The folders in these are rooms: the imports between them go one way. */
const WITH_ROOMS = ['shared/core', 'shared/crawler', 'shared/services'];

/** Returns a sentence for each import that goes upwards, and for each file whose folder is in no row. */
export function upwardImports(graph: Graph): string[] {
  const faults: string[] = [];
  for (const [file, imported] of graph) {
    const own = placeOf(file);
    if (own === undefined) {
      faults.push(`${file}: its folder is in no row of test/structure/layers.ts`);
      continue;
    }
    for (const other of imported) {
      const place = placeOf(other);
      if (place === undefined || IS_OUTERMOST(own.row)) continue;
      if (areApart(file, other))
        faults.push(`${file} imports ${other}: they are of folders that do not know each other`);
      if (place.row < own.row || place.folder === own.folder) continue;
      const why = place.row > own.row ? 'is above it' : 'stands beside it';
      faults.push(`${file} imports ${other}: ${place.folder} ${why}`);
    }
  }
  return faults;
}

const areApart = (file: string, other: string): boolean =>
  APART.some((pair) =>
    pair.some((folder, i) => file.startsWith(`${folder}/`) && other.startsWith(`${pair[1 - i]}/`)),
  );

/** Returns a sentence for each group of rooms that import one another, directly or through others. */
export function roomCycles(graph: Graph): string[] {
  const rooms = new Map<string, Set<string>>();
  for (const [file, imported] of graph) {
    const own = roomOf(file);
    if (own === undefined) continue;
    const others = rooms.get(own) ?? new Set();
    rooms.set(own, others);
    for (const other of imported) {
      const room = roomOf(other);
      if (room !== undefined && room !== own) others.add(room);
    }
  }
  const graphOfRooms = new Map([...rooms].map(([room, others]) => [room, [...others]]));
  return findCycles(graphOfRooms).map((group) => `These rooms import one another: ${group.join(', ')}`);
}

function roomOf(file: string): string | undefined {
  const layer = WITH_ROOMS.find((folder) => file.startsWith(`${folder}/`));
  return layer && file.split('/').slice(0, 3).join('/');
}

/** Tests, benches and examples may import one another. */
const IS_OUTERMOST = (row: number): boolean => row === LAYERS.length - 1;

const PLACES = LAYERS.flatMap((folders, row) => folders.map((folder) => ({ folder, row }))).sort(
  (a, b) => b.folder.length - a.folder.length,
);

function placeOf(file: string): { readonly folder: string; readonly row: number } | undefined {
  return PLACES.find(({ folder }) =>
    folder === '*' ? dirname(file) === '.' : file.startsWith(`${folder}/`),
  );
}
