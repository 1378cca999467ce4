/** The files whose coverage counts, and that mutants are made of: what the simulation is to prove. */
import { globSync } from 'node:fs';

/** The project's root, as a URL that ends in a slash. */
export const ROOT = new URL('../../', import.meta.url).href;

/** Where code moves to another folder, this list follows it. */
export const FOLDERS: readonly string[] = [
  'shared/crawler/turn',
  'shared/crawler/crawl-state',
  'shared/crawler/routing',
  'shared/crawler/worker',
  'shared/core/frontier',
  'shared/core/recrawl',
  'shared/services/webhook',
  'shared/engines/aws',
  'functions',
];

export const isCovered = (file: string): boolean =>
  FOLDERS.some((folder) => file.startsWith(`${folder}/`)) && file.endsWith('.ts');

export const coveredFiles = (): string[] =>
  FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: new URL(ROOT) }))
    .filter((file) => !file.endsWith('.d.ts'))
    .sort();
