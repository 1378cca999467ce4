/** Responses whose content is missing, in part or as a whole: by their content coding, or because they broke off. */
import { boundedText, type Cause } from '../../../core/causes/cause.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { Verdict } from '../../../core/frontier/verdict.ts';
import type { FetchedResponse, FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';

/** The cause of a body that could not be decoded to its end. If it was cut before, that is the cause. */
export function undecodedCause(
  { truncated }: Pick<FetchedResponse, 'truncated'>,
  facts: Pick<DocumentFacts, 'undecoded'> | undefined,
): Cause | undefined {
  if (facts?.undecoded === undefined || truncated !== undefined) return undefined;
  const { detail, ...extent } = facts.undecoded;
  return { code: 'bodyUndecoded', detail: boundedText(detail), ...extent };
}

/**
 * The verdict on a response whose body was read: it has failed if nothing of the body could be decoded, as for
 * browsers. A second try would bring the same bytes. Readers of sitemaps know more codings.
 */
export function judgeContent(
  verdict: Verdict,
  { kind }: Pick<UrlRecord, 'kind'>,
  outcome: FetchOutcome,
  facts: DocumentFacts | undefined,
): Verdict {
  if (verdict.state !== 'fetched' || kind === 'sitemap' || outcome.status !== 'response') return verdict;
  const cause = undecodedCause(outcome, facts);
  return cause?.code === 'bodyUndecoded' && cause.isAll ? { ...verdict, state: 'failed', cause } : verdict;
}

/** How the summary counts a response whose content is missing (`hints`). */
export function lossBy(cause: Cause | undefined): 'undecoded' | 'brokeOff' | undefined {
  if (cause?.code === 'linksDropped' || cause?.code === 'nearDuplicate') return lossBy(cause.besides);
  if (cause?.code === 'bodyBrokeOff') return 'brokeOff';
  if (cause?.code !== 'bodyUndecoded') return undefined;
  return cause.isAll ? 'undecoded' : 'brokeOff';
}
