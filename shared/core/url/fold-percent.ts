/**
 * Normalizes each percent-encoded octet of a URL (RFC 3986, section 6.2.2): unreserved octets stand decoded (`%7E` is
 * `~`), the others in upper-case hexadecimal (`%2f` is `%2F`). Reserved characters stay as they are: `%2F` is not `/`.
 *
 * Expects the output of a WHATWG parser, which has treated `%2e` as a dot in dot segments already; so
 * decoding makes none. A `%` that begins no octet stays (encoding it would make `%25b` and `%b` one), and no
 * decoding completes it to an octet: `%%341` stays, since `%41` is another URL. Hence what comes out is not
 * changed by folding it again.
 */
export function foldPercent(url: string): string {
  let percent = url.indexOf('%');
  if (percent < 0) return url;
  let folded = '';
  let copied = 0;
  /** Where the last `%` stands that begins no octet. */
  let stray = -3;
  while (percent >= 0) {
    const high = hexValue(url.charCodeAt(percent + 1));
    const low = hexValue(url.charCodeAt(percent + 2));
    if (high < 0 || low < 0) {
      stray = percent;
      percent = url.indexOf('%', percent + 1);
      continue;
    }
    const octet = high * 16 + low;
    const decodes = isUnreserved(octet) && !(percent - stray <= 2 && hexValue(octet) >= 0);
    const end = percent + 3;
    if (decodes || isLower(url.charCodeAt(percent + 1)) || isLower(url.charCodeAt(percent + 2))) {
      folded += url.slice(copied, percent);
      folded += decodes ? String.fromCharCode(octet) : url.slice(percent, end).toUpperCase();
      copied = end;
    }
    percent = url.charCodeAt(end) === PERCENT ? end : url.indexOf('%', end);
  }
  return copied === 0 ? url : folded + url.slice(copied);
}

const PERCENT = 0x25;

/** Returns the value of a hexadecimal digit's character code; -1 for any other. */
function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const isLower = (code: number): boolean => code >= 0x61;

/** RFC 3986, section 2.3: letters, digits, `-`, `.`, `_`, `~`. */
function isUnreserved(octet: number): boolean {
  const letter = octet | 0x20;
  if ((letter >= 0x61 && letter <= 0x7a) || (octet >= 0x30 && octet <= 0x39)) return true;
  return octet === 0x2d || octet === 0x2e || octet === 0x5f || octet === 0x7e;
}
