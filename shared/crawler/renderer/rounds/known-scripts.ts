/** Scripts of pages, as they are sent with the first round of later pages of their kind: it is a round less for each chain of them. */
import QuickLRU from 'quick-lru';
import { createSizedCache } from '../../../core/base/sized-cache.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import { headersLength, sharedHeaders } from '../../../core/render/answer-headers.ts';
import { partKeys } from '../../../core/render/part-key.ts';
import { isForAll, maySharePart, SCRIPT_AGE_MS } from '../../../core/render/shared-script.ts';
import { hostKey } from '../../../core/url/host-key.ts';
import { templateOf } from '../../../core/url/template-of.ts';
import type { PartRefusal, PartRequest, RenderJob } from '../../ports/renderer.ts';
import type { PackedAnswer } from './round-messages.ts';

/** Bounds for each kind of pages. */
const MAX_SCRIPTS = 40;
const MAX_CHARS = 1_500_000;
/** Bounds for all together. */
const MAX_KINDS = 1000;
const MAX_ALL_CHARS = 60_000_000;

interface KnownScript {
  readonly packed: PackedAnswer;
  readonly chars: number;
}

export class KnownScripts {
  /** By crawl and URL. */
  readonly #scripts = createSizedCache<KnownScript>({ maxSize: MAX_ALL_CHARS, maxAgeMs: SCRIPT_AGE_MS });
  /** Keys of scripts, by the crawl and the kind of page. */
  readonly #kinds = new QuickLRU<string, Set<string>>({ maxSize: MAX_KINDS });

  /** The scripts that pages of this kind have requested lately. */
  of(job: Pick<RenderJob, 'crawl' | 'url'>, now: number): PackedAnswer[] {
    const found: PackedAnswer[] = [];
    let chars = 0;
    for (const key of this.#kinds.get(kindOf(job)) ?? []) {
      const script = this.#scripts.get(key, now);
      if (script === undefined) continue;
      chars += script.chars;
      if (chars > MAX_CHARS) break;
      found.push(script.packed);
    }
    return found;
  }

  keep(
    job: Pick<RenderJob, 'crawl' | 'url' | 'cookies'>,
    request: PartRequest,
    outcome: FetchOutcome | PartRefusal,
    packed: PackedAnswer,
  ): void {
    if (!maySharePart(request) || outcome.status !== 'response' || outcome.httpStatus !== 200) return;
    if (!isForAll(outcome, job.cookies.length > 0)) return;
    const chars = 'body' in packed ? packed.body[1].length : 0;
    if (outcome.truncated || chars > MAX_CHARS || isOfMoment(request, outcome.endedAt)) return;
    const key = `${job.crawl} ${request.url}`;
    const headers = sharedHeaders(outcome.headers);
    const shared = 'headers' in packed ? { ...packed, headers } : packed;
    const size = chars + headersLength(headers);
    this.#scripts.set(key, { packed: shared, chars }, { size, at: outcome.endedAt });
    const kind = kindOf(job);
    const ofKind = this.#kinds.get(kind) ?? new Set();
    ofKind.delete(key);
    this.#kinds.set(kind, ofKind.add(key));
    // A site that is deployed again has other ones.
    const [first] = ofKind;
    if (ofKind.size > MAX_SCRIPTS) ofKind.delete(first as string);
  }
}

/** Its URL has a time or a random number: other pages do not have this script. */
function isOfMoment(request: PartRequest, now: number): boolean {
  const { exact, steady } = partKeys(request, now);
  return exact !== steady;
}

const kindOf = ({ crawl, url }: Pick<RenderJob, 'crawl' | 'url'>): string =>
  `${crawl} ${hostKey(url)} ${templateOf(url)}`;
