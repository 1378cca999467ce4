/**
 * Pages that blocked their thread are not fetched again: they are in quarantine, which is kept in the head of
 * their host.
 */
import type { PageStep } from '../../core/causes/cause.ts';
import { type BlockedPage, type Head, NEW_HEAD } from '../../core/frontier/head.ts';
import { hostKey } from '../../core/url/host-key.ts';
import type { LedgerStore } from '../ports/ledger-store.ts';
import type { PageTask } from './page/page-work.ts';

/** A host with this number of pages that block their thread is given up. */
const MAX_BLOCKED_PAGES = 3;
/** A resumed crawl tries such a host again, and may meet more of them. The last ones are kept. */
const MAX_KEPT = 20;

/**
 * The head with the page in quarantine. The host is given up if it is one of too many, or if the host's
 * robots.txt blocks.
 */
export function withQuarantine(head: Head, task: PageTask, blockedMs: number, now: number): Head {
  const { url, step } = task;
  const page: BlockedPage = { url, cause: { code: 'threadBlocked', ms: blockedMs, step } };
  const others = (head.quarantine ?? []).filter(({ url }) => url !== page.url);
  const quarantine = [...others, page].slice(-MAX_KEPT);
  const { intent, ...rest } = head;
  return {
    ...rest,
    version: head.version + 1,
    quarantine,
    ...(intent && intent.url !== page.url && { intent }),
    setAside: head.setAside ?? setAsideBy(quarantine.length, { ms: blockedMs, step }, now),
  };
}

/** `pages`: in quarantine; `last`: how the last of them blocked. */
function setAsideBy(
  pages: number,
  last: { readonly ms: number; readonly step: PageStep },
  now: number,
): Head['setAside'] {
  if (last.step === 'robots') return { cause: { code: 'robotsBlockedThread', ...last }, at: now };
  if (pages < MAX_BLOCKED_PAGES) return undefined;
  return { cause: { code: 'pagesBlockedThread', pages, ...last }, at: now };
}

/**
 * Stores the page as one that is not fetched again. The host must be with nobody, or with a turn that will
 * never commit: the new head makes that turn stale. Throws `StaleTurn` if somebody else has continued with
 * the host.
 */
export async function quarantinePage(
  ledgers: Pick<LedgerStore, 'loadHead' | 'commit'>,
  task: PageTask,
  blockedMs: number,
  now: number,
): Promise<void> {
  const host = hostKey(task.url);
  const head = (await ledgers.loadHead(task.crawl, host)) ?? NEW_HEAD;
  await ledgers.commit(task.crawl, host, withQuarantine(head, task, blockedMs, now));
}
