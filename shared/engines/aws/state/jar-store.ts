/** Jars in CrawlState: an item for each. */
import type { StoredJar } from '../../../core/access/stored-jar.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { JarKey, JarStore } from '../../../crawler/ports/jar-store.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { getItem, putItem } from '../table/table.ts';
import { accountsPartition, jarShardOf, replacing, type StateTable } from './tables.ts';

/** The {@link JarStore} port on DynamoDB. */
export function createJarStore(table: StateTable): JarStore {
  return {
    async load(crawl, key) {
      const item = await getItem(table, keyOf(crawl, key));
      return item && { ...jarOf(item), cookies: item.cookies?.S as string };
    },
    async replace(crawl, key, { cookies, version, ...jar }) {
      const text = JSON.stringify(jar);
      const item = {
        ...keyOf(crawl, key),
        version: N(version),
        jar: S(text),
        cookies: S(cookies),
      };
      const isOurs = (found: Item) =>
        found.version?.N === String(version) && found.jar?.S === text && found.cookies?.S === cookies;
      const { isWritten } = await putItem(table, item, { ...replacing(version - 1), isOurs });
      return isWritten;
    },
    async *accounts(crawl) {
      for await (const item of queryItems(table, { partition: accountsPartition(crawl) })) {
        const [domain = '', account] = (item.sk?.S ?? '').split(' ');
        yield { key: { domain, account }, jar: jarOf(item) };
      }
    },
  };
}

/** No domain and no account's name has a space. */
const keyOf = (crawl: CrawlId, { domain, account }: JarKey) =>
  account === undefined
    ? itemKey(jarShardOf(crawl, domain), domain)
    : itemKey(accountsPartition(crawl), `${domain} ${account}`);

const jarOf = ({ version, jar }: Item): Omit<StoredJar, 'cookies'> => ({
  ...JSON.parse(jar?.S as string),
  version: Number(version?.N),
});
