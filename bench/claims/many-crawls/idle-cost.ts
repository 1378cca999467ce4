/** The cost of a stack without a crawl that runs, by the number of those that have ended. */
import { costOf, priceOf } from '../../../shared/engines/aws/cost/prices.ts';
import { fillStored } from '../../../simulation/worlds/fill-crawls.ts';
import { createAccount, type RunCpu } from './account.ts';
import { namesOf } from './running-hour.ts';

export interface IdleCost {
  readonly dollarsPerMonth: number;
  readonly parts: Readonly<Record<'waker' | 'compactor' | 'rest', number>>;
  readonly detail: string;
}

const MINUTE = 60_000;
const HOUR_MINUTES = 60;
const MONTH_HOURS = 730;
/** Four alarms of one metric each, beyond the free ones of an account. */
const ALARMS = 0.4;
/** Lambda's pollers receive from two queues, five at a time for 20 s each. */
const RECEIVES_A_MONTH = (2 * 5 * 3600 * MONTH_HOURS) / 20;
/** The exporter looks for exports once an hour: ASSUMED at 200 ms of 1,769 MB. */
const EXPORTER = { lambdaRequests: 1, lambdaMbMs: 200 * 1769, dynamoReadUnits: 1 };
/** A run that has found nothing to join makes no more of any call. */
const SOME_CALLS = 100;
/** After this number of runs the compactor has nothing left to join ... */
const MAX_SETTLING_RUNS = 8;
/** ... and after this number of minutes the waker has seen all crawls. */
const SETTLING_MINUTES = 30;

export async function measureIdleCost(stored: number): Promise<IdleCost> {
  const account = createAccount({ web: { hosts: 1, minPages: 1, maxPages: 1 } });
  const { cloud, deployment, operator } = account;
  const { time } = cloud;
  const prices = priceOf('us-east-1');
  deployment.disableRules();
  await account.drive(fillStored(operator, namesOf('ended', stored)));
  for (let run = 0, left = true; left && run < MAX_SETTLING_RUNS; run++) {
    const { byCall } = await account.run('compactor');
    left = Object.values(byCall).some((calls) => calls > SOME_CALLS);
    await time.advance(HOUR_MINUTES * MINUTE);
  }
  for (let minute = 0; minute < SETTLING_MINUTES; minute++) {
    await account.run('waker');
    await time.advance(MINUTE);
  }
  const cost = () => costOf(account.takeUsage(), prices).total * MONTH_HOURS;
  cost();
  const began = time.now();
  const runs: RunCpu[] = [];
  for (let minute = 0; minute < HOUR_MINUTES; minute++) {
    await time.run(began + minute * MINUTE);
    runs.push(await account.run('waker'));
  }
  const waker = cost();
  const compaction = await account.run('compactor');
  const compactor = cost();
  const exporter = costOf(EXPORTER, prices).total * MONTH_HOURS;
  const rest = ALARMS + RECEIVES_A_MONTH * prices.unitPrices.sqsStandardRequests + exporter;
  const { waker: wakers, compactor: compactors } = deployment.functions;
  return {
    dollarsPerMonth: waker + compactor + rest,
    parts: { waker, compactor, rest },
    detail: [
      `at rest: waker $${waker.toFixed(3)}, compactor $${compactor.toFixed(3)}, the rest $${rest.toFixed(3)} a month`,
      `the last run of the compactor: ${JSON.stringify(compaction.byCall)}, ${compaction.seconds.toFixed(1)} s of CPU`,
      `runs that timed out: waker ${wakers.counts.timeouts} of ${wakers.counts.invocations}, compactor ${compactors.counts.timeouts} of ${compactors.counts.invocations}`,
      `the longest run of the waker: ${Math.max(...runs.map(({ seconds }) => seconds)).toFixed(2)} s of CPU`,
    ].join('\n'),
  };
}
