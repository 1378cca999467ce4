/** `strand.config.ts`: the project's file, the same for crawls on one machine, on a stack, and for the stack itself. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CrawlOptions, crawlConfigSchema, InvalidConfig } from '../crawl/config.ts';
import type { FetchMiddleware, StrandConfig } from '../crawl/project.ts';
import { messageOf } from '../error-message.ts';
import { describeIssues } from './describe-issues.ts';
import { didYouMean } from './nearest.ts';
import { printable, shorten } from './printable.ts';

export interface Project {
  /** Valid by the schema. */
  readonly crawl: CrawlOptions;
  readonly middleware: readonly FetchMiddleware[];
  /** What is deployed. Checked by `cdk/options.ts`. */
  readonly aws: Readonly<Record<string, unknown>>;
  /** As the operator would name it; undefined where there is none. */
  readonly file?: string;
  /** The same, absolute. */
  readonly path?: string;
}

const DEFAULT_FILE = 'strand.config.ts';
const KEYS: readonly string[] = ['crawl', 'middleware', 'aws'] satisfies (keyof StrandConfig)[];

/**
 * Runs the project's file: `given`, else `strand.config.ts` of the folder if it is there. Throws `InvalidConfig`, with
 * the file's name and all that is wrong in it.
 */
export async function readProject(given: string | undefined, folder = process.cwd()): Promise<Project> {
  const file = given ?? DEFAULT_FILE;
  const path = resolve(folder, file);
  if (!existsSync(path)) {
    if (given === undefined) return { crawl: {}, middleware: [], aws: {} };
    throw new InvalidConfig(`There is no file ${printable(path)}, given as config`);
  }
  const { default: config } = await load(file, path);
  if (!isRecord(config)) {
    throw new InvalidConfig(`Expected "export default defineCrawl({ ... })" in ${file}, got no such object`);
  }
  const { crawl = {}, middleware = [], aws = {} } = config;
  const faults = [...unknownKeys(config), ...crawlFaults(crawl)];
  if (!isMiddleware(middleware))
    faults.push('Expected middleware to be a list of functions (request, next) => outcome');
  if (!isRecord(aws)) faults.push('Expected aws to be an object of stack options');
  if (faults.length > 0) throw new InvalidConfig(`${file}: ${faults.join('; ')}`);
  return { file, path, crawl, middleware, aws } as Project;
}

async function load(file: string, path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const message = messageOf(cause);
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

const isMiddleware = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'function');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
