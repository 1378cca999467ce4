/** The description of a crawler for programs: a Signature Agent Card (draft-meunier-webbotauth-registry-04). */
import type { CrawlConfig } from '../../shared/core/crawl/config.ts';
import { DIRECTORY_PATH } from '../../shared/core/identity/directory.ts';
import { robotName } from '../../shared/core/robots/parse-robots.ts';

/** Where the card and the page for people are, at the agent's origin. */
export const CARD_PATH = '/signature-agent-card.json';
export const PAGE_PATH = '/crawler.html';

/** The facts about a crawler, for programs and for people. */
export interface AboutCrawler {
  /** Absent: requests are not signed. */
  readonly agent?: string | undefined;
  readonly config: Pick<CrawlConfig, 'userAgent' | 'contact' | 'purpose' | 'delayMs' | 'robots'>;
  /** In the operator's words. */
  readonly about?: string | undefined;
}

/** The contact as a URI: a web page, or a mail address. */
export const contactUri = (contact: string): string =>
  /^(?:https?|mailto):/i.test(contact) ? contact : `mailto:${contact}`;

export function agentCard({ agent, config, about }: AboutCrawler & { readonly agent: string }): object {
  const { userAgent, contact, purpose, delayMs, robots } = config;
  const name = robotName(userAgent);
  return {
    client_id: agent + CARD_PATH,
    client_name: name || userAgent,
    client_uri: agent + PAGE_PATH,
    ...(contact !== undefined && { contacts: [contactUri(contact)] }),
    jwks_uri: agent + DIRECTORY_PATH,
    web_bot_auth: {
      'expected-user-agent': contact === undefined ? userAgent : `${userAgent} (+${contact})`,
      ...(name !== '' && { 'rfc9309-product-token': name }),
      'rfc9309-compliance': robots === 'obey',
      trigger: 'crawler',
      ...(purpose !== undefined && { purpose }),
      ...(about !== undefined && { 'targeted-content': about }),
      'rate-control': '429 and 503 with Retry-After; Crawl-delay in robots.txt',
      ...(delayMs > 0 && { 'rate-expectation': `max=${Number((1000 / delayMs).toPrecision(2))}rps` }),
      'known-urls': ['/robots.txt'],
    },
  };
}
