/**
 * `strand.config.ts`: the project's file, the same for crawls on one machine, on a stack, and for the stack
 * itself.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../core/base/error-message.ts';
import { type CrawlOptions, configFaults, configKeysAt, InvalidConfig } from '../../core/crawl/config.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { printable, shorten } from '../../core/text/printable.ts';
import { isWebhookTarget, MIN_SECRET } from '../webhook/webhook.ts';
import { behaviourSource } from './behaviour-source.ts';
import { accountFaults } from './check-accounts.ts';
import { inHook } from './hook-context.ts';
import type { StrandConfig } from './project.ts';

/** The exports of the file, without defaults. */
export interface Project
  extends Required<Pick<StrandConfig, 'middleware' | 'extraction' | 'modules' | 'aws'>>,
    Pick<
      StrandConfig,
      | 'accounts'
      | 'onPage'
      | 'router'
      | 'itemSchema'
      | 'onError'
      | 'challenge'
      | 'onChallenge'
      | 'behave'
      | 'onFinish'
      | 'webhook'
    > {
  /** Valid by the schema. */
  readonly crawl: CrawlOptions;
  /** As the operator would name it; undefined where there is none. */
  readonly file?: string;
  /** The absolute path of the file. */
  readonly path?: string;
}

const DEFAULT_FILE = 'strand.config.ts';

type Check = readonly [isRight: (value: unknown) => boolean, expected: string];

/** The check of each key's value, except `crawl`, which has a schema. */
const CHECKS: Readonly<Record<Exclude<keyof StrandConfig, 'crawl' | 'accounts'>, Check>> = {
  middleware: [areFunctions, 'a list of functions (request, next) => outcome'],
  extraction: [areFunctions, 'a list of functions (page, next) => extraction'],
  modules: [
    areModules,
    'a list of { mediaTypes, read }, mediaTypes a list such as application/epub+zip and read a function',
  ],
  router: [areRoutes, 'a list of { url, label, onPage }, url a regular expression and onPage a function'],
  onPage: [isFunction, 'a function (page) => items'],
  itemSchema: [isStandardSchema, 'a schema that keeps to Standard Schema, such as one of zod'],
  onError: [isFunction, 'a function (error) => void'],
  challenge: [areSigns, '{ url, status, selector, text }, one of them at least, or a list of such'],
  onChallenge: [isFunction, "a function (seen) => 'rest' or 'giveUp'"],
  behave: [isBehaviour, 'a function of its own (page) => {}, or (page) => a generator'],
  onFinish: [isFunction, 'a function (summary) => void'],
  webhook: [isWebhookTarget, `{ url, secret }: url an http(s) URL, secret at least ${MIN_SECRET} characters`],
  aws: [isRecord, 'an object of stack options'],
};
const KEYS = ['crawl', 'accounts', ...Object.keys(CHECKS)];

/** A project without a file. */
export const NO_PROJECT: Project = { crawl: {}, middleware: [], extraction: [], modules: [], aws: {} };

/** A file that waits for something by top-level `await` has so long. */
const LOAD_MS = 30_000;

/**
 * Runs the project's file: `given`, else `strand.config.ts` of the folder if it is there. Throws
 * `InvalidConfig`, with the file's name and all that is wrong in it, also if its top-level `await` takes
 * longer than `loadTimeoutMs`.
 */
export async function readProject(
  given: string | undefined,
  folder = process.cwd(),
  loadTimeoutMs = LOAD_MS,
): Promise<Project> {
  const file = given ?? DEFAULT_FILE;
  const path = resolve(folder, file);
  if (!existsSync(path)) {
    if (given === undefined) return NO_PROJECT;
    throw new InvalidConfig(`There is no file ${printable(path)}, given as config`);
  }
  const loaded = await load(file, path, loadTimeoutMs);
  const config = loaded.default;
  // Without `export` and `import` a file may be CommonJS, whose default export is an empty object then.
  const isMissing = !isRecord(config) || ('module.exports' in loaded && Object.keys(config).length === 0);
  if (isMissing) {
    throw new InvalidConfig(`Expected "export default defineCrawl({ ... })" in ${file}, got no such object`);
  }
  const parts = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const faults = [
    ...unknownKeys(config),
    ...('crawl' in parts ? crawlFaults(parts.crawl, ['crawl']) : []),
    ...('accounts' in parts ? await accountFaults(parts.accounts) : []),
    ...hookFaults(parts),
  ];
  if (faults.length > 0) throw new InvalidConfig(`${file}: ${faults.join('; ')}`);
  return { ...NO_PROJECT, ...parts, file, path };
}

/** Returns the faults of hooks given by their keys. */
export function hookFaults(parts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(CHECKS)
    .filter(([key, [isRight]]) => parts[key] !== undefined && !isRight(parts[key]))
    .map(([key, [, expected]]) => `Expected ${key} to be ${expected}`);
}

async function load(file: string, path: string, limitMs: number): Promise<Readonly<Record<string, unknown>>> {
  const waiting = neverSettled(limitMs);
  try {
    const loading = inHook({ source: 'file', url: file }, () => import(pathToFileURL(path).href));
    return await Promise.race([loading, waiting.promise]);
  } catch (cause) {
    const message = shorten(printable(messageOf(cause)), 500);
    throw new InvalidConfig(`${file} cannot be loaded: ${message}${remedyFor(message)}`, { cause });
  } finally {
    waiting.end();
  }
}

/** `npm init` writes a package.json whose modules are CommonJS. */
const remedyFor = (message: string): string =>
  /^Cannot use import statement outside a module|^Unexpected token 'export'/.test(message)
    ? ': write "type": "module" into the package.json of its folder'
    : '';

/**
 * Rejects when a module that is being loaded can be seen never to settle: it takes too long, or nothing is
 * left in the process that it could wait for, whereupon Node would end without a message (exit code 13).
 */
function neverSettled(limitMs: number): { readonly promise: Promise<never>; end(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = (why: string) =>
    reject(new Error(`a top-level await in it, or in what it imports, never settles (${why})`));
  const onIdle = () => fail('nothing is left that it could wait for');
  const timer = setTimeout(fail, limitMs, `not within ${limitMs / 1000} s`).unref();
  process.on('beforeExit', onIdle);
  return {
    promise,
    end() {
      clearTimeout(timer);
      process.off('beforeExit', onIdle);
    },
  };
}

function unknownKeys(config: Readonly<Record<string, unknown>>): string[] {
  const unknown = Object.keys(config).filter((key) => !KEYS.includes(key));
  return unknown.map(
    (key) =>
      `Unknown key ${shorten(printable(key), 60)}; ${didYouMean(key, KEYS, `there are ${KEYS.join(', ')}`)}`,
  );
}

/**
 * Returns the faults of a crawl's settings. `at`: their path in the file; `more`: other keys that may stand
 * there.
 */
export function crawlFaults(
  crawl: unknown,
  at: readonly string[] = [],
  more: readonly string[] = [],
): string[] {
  const name = (path: readonly PropertyKey[]) => [...at, ...path].join('.') || 'the options';
  return configFaults(crawl, {
    name,
    object: (path) => ({
      name: name(path),
      keys: [...configKeysAt(path), ...(path.length === 0 ? more : [])],
    }),
  });
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isBehaviour(value: unknown): boolean {
  return behaviourSource(value) !== undefined;
}

function areFunctions(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFunction);
}

function areModules(value: unknown): boolean {
  return Array.isArray(value) && value.every(isModule);
}

function isModule(value: unknown): boolean {
  if (!isRecord(value) || !isFunction(value.read)) return false;
  const { mediaTypes } = value;
  return Array.isArray(mediaTypes) && mediaTypes.length > 0 && mediaTypes.every(isMediaType);
}

const isMediaType = (value: unknown): boolean =>
  typeof value === 'string' && /^[^\s/;A-Z]+\/[^\s/;A-Z]+$/.test(value);

const ROUTE_KEYS: ReadonlySet<string> = new Set(['url', 'label', 'onPage']);

function areRoutes(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRoute);
}

function isRoute(route: unknown): boolean {
  if (!isRecord(route) || !isFunction(route.onPage)) return false;
  const { url, label } = route;
  const isLabel = label === undefined || typeof label === 'string';
  return isLabel && isUrlPattern(url) && Object.keys(route).every((key) => ROUTE_KEYS.has(key));
}

function isUrlPattern(url: unknown): boolean {
  if (url === undefined || url instanceof RegExp) return true;
  if (typeof url !== 'string') return false;
  try {
    // linear: it is only compiled here; routes run within the time that hooks have
    return new RegExp(url) instanceof RegExp;
  } catch {
    return false;
  }
}

function areSigns(value: unknown): boolean {
  const signs: readonly unknown[] = [value].flat();
  return signs.length > 0 && signs.every(isSign);
}

function isSign(sign: unknown): boolean {
  if (!isRecord(sign)) return false;
  const { status, url, selector, text, ...others } = sign;
  const texts = [url, selector, text].filter((one) => one !== undefined);
  const statuses: readonly unknown[] = status === undefined ? [] : [status].flat();
  return (
    Object.keys(others).length === 0 &&
    texts.length + statuses.length > 0 &&
    texts.every((one) => typeof one === 'string' && one !== '') &&
    statuses.every((one) => Number.isInteger(one))
  );
}

/** Some libraries' schemas are functions. */
function isStandardSchema(value: unknown): boolean {
  if (!isRecord(value) && typeof value !== 'function') return false;
  const standard: unknown = Reflect.get(value, '~standard');
  return isRecord(standard) && standard.version === 1 && isFunction(standard.validate);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
