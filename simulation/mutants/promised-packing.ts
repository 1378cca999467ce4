/**
 * Mutants of what a stack promises of its workers (decisions 0029, 0043 and 0048): they follow the hosts, are no more than
 * allowed, and whatever is lost of their starts only makes them too few or too many for a while. Hosts themselves are
 * protected by SQS and by the head's version, so worlds hardly notice: each mutant names the tests that must.
 */
import type { PromiseMutant } from './promise-mutant.ts';

const GROW = 'the number of workers follows the hosts, up to the most that are allowed';
const START = 'hosts that wait have a worker, whatever is lost';
const SMALL = 'few hosts are served by a small worker, more by one of full size';
const LARGE_PAGES = 'a page that a small worker cannot read is read by one of full size';

const SHARES = 'a small crawl waits for no broad one, which loses no place by that';

const FAIR = 'shared/engines/aws/queues/fair-turn-queue.ts';
const OF_SHARES = ['simulation/test/worlds/shares.test.ts'];
const OF_FAIR = ['test/engines/aws/queues/fair-turn-queue.test.ts'];
const WORKER = 'functions/pool-worker.ts';
const PLAN = 'shared/crawler/worker/pool-plan.ts';
const LOAD = 'shared/crawler/worker/small-worker.ts';
const POOL = 'shared/engines/aws/workers/worker-pool.ts';
const STARTS = 'functions/start-workers.ts';

const OF_WORKER = ['test/functions/pool-worker.test.ts', 'test/functions/small-worker.test.ts'];
const OF_PLAN = ['test/crawler/worker/pool-plan.test.ts'];
const OF_LOAD = ['test/crawler/worker/small-worker.test.ts'];
const OF_POOL = ['test/engines/aws/worker-pool.test.ts'];
const OF_STARTS = ['test/functions/start-workers.test.ts', 'test/functions/waker.test.ts'];

export const PACKING_MUTANTS: readonly PromiseMutant[] = [
  {
    promise: SHARES,
    what: 'no host is moved to the backlog',
    file: FAIR,
    edits: [['const MAX_MOVES = 300;', 'const MAX_MOVES = 0;']],
    tests: OF_SHARES,
  },
  {
    promise: SHARES,
    what: 'the turn queue keeps no stock',
    file: FAIR,
    edits: [['this.#bringBack(missing + 2 * received)', 'this.#bringBack(missing)']],
    tests: OF_FAIR,
  },
  {
    promise: SHARES,
    what: 'no host comes back from the backlog while others fill the turn queue',
    file: FAIR,
    edits: [['const RECEIVED_FOR_ONE = 4;', 'const RECEIVED_FOR_ONE = 1e9;']],
    tests: OF_FAIR,
  },
  {
    promise: SHARES,
    what: 'a host whose token is in the backlog comes back for nothing',
    file: FAIR,
    edits: [
      ['isReleased ? turns.release(received, ms) : turns.park(received, ms)', 'turns.park(received, ms)'],
    ],
    tests: OF_FAIR,
  },
  {
    promise: GROW,
    what: 'a worker joins a pool that has as many as it needs',
    file: WORKER,
    edits: [['if (activeMembers(others).length >= workers) return false;', '']],
    tests: OF_WORKER,
  },
  {
    promise: GROW,
    what: 'a worker that stood for itself since its start counts as another one',
    file: WORKER,
    edits: [['.filter(({ id }) => inPlaceOf === undefined || id < inPlaceOf)', '']],
    tests: OF_WORKER,
  },
  {
    promise: GROW,
    what: 'a small worker that ends does not count among those that may run',
    file: WORKER,
    edits: [['length + endingSmall >= pool.maxWorkers', 'length >= pool.maxWorkers']],
    tests: OF_WORKER,
  },
  {
    promise: GROW,
    what: 'a pool grows although its workers are not full',
    file: PLAN,
    edits: [
      [
        'return isFirst(id, active) && hostsOf(active) >=',
        'return isFirst(id, active) || hostsOf(active) >=',
      ],
    ],
    tests: OF_PLAN,
  },
  {
    promise: GROW,
    what: 'a pool grows to what is needed at once',
    file: PLAN,
    edits: [['Math.min(needed, Math.ceil(active.length / 2))', 'needed']],
    tests: OF_PLAN,
  },
  {
    promise: GROW,
    what: 'a worker that the others have room for stays',
    file: PLAN,
    edits: [
      ['return others.length > 0 && hostsOf(members) <= SPARE_SHARE * roomOf(others);', 'return false;'],
    ],
    tests: OF_PLAN,
  },
  {
    promise: GROW,
    what: 'a dead worker counts as alive',
    file: POOL,
    edits: [['aliveMs >= 0 && aliveMs <= MAX_ALIVE_MS &&', 'aliveMs <= MAX_ALIVE_MS &&']],
    tests: OF_POOL,
  },
  {
    promise: START,
    what: 'a worker whose time is up starts no successor',
    file: WORKER,
    edits: [['if (!needsSuccessor(this.#id, members)) return;', 'return;']],
    tests: OF_WORKER,
  },
  {
    promise: START,
    what: 'nobody is started for hosts that were parked',
    file: WORKER,
    edits: [['await this.#attempt(() => this.#startForParked());', '']],
    tests: OF_WORKER,
  },
  {
    promise: START,
    what: 'a worker that ends at its last moment does not look whether another one is there',
    file: WORKER,
    edits: [['await this.#attempt(() => this.#startNext());', '']],
    tests: OF_WORKER,
  },
  {
    promise: START,
    what: 'an idle worker shows itself until it has ended, so that nobody starts another one',
    file: WORKER,
    edits: [['await this.#attempt(() => pool.hide(queue, this.#id));', '']],
    tests: OF_WORKER,
  },
  {
    promise: START,
    what: 'a failing pool ends its worker',
    file: WORKER,
    edits: [
      [
        "this.#options.log('warn', { pool: 'cannot be read or changed', ...errorFields(error) });",
        'throw error;',
      ],
    ],
    tests: OF_WORKER,
  },
  {
    promise: START,
    what: 'messages to other turn queues start no worker there',
    file: WORKER,
    edits: [['for (const queue of queues) await this.#attempt(() => this.#options.pool.ensure(queue));', '']],
    tests: OF_WORKER,
  },
  {
    promise: START,
    what: 'the waker starts no worker for messages that wait',
    file: POOL,
    edits: [['if (waiting > 0) await this.ensure(queue);', '']],
    tests: [...OF_POOL, ...OF_STARTS],
  },
  {
    promise: START,
    what: 'one turn queue whose worker cannot be started keeps the others from theirs',
    file: STARTS,
    edits: [["log('warn', { notStartedFor: queue, ...errorFields(error) });", 'throw error;']],
    tests: OF_STARTS,
  },
  {
    promise: SMALL,
    what: 'a full-size worker never makes room for a small one',
    file: LOAD,
    edits: [['return this.#isWhole && this.couldBe(small);', 'return false;']],
    tests: OF_LOAD,
  },
  {
    promise: SMALL,
    what: 'one quiet look is enough for a small worker',
    file: LOAD,
    edits: [['return this.#isWhole && this.couldBe(small);', 'return this.couldBe(small);']],
    tests: OF_LOAD,
  },
  {
    promise: SMALL,
    what: 'a small worker is started although its CPU would not do',
    file: LOAD,
    edits: [
      [
        'hosts <= fittingHosts(small) && this.#cpuShare() <= fittingCpuShare(small)',
        'hosts <= fittingHosts(small)',
      ],
    ],
    tests: OF_LOAD,
  },
  {
    promise: SMALL,
    what: 'a small worker whose CPU does not do stays',
    file: WORKER,
    edits: [['return isSmall ? this.#load.exceeds(small) :', 'return isSmall ? false :']],
    tests: OF_WORKER,
  },
  {
    promise: SMALL,
    what: 'a small worker stays beside full-size ones that have room for all',
    file: PLAN,
    edits: [['Number(!a.isSmall) - Number(!b.isSmall) ||', '']],
    tests: OF_PLAN,
  },
  {
    promise: SMALL,
    what: 'a small worker that cannot be started is not replaced by one of full size',
    file: WORKER,
    edits: [
      [
        "if (size === 'full' || !(await pool.startSmall(queue, workers))) await",
        "if (size === 'small') await pool.startSmall(queue, workers);\n    else await",
      ],
    ],
    tests: OF_WORKER,
  },
  {
    promise: SMALL,
    what: 'nothing stands for a small worker until it shows itself',
    file: POOL,
    edits: [['const STARTING_MS = 10_000;', 'const STARTING_MS = -1;']],
    tests: OF_POOL,
  },
  {
    promise: SMALL,
    what: 'what stands for a small worker stays when its start was refused',
    file: POOL,
    edits: [['    await this.hide(queue, inPlaceOf);\n    return false;', '    return false;']],
    tests: OF_POOL,
  },
  {
    promise: LARGE_PAGES,
    what: 'a worker that is too small for a page starts a small one again',
    file: WORKER,
    edits: [
      ["this.#startNextOf(await this.#others(), 'full')", "this.#startNextOf(await this.#others(), 'small')"],
    ],
    tests: OF_WORKER,
  },
  {
    promise: LARGE_PAGES,
    what: 'a small worker that died does not keep the pool from the next one',
    file: POOL,
    edits: [['if (hasBegun && aliveMs < 0 && aliveMs >= -LOST_MS) return true;', '']],
    tests: OF_POOL,
  },
  {
    promise: LARGE_PAGES,
    what: 'a start of a small worker that was lost counts as its death',
    file: POOL,
    edits: [['isSmall && !isEnding && !id.startsWith(STARTING)', 'isSmall && !isEnding']],
    tests: OF_POOL,
  },
];
