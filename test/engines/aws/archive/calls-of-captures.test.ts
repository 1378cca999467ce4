/** All calls and results of questions for captures: see `calls-of-captures.txt`. */
import { keyRanges } from '../../../../shared/core/archive/capture-query.ts';
import { CapturePages } from '../../../../shared/engines/aws/archive/capture-pages.ts';
import { announceJoined } from '../../../../shared/engines/aws/archive/joined-warcs.ts';
import type { CapturePlace, CapturesAsked } from '../../../../shared/services/control/captures.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, scenario } from '../struck-suite.ts';
import { contextOf, FOLDER, filled, nameOf, put, SITE, warcs } from './warc-world.ts';

const askedFor = (
  more: Partial<CapturesAsked> = {},
  matchType: 'exact' | 'host' = 'host',
): CapturesAsked => ({
  ...(keyRanges(SITE, matchType)?.[0] as CapturesAsked),
  limit: 100,
  ...more,
});

async function pagesOf(world: World, asked: CapturesAsked): Promise<unknown[]> {
  const pages = new CapturePages({ ...contextOf(world), mapping: contextOf(world) });
  const found: unknown[] = [];
  let place: CapturePlace | undefined;
  do {
    const page = await pages.page(CRAWL, { ...asked, place });
    found.push([
      page.captures.map(({ url, timestamp, file }) => [url, timestamp, file]),
      page.damaged,
      page.next,
    ]);
    place = page.next;
  } while (place !== undefined && found.length < 20);
  return found;
}

describeScenarios(
  [
    scenario({
      name: 'finds captures in files that are not joined, and in indexes',
      async prepare(world) {
        await filled(world);
        put(world, `${FOLDER}large.warc.gz`, new Uint8Array(256 * 1024), {
          Metadata: { captures: 'b12.AA==' },
        });
        const source = { file: nameOf(0), bytes: 9, offset: 0 };
        await world.wait(
          announceJoined(contextOf(world), CRAWL, { file: 'joined', bytes: 9, sources: [source] }),
        );
        const line = (n: number, day: number) =>
          `test,site)/${n} 202602${day}000000 {"url": "${SITE}${n}", "offset": "${n}", "length": "1", "filename": "joined-x.warc.gz"}\n`;
        put(world, `${FOLDER}joined-b.cdxj`, Buffer.from(line(1, 10) + line(2, 10) + line(3, 10)));
        await world.cloud.time.advance(1000);
        put(world, `${FOLDER}joined-a.cdxj`, Buffer.from(line(1, 11) + line(2, 11)));
        put(world, `${FOLDER}joined-c.cdxj`, Buffer.from(line(0, 12)));
        put(world, `${FOLDER}joined-c.warc.gz`, Buffer.from('x'));
        put(world, `${FOLDER}mine.cdxj`, Buffer.from(line(7, 13)));
      },
      async run(world) {
        const found: unknown[] = [];
        for (const limit of [100, 2, 1]) found.push(await pagesOf(world, askedFor({ limit })));
        found.push(await pagesOf(world, askedFor({ first: '20260104', last: '20260210000000' })));
        found.push(await pagesOf(world, askedFor({}, 'exact')));
        return found;
      },
      isTimed: true,
      isCompressed: true,
      isLong: true,
      isConcurrent: true,
    }),
    scenario({
      name: 'reports what fails while it looks for captures',
      prepare: async (world) => {
        put(world, FOLDER + nameOf(0), warcs[0] as Buffer);
        for (const [name, captures] of [
          ['l', 'b12.AA=='],
          ['m', undefined],
        ] as const)
          put(
            world,
            `${FOLDER}${name}.warc.gz`,
            new Uint8Array(256 * 1024),
            captures === undefined ? {} : { Metadata: { captures } },
          );
        put(
          world,
          `${FOLDER}joined-a.cdxj`,
          Buffer.from(
            'test,site)/9 20260201000000 {"url": "x", "offset": "1", "length": "1", "filename": "joined-x.warc.gz"}\n',
          ),
        );
      },
      async run(world) {
        const pages = new CapturePages({ ...contextOf(world), mapping: contextOf(world) });
        const found = await pages.page(CRAWL, askedFor());
        return [found.captures.map(({ url, timestamp }) => [url, timestamp]), found.damaged, found.next];
      },
      isCompressed: true,
      isConcurrent: true,
    }),
  ],
  openGolden('calls-of-captures.txt', import.meta.url),
);
