/** The accounts by which a crawl's pages are requested: their state, and how the operator unlocks one. */
import { type AccountReport, accountReport } from '../../core/access/account-report.ts';
import { unlocked } from '../../core/access/account-state.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { JarKey, JarStore } from '../../crawler/ports/jar-store.ts';

/** Other processes may write the jar at the same moment. */
const MAX_TRIES = 5;

/** Sorted by name. An account that was never used is not among them. */
export async function crawlAccounts(jars: JarStore, crawl: CrawlId, now: number): Promise<AccountReport[]> {
  const accounts: AccountReport[] = [];
  for await (const { key, jar } of jars.accounts(crawl))
    if (key.account !== undefined && jar.account)
      accounts.push(accountReport(key.account, key.domain, jar.account, now));
  return accounts.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Lets an account be used that is locked or rests. False: the crawl has none of that name. */
export async function unlockAccount(jars: JarStore, crawl: CrawlId, name: string): Promise<boolean> {
  const key = await keyOf(jars, crawl, name);
  if (key === undefined) return false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const jar = await jars.load(crawl, key);
    if (jar?.account === undefined) return false;
    const next = { ...jar, version: jar.version + 1, account: unlocked(jar.account) };
    if (await jars.replace(crawl, key, next)) return true;
  }
  throw new Error(`The account ${name} is written by others at this moment: try again`);
}

async function keyOf(jars: JarStore, crawl: CrawlId, name: string): Promise<JarKey | undefined> {
  for await (const { key } of jars.accounts(crawl)) if (key.account === name) return key;
  return undefined;
}
