/** Crawls by the real program on a disk that fails: a few worlds of `npm run faults`. */
import { expect, test } from 'vitest';
import { type Outcome, runCampaign } from './campaign.ts';
import { buildFaultDisk } from './fault-disk.ts';
import { worldText } from './strikes.ts';

const built = buildFaultDisk();
if ('reason' in built) process.stdout.write(`SKIPPED: crawls on a failing disk: ${built.reason}\n`);

/** There are nine worlds in a campaign, and mostly all are struck. */
const LEAST_STRUCK = 5;
const MOST_CAMPAIGNS = 4;

test.skipIf('reason' in built)(
  'a crawl that is killed, loses power or meets a failing disk continues and loses nothing',
  async () => {
    const { library } = built as { library: string };
    const outcomes: Outcome[] = [];
    const campaign = { scenarios: ['pages'], kinds: ['kill', 'power', 'fail'], points: 3 } as const;
    const struck = () => outcomes.filter((outcome) => outcome.struck).length;
    // On a busy machine a call may come in another order than in the crawl that was recorded, and is not struck then.
    for (let seed = 1; seed <= MOST_CAMPAIGNS && struck() < LEAST_STRUCK; seed++)
      await runCampaign({ ...campaign, seed, jobs: 2, library }, (outcome) => outcomes.push(outcome));
    const broken = outcomes.filter(({ violations }) => violations.length > 0);
    expect(broken.map(({ spec, violations }) => [worldText(spec), ...violations])).toEqual([]);
    expect(struck()).toBeGreaterThanOrEqual(LEAST_STRUCK);
  },
  900_000,
);
