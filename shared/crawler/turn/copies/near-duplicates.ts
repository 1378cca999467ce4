import { BlockCounts } from '../../../core/alike/common-blocks.ts';
import { MIN_WORDS } from '../../../core/alike/own-sketch.ts';
import { type OwnText, ownText, ownWords } from '../../../core/alike/own-text.ts';
import { mayShare, sharedText } from '../../../core/alike/shared-text.ts';
import {
  type Cause,
  isWithheld,
  type NearDuplicateCause,
  nearDuplicateIn,
} from '../../../core/causes/cause.ts';
import { isSeedRecord } from '../../../core/frontier/rank.ts';
import { isRefetch, type UrlRecord } from '../../../core/frontier/url-record.ts';
import { isPageStatus } from '../../../core/outcome/page-status.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import type { HashedBlocks } from '../../../core/parser/hashed-blocks.ts';
import { isOwnRequest } from '../../../core/url/request-url.ts';
import { templateOf } from '../../../core/url/template-of.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** Pages of a turn that are known before one is judged: which blocks repeat on the host is not known earlier. */
const MIN_PAGES = 4;
/** Pages of a template that a page is compared with: the first ones of the turn. */
const MAX_PAGES_OF_TEMPLATE = 64;
/** Words of all pages that are kept: 6 bytes each. Later pages of the turn are compared, and not kept. */
const MAX_WORDS = 200_000;

interface SeenPage {
  readonly url: string;
  readonly blocks: HashedBlocks;
  /** Its own text, as long as the same blocks are common. */
  own?: { readonly changes: number; readonly words: number; text?: OwnText };
}

/**
 * Recognizes pages whose own text is nearly the same as that of an earlier page of the turn with the same template
 * (`url/template-of.ts`). Nothing of it outlives the turn.
 *
 * The text is compared without the blocks that repeat on other pages. A copy does not count there: its text is none of the
 * host's navigation, however often it comes.
 */
export class NearDuplicates {
  readonly #crawl: TurnCrawl;
  readonly #byTemplate = new Map<string, SeenPage[]>();
  readonly #common = new BlockCounts();
  #pages = 0;
  #words = 0;

  constructor(crawl: TurnCrawl) {
    this.#crawl = crawl;
  }

  /** Whether the text of this page is requested. */
  wantsBlocks({ kind, url }: UrlRecord): boolean {
    return this.#crawl.config.nearDuplicates !== 'off' && kind === undefined && !isOwnRequest(url);
  }

  /**
   * Says of which page this one is a copy, if it is one. Seeds never are, nor pages that were fetched before: of two pages
   * neither shall become the copy of the other one in different turns.
   */
  causeOf(record: UrlRecord, { blocks, isWhole, copy }: DocumentFacts): NearDuplicateCause | undefined {
    if (isSeedRecord(record) || isRefetch(record)) return undefined;
    // A route is one in any case: its URL alone says nothing of its text.
    if (copy !== undefined) return this.#cause(copy.of, copy.similarity);
    if (!blocks || !isWhole || !this.wantsBlocks(record)) return undefined;
    const seen = this.#pages < MIN_PAGES ? undefined : this.#byTemplate.get(templateOf(record.url));
    const words = seen ? ownWords(blocks, this.#common) : 0;
    if (!seen || words < MIN_WORDS) return undefined;
    let own: OwnText | undefined;
    let best: { readonly url: string; readonly alike: number } | undefined;
    for (const page of seen) {
      // Most pages of a template have texts of other lengths.
      if (!mayShare(words, this.#ownOf(page).words)) continue;
      own ??= ownText(blocks, this.#common);
      const alike = sharedText(own, this.#ownTextOf(page));
      if (alike > (best?.alike ?? 0)) best = { url: page.url, alike };
    }
    return best && this.#cause(best.url, Math.round(100 * best.alike) / 100);
  }

  #cause(of: string, similarity: number): NearDuplicateCause {
    const isSkipped = this.#crawl.config.nearDuplicates === 'skip' && { isSkipped: true as const };
    return { code: 'nearDuplicate', of, similarity, ...isSkipped };
  }

  #ownOf(page: SeenPage): NonNullable<SeenPage['own']> {
    const { changes } = this.#common;
    if (page.own?.changes !== changes) page.own = { changes, words: ownWords(page.blocks, this.#common) };
    return page.own;
  }

  #ownTextOf(page: SeenPage): OwnText {
    const own = this.#ownOf(page);
    own.text ??= ownText(page.blocks, this.#common);
    return own.text;
  }

  /** Remembers a page that was settled, and that is given to hooks and documents like any other. */
  remember(record: UrlRecord, { blocks, isWhole }: DocumentFacts): void {
    const { url, state, result } = record;
    if (!blocks || !isWhole || !this.wantsBlocks(record) || state !== 'fetched') return;
    if (!isPageStatus(result?.httpStatus) || result.duplicateOf !== undefined || isNoOriginal(result.cause))
      return;
    this.#common.add(blocks);
    this.#pages++;
    const template = templateOf(url);
    const seen = this.#byTemplate.get(template) ?? [];
    this.#words += blocks.words.length;
    if (this.#words > MAX_WORDS || seen.length === MAX_PAGES_OF_TEMPLATE) return;
    this.#byTemplate.set(template, [...seen, { url, blocks }]);
  }
}

/** It is a copy itself, or kept from hooks or documents. */
const isNoOriginal = (cause: Cause | undefined): boolean =>
  cause !== undefined &&
  (cause.code === 'noindex' || nearDuplicateIn(cause) !== undefined || isWithheld(cause));
