/**
 * The operator asks: what there is of a crawl, of its hosts and of some URLs. No fault strikes the operator's
 * calls.
 */

import type { CrawlId } from '../../shared/core/crawl/crawl-id.ts';
import { CorruptBytes } from '../../shared/core/frontier/bytes.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import type { CaptureEntry, CapturePageRequest } from '../../shared/services/control/captures.ts';
import { type Control, ControlError } from '../../shared/services/control/control.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { SimWeb, Violation } from './spec.ts';

const PAGE = 2;
const MAX_PAGES = 3;
const MAX_URLS = 3;
/** Captures on a page, and pages of all captures of a host at most. */
const CAPTURES = 3;
const MAX_CAPTURE_PAGES = 200;

/** Asks for the crawl, some pages of its hosts, and one host. Throws what is no answer and no refusal. */
export async function askAbout(control: Control, crawl: CrawlId, url: string): Promise<void> {
  await control.list();
  await answerOf(control.status(crawl));
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && (pages === 0 || cursor !== undefined); pages++)
    cursor = (await answerOf(control.hosts(crawl, { cursor, limit: PAGE })))?.cursor;
  await answerOf(control.host(crawl, hostKey(url)));
}

/**
 * Asks at the end where the records of some fetched pages are: each must be there, joined or not, and among the captures of
 * its URL, and of its host.
 */
export async function askForRecords(
  { s3, settings }: SimCloud,
  { log }: Pick<SimWeb, 'log'>,
  control: Control,
  crawl: CrawlId,
): Promise<Violation[]> {
  const urls = new Set(
    log.flatMap(({ url, isRobots, httpStatus }) => (httpStatus && !isRobots ? [url] : [])),
  );
  const violations: Violation[] = [];
  for (const url of [...urls].slice(0, MAX_URLS)) {
    const { warcFile, warcOffset = 0, warcLength = 0 } = (await answerOf(control.url(crawl, url))) ?? {};
    if (warcFile === undefined) continue;
    const size = s3.objects(settings.bucket).get(warcKey(warcFolder(crawl), warcFile))?.bytes.length;
    const where = `${warcLength} bytes of ${warcFile} at ${warcOffset}`;
    const say = (message: string) =>
      violations.push({
        invariant: 'announcedOnce',
        message: `${crawl}: requested ${url}, control names ${where}, ${message}`,
        host: hostKey(url),
      });
    if (size === undefined || warcOffset + warcLength > size)
      say(`where ${size === undefined ? 'no such object is' : `${size} bytes are`}`);
    for (const matchType of ['exact', 'host'] as const) {
      const captures = await allCaptures(control, crawl, { url, matchType });
      const isThere = captures.some(
        (capture) => capture.warcFile === warcFile && capture.warcOffset === warcOffset,
      );
      if (!isThere) say(`which is none of its ${captures.length} captures (${matchType})`);
    }
  }
  return violations;
}

async function allCaptures(
  control: Control,
  crawl: CrawlId,
  asked: CapturePageRequest,
): Promise<CaptureEntry[]> {
  const found: CaptureEntry[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_CAPTURE_PAGES && (pages === 0 || cursor !== undefined); pages++) {
    const page = await control.captures(crawl, { ...asked, cursor, limit: CAPTURES });
    found.push(...page.captures);
    ({ cursor } = page);
  }
  return found;
}

/** Undefined: there is no such thing, or a newer version of the program has written it. */
async function answerOf<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ControlError || error instanceof CorruptBytes) return undefined;
    throw error;
  }
}
