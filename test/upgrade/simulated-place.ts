import { SIZES } from '../../shared/core/base/sizes.ts';
import { warcKey } from '../../shared/engines/aws/archive/archive.ts';
import { warcFolder } from '../../shared/engines/aws/archive/archives.ts';
import { timesOf } from '../../shared/engines/aws/settings.ts';
import { createSimCloud } from '../../simulation/models/cloud.ts';
import { drive } from '../../simulation/models/virtual-time.ts';
import { createScriptedWeb } from '../../simulation/test/worlds/scripted-web.ts';
import type { RollbackPlace } from './rollback.ts';
import { SITE } from './site.ts';

const MINUTE = 60_000;
/** Small, so that ledgers have segments, runs and parts in S3 after a few pages. */
const sizes = { ...SIZES, maxSegments: 2, maxSegmentRecords: 4, maxFreshRecords: 6, maxRowBytes: 100 };

/** The outcome of `act` in an account of its own, on virtual time. */
export function inSimulation<T>(act: (place: RollbackPlace) => Promise<T>): Promise<T> {
  const cloud = createSimCloud({ seed: 1, sizes });
  const { time, settings, s3 } = cloud;
  const web = createScriptedWeb(time, SITE);
  const operator = cloud.begin('operator');
  const { visibilityMs } = timesOf(settings);
  const place: RollbackPlace = {
    engine: cloud.open(operator).engine,
    requested: () => web.requests.map(({ url }) => url),
    optionsOf(version) {
      const process = cloud.begin(version);
      return {
        clients: cloud.clientsOf(process),
        names: { ...settings, backlogQueueUrls: [] },
        clock: process.clock,
        fetcher: web.fetcherOf(process),
        visibilityMs,
        sizes,
      };
    },
    async until(isSo) {
      const end = time.now() + 60 * MINUTE;
      while (!isSo()) {
        if (time.now() > end)
          throw new Error(
            'Expected it within an hour' +
              JSON.stringify([web.requests.length, web.requests.slice(-30), operator.clock.now()]),
          );
        await time.sleep(1000);
      }
    },
    async readRecord(crawl, { file, offset, length }) {
      const key = warcKey(warcFolder(crawl), file);
      for (const [name, { bytes }] of s3.objects(settings.bucket))
        if (name === key) return new Uint8Array(bytes.subarray(offset, offset + length));
      throw new Error(`Expected an object ${key}`);
    },
  };
  return drive(time, act(place));
}
