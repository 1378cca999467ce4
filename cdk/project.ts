import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean } from '../shared/control/nearest.ts';
import type { CrawlOptions } from '../shared/crawl/config.ts';
import type { StrandConfig } from '../shared/crawl/project.ts';
import { InvalidOptions } from './options.ts';

/** What the project's file says of its stack and its crawls. */
export interface Project {
  readonly crawl: CrawlOptions;
  readonly aws: Readonly<Record<string, unknown>>;
  /** Its absolute path; undefined where there is none. */
  readonly file?: string;
}

const DEFAULT_FILE = 'strand.config.ts';
const KEYS: readonly string[] = ['crawl', 'middleware', 'aws'] satisfies (keyof StrandConfig)[];

/**
 * Runs the project's file: `given` (the context `config`) in `folder`, else `strand.config.ts` if it is there. Throws
 * {@link InvalidOptions} where it cannot be used. The settings within are checked by whoever uses them.
 */
export async function readProject(folder: string, given: unknown): Promise<Project> {
  if (given !== undefined && (typeof given !== 'string' || given === '')) {
    throw new InvalidOptions(`Option config: expected the path of a file, got ${JSON.stringify(given)}`);
  }
  const file = resolve(folder, given ?? DEFAULT_FILE);
  if (!existsSync(file)) {
    if (given === undefined) return { crawl: {}, aws: {} };
    throw new InvalidOptions(`Option config: there is no file ${file}`);
  }
  const { default: config }: { default?: unknown } = await import(pathToFileURL(file).href);
  if (!isRecord(config)) {
    throw new InvalidOptions(`${file}: expected "export default defineCrawl({ ... })", got no such object`);
  }
  const unknown = Object.keys(config).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) {
    const lines = unknown.map(
      (key) => `There is no ${key}: ${didYouMean(key, KEYS, `expected one of ${KEYS}`)}`,
    );
    throw new InvalidOptions([`${file}:`, ...lines].join('\n'));
  }
  const { crawl = {}, aws = {} } = config;
  if (!isRecord(crawl)) throw new InvalidOptions(`${file}: expected an object as crawl`);
  if (!isRecord(aws)) throw new InvalidOptions(`${file}: expected an object as aws`);
  return { crawl, aws, file };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
