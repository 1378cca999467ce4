/** Lines about seeds that cannot be fetched, printed as it happens. */
import type { CrawlProgress } from '../api/crawl-events.ts';
import { shownCodeOf } from '../shared/core/causes/cause.ts';
import { printable, shorten } from '../shared/core/text/printable.ts';
import type { OnSeed, SeedEvent } from '../shared/crawler/turn/seed-events.ts';
import { outcomeInWords } from '../shared/services/report/outcome-words.ts';
import { formatDuration } from './format.ts';

/** The maximal number of seeds named for one cause ... */
const MAX_NAMED = 3;
/** ... and of causes. The summary has the others. */
const MAX_KINDS = 20;
const MAX_CHARS = 300;

/** Something that cannot be fetched now: a seed, or a host. */
export interface Trouble {
  readonly name: string;
  /** Why, in words. */
  readonly words: string;
  /** The part of the message that all seeds with the same failure share. */
  readonly kind: string;
  /** ms since the epoch. */
  readonly nextTryAt?: number | undefined;
  readonly isGivenUp?: boolean | undefined;
}

/** Prints each new kind of failure: a name's first failure of a kind, and what it ends with. */
export function createTroubleLines(
  log: (line: string) => void,
  now: () => number,
): (trouble: Trouble) => void {
  const namesByKind = new Map<string, Set<string>>();
  return (trouble) => {
    const kind = `${trouble.kind} ${trouble.isGivenUp}`;
    const names = namesByKind.get(kind) ?? new Set();
    if (names.has(trouble.name) || names.size >= MAX_NAMED || namesByKind.size >= MAX_KINDS) return;
    names.add(trouble.name);
    namesByKind.set(kind, names);
    log(troubleLine(trouble, now()));
    if (names.size === MAX_NAMED) log('More seeds like these are counted in the summary');
  };
}

/** As above, for seeds. */
export function createSeedLines(log: (line: string) => void, now: () => number): OnSeed {
  const print = createTroubleLines(log, now);
  return (event) => {
    const trouble = troubleOf(event);
    if (trouble) print(trouble);
  };
}

const SILENT_MS = 10_000;

/** The part of a crawl's progress by which it is known why nothing is heard. */
export type SilenceFacts = Pick<CrawlProgress, 'requests' | 'hostsActive' | 'hostsWaiting' | 'restsUntil'>;

/**
 * Prints a line, once, if no request has ended ten seconds after the first call: hosts do not answer, or they may not be asked
 * yet. `timeoutMs`: how long a request waits.
 */
export function createSilenceLine(
  log: (line: string) => void,
  timeoutMs: number,
): (progress: SilenceFacts, now: number) => void {
  let since: number | undefined;
  let isOver = false;
  return (progress, now) => {
    since ??= now;
    isOver ||= progress.requests > 0;
    if (isOver || now - since < SILENT_MS) return;
    isOver = true;
    const { hostsActive, hostsWaiting, restsUntil = 0 } = progress;
    log(
      restsUntil > now || (hostsActive === 0 && hostsWaiting > 0)
        ? restText(progress, now)
        : `No host has answered yet; a request waits ${formatDuration(timeoutMs)} for its answer`,
    );
  };
}

/** All hosts rest: by back-off, `Retry-After`, the bytes that they have sent. */
function restText({ hostsActive, hostsWaiting, restsUntil = 0 }: SilenceFacts, now: number): string {
  const count = hostsActive + hostsWaiting;
  const hosts = count === 1 ? 'the host rests' : `all ${count} hosts rest`;
  const until = new Date(restsUntil).toISOString();
  const day = until.slice(0, 10) === new Date(now).toISOString().slice(0, 10) ? '' : `${until.slice(0, 10)} `;
  const first = count === 1 ? '' : ', the first one';
  const when = restsUntil > now ? `${first} until ${day}${until.slice(11, 19)} UTC` : '';
  return `Nothing may be requested yet: ${hosts}${when} (strand hosts shows why)`;
}

/** Undefined for a redirect within the site: what it leads to has a line of its own if that fails. */
function troubleOf(event: SeedEvent): Trouble | undefined {
  const { url, state, httpStatus, cause, isGivenUp, nextTryAt } = event;
  if (state === 'redirect' && !(cause?.code === 'redirect' && cause.joins)) return undefined;
  const kind = [state, httpStatus, cause && shownCodeOf(cause)].join(' ');
  return { name: url, words: outcomeInWords(event), kind, nextTryAt, isGivenUp };
}

function troubleLine({ name, words, nextTryAt, isGivenUp }: Trouble, now: number): string {
  const next = isGivenUp
    ? '; given up'
    : nextTryAt === undefined
      ? ''
      : `; next try in ${formatDuration(Math.max(1000, Math.round((nextTryAt - now) / 1000) * 1000))}`;
  return `${shorten(printable(name), MAX_CHARS)}: ${shorten(printable(words), MAX_CHARS)}${next}`;
}
