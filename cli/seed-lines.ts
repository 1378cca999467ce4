/** Lines about seeds that cannot be fetched, printed as it happens. */
import { outcomeInWords } from '../shared/report/outcome-words.ts';
import { printable, shorten } from '../shared/text/printable.ts';
import { MOVED, type OnSeed, type SeedEvent } from '../shared/turn/seed-events.ts';
import { formatDuration } from './format.ts';

/** Seeds that fail for the same cause: so many are named ... */
const MAX_NAMED = 3;
/** ... of so many causes. The summary has the others. */
const MAX_KINDS = 20;
const MAX_CHARS = 300;

/** Prints each new kind of failure: a seed's first failure of a kind, and what it ends with. */
export function createSeedLines(log: (line: string) => void, now: () => number): OnSeed {
  const urlsByKind = new Map<string, Set<string>>();
  return (event) => {
    const text = seedLine(event, now());
    if (text === undefined) return;
    const kind = kindOf(event);
    const urls = urlsByKind.get(kind) ?? new Set();
    if (urls.has(event.url) || urls.size >= MAX_NAMED || urlsByKind.size >= MAX_KINDS) return;
    urls.add(event.url);
    urlsByKind.set(kind, urls);
    log(text);
    if (urls.size === MAX_NAMED) log('More seeds like these are counted in the summary');
  };
}

const SILENT_MS = 10_000;

/**
 * Prints a line, once, if no request has ended ten seconds after the first call. `timeoutMs`: how long one
 * waits.
 */
export function createSilenceLine(
  log: (line: string) => void,
  timeoutMs: number,
): (stats: { readonly requests: number }, now: number) => void {
  let since: number | undefined;
  let isOver = false;
  return ({ requests }, now) => {
    since ??= now;
    isOver ||= requests > 0;
    if (isOver || now - since < SILENT_MS) return;
    isOver = true;
    log(`No host has answered yet; a request waits ${formatDuration(timeoutMs)} for its answer`);
  };
}

/** Undefined for a redirect within the site: what it leads to has a line of its own if that fails. */
function seedLine(event: SeedEvent, now: number): string | undefined {
  const { url, state, isGivenUp, nextTryAt } = event;
  if (state === 'redirect' && !event.cause?.endsWith(MOVED)) return undefined;
  const words = outcomeInWords({ ...event, cause: withoutUrl(event) });
  const next = isGivenUp
    ? '; given up'
    : nextTryAt === undefined
      ? ''
      : `; next try in ${formatDuration(Math.max(1000, Math.round((nextTryAt - now) / 1000) * 1000))}`;
  return `${shorten(printable(url), MAX_CHARS)}: ${shorten(printable(words), MAX_CHARS)}${next}`;
}

/** A cause often begins with the URL, which the line has already. */
function withoutUrl({ url, cause }: SeedEvent): string | undefined {
  return cause?.startsWith(`${url}: `) ? cause.slice(url.length + 2) : cause;
}

/** What a failure has in common with those of other seeds: its cause without names and numbers. */
function kindOf(event: SeedEvent): string {
  const { state, httpStatus, isGivenUp, host } = event;
  const cause = (withoutUrl(event) ?? '').slice(0, MAX_CHARS).replaceAll(host, '').replaceAll(/\d/g, '');
  return [state, httpStatus, isGivenUp, cause].join(' ');
}
