/**
 * The actions of a world's operator besides those that a fault decides: adding seeds, and raising limits that
 * were met.
 */
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { between, pick, randomOf } from '../models/random.ts';
import type { CrawlPlan, SimWeb } from './spec.ts';

export interface OperatorPlan {
  readonly additions: readonly AddedSeeds[];
  /** When the operator asks what there is of a crawl, and which URL's host. */
  readonly questions: readonly Question[];
  /** How often the operator raises the limits of a crawl that stands at one. */
  readonly raises: readonly (readonly [crawl: CrawlId, times: number])[];
}

export interface AddedSeeds {
  readonly crawl: CrawlId;
  /** Canonical. */
  readonly urls: readonly string[];
  /**
   * By the API's `addSeeds`, or as a message on the link queue: an object, or plain text for the stack's
   * default crawl.
   */
  readonly way: 'api' | 'message' | 'text';
  /**
   * With messages: the message has settings, those of the crawl; or another message comes before, with settings that the crawl
   * does not have.
   */
  readonly settings?: 'own' | 'other';
  /** After the crawl's beginning. */
  readonly atMs: number;
}

export interface Question {
  readonly crawl: CrawlId;
  readonly url: string;
  /** After the crawl's beginning. */
  readonly atMs: number;
}

const ADDING_WORLDS = 0.3;
const ASKING_WORLDS = 0.3;
const MAX_QUESTIONS = 3;
const MAX_ADDITIONS = 3;
const MAX_URLS = 4;
/** Messages with settings. */
const SETTINGS_CHANCE = 0.5;
/** Mostly while the crawl runs; the later ones find it finished. */
const MAX_MS = 1_200_000;

export function planOperator(
  seed: number,
  crawls: readonly CrawlPlan[],
  web: Pick<SimWeb, 'someUrl'>,
  defaultCrawl: CrawlId,
): OperatorPlan {
  const random = randomOf(seed, 'operator plan');
  const count = random() < ADDING_WORLDS ? between(random, 1, MAX_ADDITIONS) : 0;
  const additions = Array.from({ length: count }, (_, i): AddedSeeds => {
    const crawl = pick(random, crawls).id;
    const ways =
      crawl === defaultCrawl ? (['api', 'message', 'text'] as const) : (['api', 'message'] as const);
    const urls = Array.from({ length: between(random, 1, MAX_URLS) }, () => web.someUrl(random));
    const addition = {
      crawl,
      urls: [...new Set(urls)],
      way: pick(random, ways),
      atMs: random() ** 2 * MAX_MS,
    };
    const ofSettings = randomOf(seed, 'settings of seeds', i);
    return ofSettings() < SETTINGS_CHANCE
      ? { ...addition, settings: pick(ofSettings, ['own', 'other']) }
      : addition;
  });
  const asking = randomOf(seed, 'operator questions');
  const questions = asking() < ASKING_WORLDS ? between(asking, 1, MAX_QUESTIONS) : 0;
  const questionsOf = Array.from({ length: questions }, () => ({
    crawl: pick(asking, crawls).id,
    url: web.someUrl(asking),
    atMs: asking() * MAX_MS,
  }));
  return { additions, questions: questionsOf, raises: crawls.map(({ id }) => [id, between(random, 0, 2)]) };
}

/** The limits that a crawl has, far enough above what they were. */
export function raised({ maxPages, maxBytes, maxTimeMs, maxCost }: CrawlOptions): CrawlOptions {
  return {
    ...(maxPages !== undefined && { maxPages: 3 * maxPages }),
    ...(maxBytes !== undefined && { maxBytes: 10 * maxBytes }),
    ...(maxTimeMs !== undefined && { maxTimeMs: 4 * maxTimeMs }),
    ...(maxCost !== undefined && { maxCost: 10 * maxCost }),
  };
}
