/**
 * Pages whose markup does not hold what their reader sees: reported to the operator, since nothing else looks
 * wrong with them.
 */
import { isSignInUrl } from '../../../core/access/sign-in-urls.ts';
import type { Cause } from '../../../core/causes/cause.ts';
import { isSeedRecord } from '../../../core/frontier/rank.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { isRequisite } from '../../../core/parser/link-set.ts';
import type { PageSigns } from '../../../core/parser/page-signs.ts';
import { linksOf } from '../../../core/render/gain.ts';

export type PageHint = 'javascript' | 'login';

/** The causes that `url` and `export` show for such a page. */
export const HINT_CAUSES: Readonly<Record<PageHint, Cause>> = {
  javascript: { code: 'needsJavaScript' },
  login: { code: 'loginPage' },
};

/** Pages of a host that are looked at, besides seeds: a site that needs JavaScript does so everywhere. */
const MAX_PAGES = 10;
/** "You need to enable JavaScript to run this app", "Loading ...": no more text than this. */
const MAX_TEXT_CHARS = 200;

/** Whether the page must be examined: that costs some time for its text. */
export const wantsSigns = (record: UrlRecord, pagesOfHost: number): boolean =>
  record.kind === undefined && (record.depth === 0 || pagesOfHost < MAX_PAGES);

export function hintOf(record: UrlRecord, { type, links, signs }: DocumentFacts): PageHint | undefined {
  if (type !== 'html' || signs === undefined || record.kind !== undefined) return undefined;
  const { via } = record;
  const isLedHere = isSeedRecord(record) && record.redirects > 0 && via !== undefined;
  if (isLedHere && signs.hasPasswordField && isSignInUrl(record.url) && !isSignInUrl(via)) return 'login';
  const isUnfilled = signs.hasScripts && (isBlank(signs, links) || isEnd(record, links));
  return isUnfilled ? 'javascript' : undefined;
}

type Links = DocumentFacts['links'];

const isBlank = ({ textChars }: PageSigns, links: Links): boolean =>
  textChars <= MAX_TEXT_CHARS &&
  links.every(({ kind }) => isRequisite(kind) || kind === 'feed' || kind === 'link');

/** Whether the crawl of a seed ends there: no link and no frame of it is on its own host. The menu of a site may be made by scripts. */
const isEnd = (record: UrlRecord, links: Links): boolean =>
  isSeedRecord(record) &&
  linksOf({ url: record.url, links }).length === 0 &&
  links.every(({ kind }) => kind !== 'frame');
