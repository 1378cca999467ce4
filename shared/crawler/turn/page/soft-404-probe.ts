import { judge } from '../../../core/frontier/verdict.ts';
import type { FetchedResponse, FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import { sentRequest } from '../../../core/outcome/fetch-outcome.ts';
import type { ResponseHead } from '../../../core/outcome/response-head.ts';
import {
  createDocumentParser,
  type DocumentFacts,
  type DocumentParser,
} from '../../../core/parser/document.ts';
import { robotName } from '../../../core/robots/parse-robots.ts';
import { isAllowed } from '../../../core/robots/rules.ts';
import { canonicalize } from '../../../core/url/canonical.ts';
import { fieldReference } from '../../../core/url/field-reference.ts';
import { origin, pathOf } from '../../../core/url/host-key.ts';
import type { RestoredDuplicates } from '../copies/restored-duplicates.ts';
import type { TurnCounters } from '../counters.ts';
import type { HostPace } from '../pace/host-pace.ts';
import type { Quarantine } from '../quarantine.ts';
import { headersOf, retryAfterOf } from '../response-headers.ts';
import type { RobotsKeeper } from '../robots/robots-keeper.ts';
import type { TurnServices } from '../services.ts';
import type { Settlement } from '../settlement.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { ProbeAnswer, Soft404 } from './soft-404.ts';

/** A page that says that there is none is short. */
const MAX_BODY_BYTES = 1024 * 1024;
/** As many links are read of it as it takes to read on. */
const MAX_LINKS = 1;

export interface Soft404ProbeOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
  readonly pace: HostPace;
  readonly quarantine: Quarantine;
  readonly robots: RobotsKeeper;
  readonly soft404: Soft404;
  readonly settlement: Settlement;
  readonly restoredDuplicates: Pick<RestoredDuplicates, 'take'>;
}

/**
 * Requests a URL that does not exist from the host, at its pace and by its robots.txt. The response is not archived: it
 * is not a page of the site.
 */
export class Soft404Probe {
  readonly #services: TurnServices;
  readonly #options: Soft404ProbeOptions;

  constructor(services: TurnServices, options: Soft404ProbeOptions) {
    this.#services = services;
    this.#options = options;
  }

  get isDue(): boolean {
    return this.#options.soft404.hasProbe;
  }

  /** The host's next request must be due. Resolves to whether the request was sent. */
  async runIfDue(): Promise<boolean> {
    const url = this.#options.soft404.takeProbe();
    if (url === undefined || !(await this.#mayAsk(url))) return false;
    const { crawl, pace, soft404, settlement, restoredDuplicates } = this.#options;
    const crawlDelayMs = this.#options.robots.crawlDelayMs(origin(url));
    let parser: DocumentParser | undefined;
    const onHead = (head: ResponseHead) => {
      parser = head.httpStatus === 200 ? this.#openParser(url, head) : undefined;
      return parser?.write;
    };
    const outcome = await pace.exchange(
      { url, onHead, maxBodyBytes: MAX_BODY_BYTES, cache: 'bypass' },
      crawlDelayMs,
    );
    const verdict = judge(outcome, { attempts: 0 }, crawl.config, retryAfterOf(outcome, this.#now()));
    pace.record(outcome, verdict.hostFailure, crawlDelayMs);
    if (outcome.status === 'response') {
      if (sentRequest(outcome)) crawl.budget.receive(outcome.body.size);
      await outcome.body.dispose();
    }
    const facts = await this.#options.quarantine.watch(async () => parser?.end());
    const answer = answerOf(outcome, facts, crawl);
    if (answer === undefined) return true;
    for (const { record, cause } of soft404.answer(url, answer, this.#now())) {
      this.#options.counters.count('hints', 'softNotFound');
      const gone = {
        ...record,
        state: 'gone',
        result: record.result && { ...record.result, cause },
      } as const;
      settlement.amend(gone);
      await restoredDuplicates.take(gone, this.#now(), record);
    }
    await pace.giveUpIfHopeless();
    return true;
  }

  async #mayAsk(url: string): Promise<boolean> {
    const { crawl, robots, quarantine } = this.#options;
    const from = origin(url);
    const rules = robots.isArchived(from) ? undefined : await robots.known(from);
    if (rules === undefined || quarantine.causeOf(url) !== undefined) return false;
    return this.#services.work.run(crawl.id, url, 'robots', () => isAllowed(rules, pathOf(url))).allowed;
  }

  #openParser(url: string, head: ResponseHead): DocumentParser {
    const { id, config } = this.#options.crawl;
    return createDocumentParser({
      url,
      headers: head.headers,
      maxDecodedBytes: config.maxDecodedBytes,
      maxLinks: MAX_LINKS,
      wantsBlocks: true,
      wantsSigns: true,
      robotName: robotName(config.userAgent).toLowerCase(),
      around: (parse) => this.#services.work.run(id, url, 'parse', parse),
    });
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

/** Undefined: there was none. */
function answerOf(
  outcome: FetchOutcome,
  facts: DocumentFacts | undefined,
  crawl: RedirectedCrawl,
): ProbeAnswer | undefined {
  if (outcome.status === 'failed') return outcome.reason === 'aborted' ? undefined : { kind: 'unknown' };
  const { httpStatus, truncated } = outcome;
  if (httpStatus === 404 || httpStatus === 410) return { kind: 'honest' };
  if (httpStatus >= 300 && httpStatus < 400) return redirectOf(outcome, crawl);
  const { blocks, signs, refresh, isWhole } = facts ?? {};
  // A login page and a page that leads on at once stand for pages that are there, too; a part of a page for many.
  if (!blocks || !isWhole || truncated !== undefined || signs?.hasPasswordField || refresh !== undefined)
    return { kind: 'unknown' };
  return { kind: 'page', blocks };
}

type RedirectedCrawl = Pick<TurnCrawl, 'nameOf' | 'config'>;

/** A target longer than any URL of the crawl says nothing: the host's head would keep it. */
function redirectOf(response: FetchedResponse, crawl: RedirectedCrawl): ProbeAnswer {
  const location = headersOf(response, 'location')[0];
  const to = location && canonicalize(fieldReference(location), response.url);
  const isTarget = to !== undefined && to !== '' && to.length <= crawl.config.maxUrlLength;
  return isTarget ? { kind: 'redirect', to: crawl.nameOf(to) } : { kind: 'unknown' };
}
