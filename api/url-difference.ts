/** How the main text of a page differs between two of its visits. */
import { PayloadReader, type PayloadSource } from '../shared/core/archive/payload-reader.ts';
import { locationOf, type UrlCapture, visitAt } from '../shared/core/archive/url-history.ts';
import { extractContent, extractSeenContent, type SeenBlock } from '../shared/core/content/extract.ts';
import { textContent } from '../shared/core/content/text-content.ts';
import { forbiddenUse, type Purpose } from '../shared/core/usage/purpose.ts';
import { readableDocument } from '../shared/services/outputs/page-document.ts';
import { differenceOf, type LineDifference } from './text-difference.ts';
import { visitToRead } from './visit-to-read.ts';

export interface UrlDifference {
  readonly url: string;
  /** The visits that are compared. Each stands for what the page was from then on. */
  readonly from: UrlCapture;
  readonly to: UrlCapture;
  /** The main text as lines; all of them the same if something else has changed, or nothing. */
  readonly lines: readonly LineDifference[];
}

/** Which visits are compared: of each time, the last one until then, or the first one of all. */
export interface VisitTimes {
  /** Default: the visit before the last change. */
  readonly from?: Date | undefined;
  /** Default: the last visit. */
  readonly to?: Date | undefined;
  /** Leaves out what a browser would not show of HTML. */
  readonly onlySeen?: boolean;
  /** Refuses pages whose site forbids the use that this purpose makes. Default: any are compared. */
  readonly purpose?: Purpose;
}

/** A visit cannot be compared: its message says why. */
class NoDifference extends Error {
  override readonly name = 'NoDifference';
}

const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/**
 * Compares two visits of a page. `visits`: its history. Throws `NoDifference` if there are not two of them, if they
 * showed no HTML or text, or if a record cannot be read.
 */
export async function differenceBetween(
  url: string,
  visits: readonly UrlCapture[],
  source: PayloadSource,
  times: VisitTimes = {},
): Promise<UrlDifference> {
  if (visits.length === 0) throw new NoDifference(`the archive has no visit of ${url}`);
  const to = (times.to && visitAt(visits, times.to)) ?? (visits.at(-1) as UrlCapture);
  const from = (times.from && visitAt(visits, times.from)) ?? visitBeforeChange(visits, to);
  if (from === undefined)
    throw new NoDifference(
      `${url} has not changed: ${visits.length} visits from ${visits[0]?.time} to ${to.time} have shown the same`,
    );
  const payloads = new PayloadReader(source, 'shown');
  if (from.form !== to.form) throw new NoDifference(`${url} was HTML and Markdown, which are not compared`);
  const blocks = (visit: UrlCapture) => blocksOf(url, visits, visit, { payloads, source, ...times });
  const before = await blocks(from);
  const after = await blocks(to);
  return { url, from, to, lines: differenceOf(...mainTexts(before, after)) };
}

/**
 * The main text of two versions. A block that is main content in one of them counts in both: where the choice differs, nothing
 * has changed.
 */
function mainTexts(before: readonly SeenBlock[], after: readonly SeenBlock[]): [string, string] {
  const main = new Set([...before, ...after].filter(({ isMain }) => isMain).map(({ text }) => text));
  const textOf = (blocks: readonly SeenBlock[]) =>
    blocks
      .filter(({ text }) => main.has(text))
      .map(({ text }) => text)
      .join('\n\n');
  return [textOf(before), textOf(after)];
}

/** The visit before the last one of its form, until `to`, that found other bytes. */
function visitBeforeChange(visits: readonly UrlCapture[], to: UrlCapture): UrlCapture | undefined {
  const until = visits.slice(0, visits.indexOf(to) + 1);
  const at = until.findLastIndex(({ change }) => change === 'changed');
  return until.slice(0, Math.max(0, at)).findLast(({ form }) => form === until[at]?.form);
}

interface Reading extends Pick<VisitTimes, 'onlySeen' | 'purpose'> {
  readonly payloads: PayloadReader;
  readonly source: PayloadSource;
}

async function blocksOf(
  url: string,
  visits: readonly UrlCapture[],
  visit: UrlCapture,
  { payloads, source: archive, onlySeen = false, purpose }: Reading,
): Promise<readonly SeenBlock[]> {
  const own = await visitToRead(url, visits, visit, { archive, maxBytes: MAX_PAGE_BYTES });
  const location = locationOf(own);
  const use = purpose && forbiddenUse(purpose, await archive.readUsage?.(url, location));
  if (use !== undefined) throw new NoDifference(`the site of ${url} forbids its use (${use})`);
  const { response, payload } = await payloads.read(location, MAX_PAGE_BYTES).catch((error: Error) => {
    throw new NoDifference(`the visit of ${url} at ${own.time} cannot be read: ${error.message}`);
  });
  const found = readableDocument(url, { ...response, body: payload.body }, MAX_PAGE_BYTES, undefined);
  if (!found) throw new NoDifference(`the visit of ${url} at ${own.time} has shown no document with a text`);
  if ('read' in found) return [{ text: (await found.read()).text, isMain: true }];
  const { mediaType, source, charset } = found;
  const { blocks, text } = /html/.test(mediaType)
    ? (onlySeen ? extractSeenContent : extractContent)(source, url, undefined, charset)
    : textContent(source, mediaType, url);
  return blocks ?? [{ text, isMain: true }];
}
