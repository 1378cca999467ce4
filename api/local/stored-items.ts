import { existsSync } from 'node:fs';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { readItems } from './readers.ts';

/** The items of the crawl in the folder; none if no hook has returned one. */
export async function* storedItems<T>(folder: string): AsyncGenerator<T, void, undefined> {
  const { items } = foldersOf(folder);
  if (existsSync(items)) yield* readItems<T>(items);
}
