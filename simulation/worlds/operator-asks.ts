/**
 * The operator asks: what there is of a crawl, of its hosts and of some URLs. No fault strikes the operator's
 * calls.
 */
import { type Control, ControlError } from '../../shared/control/control.ts';
import type { CrawlId } from '../../shared/crawl/crawl-id.ts';
import { warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import { CorruptBytes } from '../../shared/frontier/bytes.ts';
import { hostKey } from '../../shared/url/host-key.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { SimWeb, Violation } from './spec.ts';

const PAGE = 2;
const MAX_PAGES = 3;
const MAX_URLS = 3;

/** Asks for the crawl, some pages of its hosts, and one host. Throws what is no answer and no refusal. */
export async function askAbout(control: Control, crawl: CrawlId, url: string): Promise<void> {
  await control.list();
  await answerOf(control.status(crawl));
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && (pages === 0 || cursor !== undefined); pages++)
    cursor = (await answerOf(control.hosts(crawl, { cursor, limit: PAGE })))?.cursor;
  await answerOf(control.host(crawl, hostKey(url)));
}

/** Asks at the end where the records of some fetched pages are: each must be there, joined or not. */
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
    if (size !== undefined && warcOffset + warcLength <= size) continue;
    const where = `${warcLength} bytes of ${warcFile} at ${warcOffset}`;
    violations.push({
      invariant: 'announcedOnce',
      message: `${crawl}: requested ${url}, control names ${where}, where ${size === undefined ? 'no such object is' : `${size} bytes are`}`,
      host: hostKey(url),
    });
  }
  return violations;
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
