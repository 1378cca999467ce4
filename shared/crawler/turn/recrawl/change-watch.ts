import { mixHash } from '../../../core/base/mix-hash.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { isOtherForm } from '../../../core/parser/other-form.ts';
import { type ChangeDigest, changeDigest, hasChanged } from '../../../core/recrawl/change-digest.ts';
import { createRepeatedBlocks, type RepeatedBlocks } from '../../../core/recrawl/repeated-blocks.ts';
import { shortSimilarity, shortSketch, textSketch } from '../../../core/recrawl/text-sketch.ts';
import { hashOfUrl } from '../links/hash-of-url.ts';

/** Recognizes whether a page has changed: by its own text, without the blocks that repeat on other pages of the host. */
export class ChangeWatch {
  readonly #repeated: RepeatedBlocks;

  /** `stored`: {@link ChangeWatch.state} of the host's head. */
  constructor(stored: string | undefined) {
    this.#repeated = createRepeatedBlocks(stored === undefined ? undefined : Buffer.from(stored, 'base64'));
  }

  /** 1 KB in base64: the blocks that repeat on the host's pages. */
  state(): string {
    return Buffer.from(this.#repeated.bytes).toString('base64');
  }

  /** The digest of the page's text, 8 bytes; undefined if it has no text. */
  digestOf(facts: DocumentFacts | undefined): Uint8Array | undefined {
    const digest = facts?.blocks && changeDigest(facts.blocks, this.#repeated);
    return digest && bytesOf(digest);
  }

  /** A sketch of the page's text, 16 bytes; undefined if it has less than four words. */
  sketchOf(facts: DocumentFacts | undefined): Uint8Array | undefined {
    const sketch = facts?.blocks && textSketch(facts.blocks, this.#repeated);
    return sketch && shortSketch(sketch);
  }

  /**
   * Whether the page is another one than at its last fetch, by its text if both have one, otherwise by its bytes. HTML and
   * Markdown are not compared, nor a page that was rendered and one that was not.
   */
  hasChanged(
    before: UrlRecord,
    after: UrlRecord,
    textDigest: Uint8Array | undefined,
    isRendered?: boolean,
  ): boolean {
    const [known, found] = [before.result?.contentType, after.result?.contentType];
    // A server has both, and says nothing of a change by sending the other one.
    if (before.state === after.state && isOtherForm(known, found)) return false;
    const old = before.recrawl?.textDigest;
    if (before.state !== after.state) return true;
    if (before.recrawl && before.recrawl.isRendered !== isRendered) return false;
    if (old && textDigest) return hasChanged(digestIn(old), digestIn(textDigest));
    const [a, b] = [before.result?.digest, after.result?.digest];
    return !a || !b || !Buffer.from(a).equals(b);
  }

  /** Counts the blocks of a page that is new, or that has changed. */
  count(url: string, facts: DocumentFacts | undefined): void {
    if (facts?.blocks) this.#repeated.countPage(mixHash(hashOfUrl(url)), facts.blocks.blocks);
  }
}

/** Returns about the share of a text that has changed, 0.01 to 1 in hundredths; undefined if a sketch is missing. */
export function changedShareOf(
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): number | undefined {
  if (!before || !after) return undefined;
  return Math.max(1, Math.round(100 * (1 - shortSimilarity(before, after)))) / 100;
}

function bytesOf({ all, own }: ChangeDigest): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, all);
  view.setUint32(4, own);
  return bytes;
}

function digestIn(bytes: Uint8Array): ChangeDigest {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { all: view.getUint32(0), own: view.getUint32(4) };
}
