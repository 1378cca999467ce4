import type { CrawlId } from '../crawl/crawl-id.ts';
import type { Head } from '../frontier/head.ts';
import type { HostState } from './host-state.ts';
import type { Services } from './services.ts';

/** So often a URL may be what a worker was about to fetch when it died. */
const MAX_INTENTS = 3;

/**
 * `guilty`: its fetch has been a worker's last deed too often. `busy`: another host's URL is under suspicion in this
 * process; the turn is to be put off, as one that has asked for nothing.
 */
export type Announcement = 'announced' | 'guilty' | 'busy';

/**
 * The care of a turn whose host has perhaps killed its workers: what it fetches next is stored in the head before, so
 * that whoever comes after a death knows the culprit. From the first announcement until {@link Caution.end} no other
 * turn of this process announces anything: so a worker dies with one URL under suspicion at most.
 */
export interface Caution {
  announce(url: string): Promise<Announcement>;
  /** As it is stored by now: each announcement makes a version. */
  head(): Head;
  /** The turn is thrown away. What it announced is cleared if that was not by its doing: our own services failed. */
  clear(): Promise<void>;
  end(): void;
}

/** `until`: how long the announcements of others are waited for. */
export function createCaution(
  { engine, suspicion }: Pick<Services, 'engine' | 'suspicion'>,
  crawl: CrawlId,
  state: HostState,
  loaded: Head,
  until: number,
): Caution {
  let head = loaded;
  let isAnnounced = false;
  let free: (() => void) | undefined;

  async function store(intent: Head['intent']): Promise<void> {
    head = { ...head, version: head.version + 1, intent };
    // What an attempt that was thrown away has staged for this version is not this one's.
    await engine.items?.stage(crawl, state.host, head.version, []);
    await engine.ledgers.commit(crawl, state.host, head);
  }

  return {
    head: () => head,
    end: () => free?.(),

    async announce(url) {
      // By what the turn found, not by what it has announced since: robots.txt comes before each page.
      const tries = state.suspect?.url === url ? state.suspect.tries : 0;
      if (tries >= MAX_INTENTS) return 'guilty';
      free ??= await suspicion(until);
      if (!free) return 'busy';
      await store({ url, tries: tries + 1 });
      isAnnounced = true;
      return 'announced';
    },

    async clear() {
      if (!isAnnounced || state.isReading || state.isCommitted) return;
      // Where this fails, too, the URL has one try less.
      await store(state.suspect).catch(() => {});
    },
  };
}

export const causeOfDeath = (what: string): string =>
  `the worker died ${MAX_INTENTS} times when it fetched ${what}`;
