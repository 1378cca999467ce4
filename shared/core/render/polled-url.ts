/** A time in seconds or milliseconds, or a random number. */
const NUMBER = /^(?:\d{10}|\d{13}|0\.\d{6,20})$/;
const AROUND_MS = 3_600_000;

/**
 * The URL of a request, without the time of now or random number in its query that keeps caches from answering: a page that polls
 * makes requests which differ in it alone. Other times stay, such as those by which lists go on. `now`: ms since the epoch.
 */
export function polledUrl(url: string, now: number): string {
  const from = url.indexOf('?') + 1;
  if (from === 0) return url;
  const pairs = url.slice(from).split('&');
  return url.slice(0, from) + pairs.map((pair) => withoutNumber(pair, now)).join('&');
}

function withoutNumber(pair: string, now: number): string {
  const from = pair.indexOf('=') + 1;
  const value = pair.slice(from);
  if (!NUMBER.test(value)) return pair;
  const ms = value.length === 10 ? Number(value) * 1000 : Number(value);
  return value.startsWith('0.') || Math.abs(ms - now) < AROUND_MS ? pair.slice(0, from) : pair;
}
