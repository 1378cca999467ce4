/** The rules of the requested origins: robots.txt, and the licences that it names. */
import type { Cause } from '../../../shared/core/causes/cause.ts';
import { boundedText } from '../../../shared/core/causes/cause.ts';
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import { readRslLicense } from '../../../shared/core/parser/rsl-license.ts';
import { MAX_ROBOTS_BYTES, parseRobots, robotName } from '../../../shared/core/robots/parse-robots.ts';
import { robotsUrl, robotsVerdict } from '../../../shared/core/robots/policy.ts';
import type { RobotsRules, UsageRule } from '../../../shared/core/robots/robots-rules.ts';
import { isAllowed, usageAt } from '../../../shared/core/robots/rules.ts';
import { usageFilesOf, usageRules } from '../../../shared/core/robots/usage-files.ts';
import { hostKey, origin as originOf, pathOf } from '../../../shared/core/url/host-key.ts';
import { forbiddenUse, makesUse } from '../../../shared/core/usage/purpose.ts';
import { decodedBody } from '../../../shared/crawler/turn/page/decoded-body.ts';
import { PageNotRead } from '../page-not-read.ts';
import type { SiteRequests } from './site-requests.ts';

/** A byte more than is read. */
const MAX_BODY_BYTES = MAX_ROBOTS_BYTES + 1;

export interface OriginRules extends RobotsRules {
  /** The URL at which its robots.txt was found. */
  readonly from: string;
  /** Statements of the licences that it names. */
  readonly licensed: readonly UsageRule[];
}

export class SiteRules {
  readonly #config: CrawlConfig;
  readonly #requests: SiteRequests;
  /** By origin. A string: why it cannot be had. */
  readonly #known = new Map<string, OriginRules | string>();

  constructor(config: CrawlConfig, requests: SiteRequests) {
    this.#config = config;
    this.#requests = requests;
  }

  /** The rules of the URL's origin, fetched once. Throws {@link PageNotRead} if they cannot be had: nothing may be requested then. */
  async of(url: string): Promise<OriginRules> {
    const origin = originOf(url);
    let rules = this.#known.get(origin);
    if (rules === undefined) {
      rules = await this.#read(origin).catch((error) => {
        if (error instanceof PageNotRead) return error.message;
        throw error;
      });
      this.#known.set(origin, rules);
    }
    if (typeof rules === 'string') throw new PageNotRead(rules);
    return rules;
  }

  /** Returns why the URL may not be fetched, as far as the rules of its origin are known. A sitemap has no use of its own. */
  refusalOf(url: string, isSitemap = false): Cause | undefined {
    const rules = this.#known.get(originOf(url));
    if (rules === undefined || typeof rules === 'string') return undefined;
    const { allowed, rule } = isAllowed(rules, pathOf(url));
    if (!allowed)
      return {
        code: 'robotsDenied',
        ...(rule && { line: rule.line, pattern: boundedText(rule.pattern) }),
      };
    if (isSitemap) return undefined;
    return (
      this.#usageRefusal(url, rules, 'robots.txt') ??
      this.#usageRefusal(url, { rules: [], sitemaps: [], usage: rules.licensed }, 'license')
    );
  }

  #usageRefusal(url: string, rules: RobotsRules, by: 'robots.txt' | 'license'): Cause | undefined {
    const { purpose } = this.#config;
    if (purpose === undefined || !rules.usage?.length) return undefined;
    const use = forbiddenUse(purpose, usageAt(rules, pathOf(url)));
    return use === undefined ? undefined : { code: 'usageForbidden', use, by };
  }

  async #read(origin: string): Promise<OriginRules> {
    const { robots, userAgent, purpose } = this.#config;
    const url = robotsUrl(`${origin}/`) as string;
    if (robots === 'ignore') return { rules: [], sitemaps: [], from: url, licensed: [] };
    const found = await this.#fetch(url);
    const rules = found.content ? parseRobots(found.content, robotName(userAgent)) : NO_RULES;
    if (rules.crawlDelayMs !== undefined) this.#requests.setCrawlDelay(hostKey(url), rules.crawlDelayMs);
    const licensed: UsageRule[] = [];
    // The reservation of tdmrep.json stops no fetch.
    const files = makesUse(purpose) ? usageFilesOf(origin, rules, false) : [];
    for (const file of files) licensed.push(...(await this.#licence(file)));
    return { ...rules, from: found.url, licensed };
  }

  /** Follows redirects, to other hosts too (RFC 9309, section 2.3.1.2). */
  async #fetch(first: string): Promise<{ url: string; content?: Uint8Array }> {
    let url = first;
    for (let redirects = 0; ; redirects++) {
      const outcome = await this.#requests.exchange({ url, maxBodyBytes: MAX_BODY_BYTES });
      const response = outcome.status === 'response' ? outcome : undefined;
      try {
        const content = response && isFile(response) ? await decodedBody(response) : undefined;
        const verdict = robotsVerdict(outcome, redirects, { undecoded: content?.fault });
        if (verdict.kind === 'unreachable')
          throw new PageNotRead(`${first} was not read: ${causeText(verdict.cause)}`);
        if (verdict.kind !== 'redirect')
          return { url, ...(verdict.kind === 'rules' && content && { content: content.bytes }) };
        url = verdict.location;
      } finally {
        await response?.body.dispose();
      }
    }
  }

  /** A licence that cannot be had states nothing. */
  async #licence(file: string): Promise<readonly UsageRule[]> {
    const { content } = await this.#fetch(file).catch((error) => {
      if (error instanceof PageNotRead) return { content: undefined };
      throw error;
    });
    if (content === undefined || content.length > MAX_ROBOTS_BYTES) return [];
    return usageRules(readRslLicense(Buffer.from(content).toString('utf8'), originOf(file))).usage ?? [];
  }
}

const NO_RULES: RobotsRules = { rules: [], sitemaps: [] };

const isFile = ({ httpStatus }: FetchedResponse): boolean => httpStatus >= 200 && httpStatus < 300;
