/** The part of a record that only a crawl that recrawls has, as bytes. */
import { SHORT_SKETCH_BYTES } from '../recrawl/text-sketch.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import type { RecrawlState } from './url-record.ts';

const HAS_CAPTURED_URL = 1;
const HAS_TEXT_DIGEST = 2;
const HAS_ETAG = 4;
const HAS_LAST_MODIFIED = 8;
const IS_BACK = 16;
const HAS_HINT = 32;
const HAS_NEW_LINKS = 64;
/** With the share of the text that the last change was. */
const HAS_TEXT_SKETCH = 128;
/** Above the 24 bits of the history, as all bits of the first byte are in use: a factor of the importance follows the rate. */
const HAS_FACTOR = 2 ** 24;
const IS_RENDERED = 2 ** 25;
/** No change of a text was measured. */
const NO_SHARE = 255;
const TEXT_DIGEST_BYTES = 8;
const MAX_HINTS = 255;

/** Writes about 32 bytes, and the server's own texts. `fetchedAt`: of the record's result. */
export function writeRecrawl(out: ByteWriter, state: RecrawlState, fetchedAt: number): void {
  const { history, rate, misses, changedAt, capturedAt, capturedUrl, textDigest, etag, lastModified } = state;
  const { textSketch, changedShare, factor } = state;
  out.byte(
    (capturedUrl !== undefined ? HAS_CAPTURED_URL : 0) |
      (textDigest ? HAS_TEXT_DIGEST : 0) |
      (etag !== undefined ? HAS_ETAG : 0) |
      (lastModified !== undefined ? HAS_LAST_MODIFIED : 0) |
      (state.isBack ? IS_BACK : 0) |
      (state.hintedAt !== undefined ? HAS_HINT : 0) |
      (state.newLinks !== undefined ? HAS_NEW_LINKS : 0) |
      (textSketch ? HAS_TEXT_SKETCH : 0),
  );
  out.varint(history + (factor === undefined ? 0 : HAS_FACTOR) + (state.isRendered ? IS_RENDERED : 0));
  out.byte(rate);
  if (factor !== undefined) out.byte(factor);
  out.varint(misses);
  out.signed(fetchedAt - changedAt);
  out.signed(fetchedAt - capturedAt);
  if (state.hintedAt !== undefined) {
    out.signed(fetchedAt - state.hintedAt);
    out.byte(Math.min(MAX_HINTS, state.hints ?? 0));
  }
  if (state.newLinks !== undefined) out.byte(state.newLinks);
  if (textDigest) out.raw(textDigest);
  if (textSketch) {
    out.raw(textSketch);
    out.byte(changedShare === undefined ? NO_SHARE : Math.round(100 * changedShare));
  }
  for (const text of [capturedUrl, etag, lastModified]) if (text !== undefined) out.text(text);
}

/** Throws `CorruptBytes`. */
export function readRecrawl(input: ByteReader, fetchedAt: number): RecrawlState {
  const has = input.byte();
  const packed = input.varint();
  const rate = input.byte();
  const factor = packed & HAS_FACTOR ? input.byte() : undefined;
  const misses = input.varint();
  const changedAt = fetchedAt - input.signed();
  const capturedAt = fetchedAt - input.signed();
  const hintedAt = has & HAS_HINT ? fetchedAt - input.signed() : undefined;
  const hints = hintedAt === undefined ? undefined : input.byte() || undefined;
  const newLinks = has & HAS_NEW_LINKS ? input.byte() : undefined;
  const textDigest = has & HAS_TEXT_DIGEST ? Uint8Array.from(input.raw(TEXT_DIGEST_BYTES)) : undefined;
  const textSketch = has & HAS_TEXT_SKETCH ? Uint8Array.from(input.raw(SHORT_SKETCH_BYTES)) : undefined;
  const share = textSketch ? input.byte() : NO_SHARE;
  return {
    history: packed % HAS_FACTOR,
    rate,
    changedAt,
    isBack: has & IS_BACK ? true : undefined,
    misses,
    capturedAt,
    capturedUrl: has & HAS_CAPTURED_URL ? input.text() : undefined,
    textDigest,
    isRendered: packed & IS_RENDERED ? true : undefined,
    hints,
    hintedAt,
    newLinks,
    factor,
    textSketch,
    changedShare: share === NO_SHARE ? undefined : share / 100,
    etag: has & HAS_ETAG ? input.text() : undefined,
    lastModified: has & HAS_LAST_MODIFIED ? input.text() : undefined,
  };
}
