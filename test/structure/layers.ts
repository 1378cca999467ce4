import { dirname } from 'node:path';
import type { Graph } from './find-cycles.ts';

/**
 * The folders of the project, the lowest first. A file imports files of its own folder and of lower rows:
 * neither of a higher row, nor of another folder of the same row. `folder/*`: the files in the folder itself,
 * without its subfolders.
 */
export const LAYERS: readonly (readonly string[])[] = [
  ['shared/*'],
  ['shared/url', 'shared/text'],
  ['shared/fetcher/outcome'],
  ['shared/causes', 'shared/usage', 'shared/identity'],
  ['shared/crawl', 'shared/robots', 'shared/parser'],
  ['shared/archive', 'shared/content', 'shared/recrawl'],
  ['shared/alike'],
  ['shared/media'],
  ['shared/frontier'],
  ['shared/ports'],
  ['shared/fetcher', 'shared/crawl-state', 'shared/media-thread'],
  ['shared/turn'],
  ['shared/worker'],
  ['shared/report', 'shared/routing'],
  ['shared/webhook'],
  ['shared/project', 'shared/control', 'shared/outputs'],
  ['shared/hooks', 'shared/http-api'],
  ['shared/engines/*', 'shared/engines/watchdog'],
  ['shared/engines/local', 'shared/engines/aws'],
  ['shared/estimate'],
  ['api'],
  ['cli', 'cdk', 'functions'],
  ['bench', 'examples', 'packaging', 'simulation', 'templates', 'test', '*'],
];

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
      if (place === undefined || place.folder === own.folder || place.row < own.row || IS_OUTERMOST(own.row))
        continue;
      const why = place.row > own.row ? 'is above it' : 'stands beside it';
      faults.push(`${file} imports ${other}: ${place.folder} ${why}`);
    }
  }
  return faults;
}

/** Tests, benches and examples may import one another. */
const IS_OUTERMOST = (row: number): boolean => row === LAYERS.length - 1;

const PLACES = LAYERS.flatMap((folders, row) => folders.map((folder) => ({ folder, row }))).sort(
  (a, b) => b.folder.length - a.folder.length,
);

function placeOf(file: string): { readonly folder: string; readonly row: number } | undefined {
  return PLACES.find(({ folder }) =>
    folder.endsWith('*')
      ? dirname(file) === (folder === '*' ? '.' : folder.slice(0, -2))
      : file.startsWith(`${folder}/`),
  );
}
