/** `strand.config.ts`: the project's file, whose settings hold below those of the command line. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeIssues } from '../shared/control/describe-issues.ts';
import { didYouMean } from '../shared/control/nearest.ts';
import { printable, shorten } from '../shared/control/printable.ts';
import { type CrawlOptions, crawlConfigSchema, InvalidConfig } from '../shared/crawl/config.ts';
import type { FetchMiddleware, StrandConfig } from '../shared/crawl/project.ts';

export interface Project {
  /** Valid by the schema. */
  readonly crawl: CrawlOptions;
  readonly middleware: readonly FetchMiddleware[];
  /** As the operator would name it; undefined where there is none. */
  readonly file?: string;
}

const DEFAULT_FILE = 'strand.config.ts';
const KEYS: readonly string[] = ['crawl', 'middleware', 'aws'] satisfies (keyof StrandConfig)[];

/**
 * Runs the project's file: `given`, else `strand.config.ts` of the folder if it is there. Throws `InvalidConfig`, with
 * the file's name and all that is wrong in it. What is to be deployed (`aws`) is read by `cdk/` alone.
 */
export async function readProject(given: string | undefined, folder = process.cwd()): Promise<Project> {
  const file = given ?? DEFAULT_FILE;
  const path = resolve(folder, file);
  if (!existsSync(path)) {
    if (given === undefined) return { crawl: {}, middleware: [] };
    throw new InvalidConfig(`There is no file ${printable(path)}, which --config names`);
  }
  const { default: config } = await load(file, path);
  if (!isRecord(config)) {
    throw new InvalidConfig(`Expected "export default defineCrawl({ ... })" in ${file}, got no such object`);
  }
  const { crawl = {}, middleware = [] } = config;
  const faults = [...unknownKeys(config), ...crawlFaults(crawl), ...middlewareFaults(middleware)];
  if (faults.length > 0) throw new InvalidConfig(`${file}: ${faults.join('; ')}`);
  return { file, crawl: crawl as CrawlOptions, middleware: middleware as readonly FetchMiddleware[] };
}

async function load(file: string, path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidConfig(`${file} cannot be loaded: ${shorten(printable(message), 500)}`, { cause });
  }
}

function unknownKeys(config: Readonly<Record<string, unknown>>): string[] {
  const unknown = Object.keys(config).filter((key) => !KEYS.includes(key));
  return unknown.map(
    (key) =>
      `Unknown key ${shorten(printable(key), 60)}; ${didYouMean(key, KEYS, `there are ${KEYS.join(', ')}`)}`,
  );
}

function crawlFaults(crawl: unknown): string[] {
  const parsed = crawlConfigSchema.safeParse(crawl);
  if (parsed.success) return [];
  const issues = describeIssues(parsed.error, crawl, {
    name: (path) => ['crawl', ...path].join('.'),
    object: () => ({ name: 'crawl', keys: Object.keys(crawlConfigSchema.shape) }),
  });
  return issues.map(({ message }) => message);
}

function middlewareFaults(middleware: unknown): string[] {
  const isList = Array.isArray(middleware) && middleware.every((one) => typeof one === 'function');
  return isList ? [] : ['Expected middleware to be a list of functions (request, next) => outcome'];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
