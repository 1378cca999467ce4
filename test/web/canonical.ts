/**
 * The web's own idea of which URLs are the same, written apart from `shared/core/url` so that the two can
 * disagree: WHATWG parsing; no fragment; escapes of unreserved characters undone (RFC 3986 section 6.2.2.2)
 * and the other escapes in upper case (6.2.2.1). Nothing else is folded.
 */
export function canonical(url: string, base?: string): string | undefined {
  const parsed = URL.parse(url, base);
  if (parsed === null) return undefined;
  parsed.hash = '';
  const { href } = parsed;
  return href.includes('%') ? href.replace(/%[0-9a-f]{2}/gi, foldEscape) : href;
}

/** Host name, with `:port` where it is not the scheme's default. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** Registrable domain of one of the web's hosts: their public suffixes all have one label. */
export function domainOf(host: string): string {
  return host.replace(/:\d+$/, '').split('.').slice(-2).join('.');
}

function foldEscape(triplet: string): string {
  const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
  return /[A-Za-z0-9._~-]/.test(character) ? character : triplet.toUpperCase();
}
