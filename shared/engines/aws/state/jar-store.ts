/** Jars in CrawlState: an item for each. */
import type { StoredJar } from '../../../core/access/stored-jar.ts';
import type { JarKey, JarStore } from '../../../crawler/ports/jar-store.ts';
import { type Item, itemKey, N, S } from '../table/item.ts';
import { queryItems } from '../table/query.ts';
import { getItem, putItem } from '../table/table.ts';
import { allJarShards, jarShardOf, replacing, type StateTable } from './tables.ts';

/** The {@link JarStore} port on DynamoDB. */
export function createJarStore(table: StateTable): JarStore {
  return {
    async load(crawl, key) {
      const item = await getItem(table, itemKey(jarShardOf(crawl, key.domain), nameOf(key)));
      return item && { ...jarOf(item), cookies: item.cookies?.S as string };
    },
    async replace(crawl, key, { cookies, version, ...jar }) {
      const text = JSON.stringify(jar);
      const item = {
        ...itemKey(jarShardOf(crawl, key.domain), nameOf(key)),
        version: N(version),
        jar: S(text),
        cookies: S(cookies),
      };
      const isOurs = (found: Item) =>
        found.version?.N === String(version) && found.jar?.S === text && found.cookies?.S === cookies;
      const { isWritten } = await putItem(table, item, { ...replacing(version - 1), isOurs });
      return isWritten;
    },
    async *list(crawl) {
      for (const partition of allJarShards(crawl))
        for await (const item of queryItems(table, { partition })) {
          const [domain = '', account] = (item.sk?.S ?? '').split(' ');
          yield { key: account === undefined ? { domain } : { domain, account }, jar: jarOf(item) };
        }
    },
  };
}

/** No domain and no account's name has a space. */
const nameOf = ({ domain, account }: JarKey): string =>
  account === undefined ? domain : `${domain} ${account}`;

const jarOf = ({ version, jar }: Item): Omit<StoredJar, 'cookies'> => ({
  ...JSON.parse(jar?.S as string),
  version: Number(version?.N),
});
