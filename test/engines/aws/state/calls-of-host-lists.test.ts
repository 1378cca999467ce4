/** All calls and results of the modules that list hosts, and of calls for many items: see `calls-of-host-lists.txt`. */
import { HostDirectory } from '../../../../shared/engines/aws/state/host-directory.ts';
import { HostList } from '../../../../shared/engines/aws/state/host-list.ts';
import { getItems, putItems } from '../../../../shared/engines/aws/table/batch.ts';
import { itemKey } from '../../../../shared/engines/aws/table/item.ts';
import { queryItems } from '../../../../shared/engines/aws/table/query.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';
import { commitAll, contextOf } from './state-world.ts';

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describeScenarios(
  [
    scenario({
      name: 'lists the hosts of a crawl, all and by pages',
      prepare: async (world) => {
        await commitAll(world, false);
        await world.wait(new HostDirectory(contextOf(world)).enter(CRAWL, 'headless.test'));
      },
      async run(world) {
        const list = new HostList(contextOf(world));
        const all = (await allOf(list.all(CRAWL))).map(({ host, head: { token } }) => `${host} ${token}`);
        const pages: unknown[] = [];
        for (const limit of [1, 2, 100]) {
          let cursor: string | undefined;
          do {
            const page = await list.page(CRAWL, cursor, limit);
            pages.push([page.hosts.map(({ host }) => host), page.cursor]);
            cursor = page.cursor;
          } while (cursor !== undefined);
        }
        const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const refused: string[] = [];
        for (const value of [null, [], [8], [-1], [0.5], ['0'], [0, ''], [0, 1], [0, 'a', 'b'], { 0: 0 }])
          refused.push(await refusalOf(list.page(CRAWL, cursorOf(value), 1)));
        for (const cursor of ['', '!', 'x'.repeat(9)])
          refused.push(await refusalOf(list.page(CRAWL, cursor, 1)));
        for (const limit of [0, 1.5]) refused.push(await refusalOf(list.page(CRAWL, undefined, limit)));
        return [all, pages, refused, await list.page(CRAWL, cursorOf([7, 'zzz']), 1)];
      },
    }),
    scenario({
      name: 'reads and writes many items at once',
      async run(world) {
        const table = contextOf(world);
        const keys = Array.from({ length: 130 }, (_, i) => itemKey('many', `${i}`));
        await putItems(table, keys);
        await putItems(table, []);
        return [
          (await getItems(table, [...keys, itemKey('many', 'none')])).length,
          (await getItems(table, [])).length,
          (await allOf(queryItems(table, { partition: 'many', limit: 60 }))).length,
          (await allOf(queryItems(table, { partition: 'none', limit: 60 }))).length,
        ];
      },
      readsIndex: true,
    }),
  ],
  openGolden('calls-of-host-lists.txt', import.meta.url),
);
