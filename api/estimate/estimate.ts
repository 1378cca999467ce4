/** All that `strand estimate` says about a crawl, for one machine and for a stack. */
import { costOf, type LineItem, priceOf } from '../../shared/engines/aws/cost/prices.ts';
import { hostSizes } from './crawl-flow.ts';
import {
  archiveBytesOf,
  type Course,
  type CrawlShape,
  courseOnMachine,
  courseOnStack,
  type StackShape,
} from './estimate-crawl.ts';
import { usageOnStack } from './stack-cost.ts';

export interface Estimate {
  readonly shape: CrawlShape;
  /** Pages of the largest host, and of the one in the middle. */
  readonly largestHost: number;
  readonly middleHost: number;
  readonly machine: Course;
  readonly stack: Course & {
    /** US dollars at the list prices of us-east-1, by line item; `total` is their sum. */
    readonly dollars: Readonly<Record<LineItem, number>> & Unmetered & { readonly total: number };
    readonly dollarsPerMillion: number;
    /** Dollars a month for the archive and the tables. */
    readonly storageMonth: number;
    /** Dollars to download the archive once, with `aws s3 sync` or as a WACZ. */
    readonly download: number;
  };
  /** Bytes of the archive, and of the crawl's state. */
  readonly archiveBytes: number;
  readonly stateBytes: number;
}

/** Not in the meter, and so not in `maxCost`. */
interface Unmetered {
  /** CloudWatch's log lines and metrics. */
  readonly logs: number;
  /** Requests to the API, and their Lambda time. */
  readonly api: number;
}

/** Known URLs, links left out, and links found on a page: 2,217 pages of the Rust documentation. */
const STATE_BYTES = 3000;

const GB = 1e9;
/** List prices of us-east-1, 2026-11: S3 Standard and DynamoDB a GB and month, and data out to the internet a GB. */
const S3_GB_MONTH = 0.023;
const TABLE_GB_MONTH = 0.25;
const OUT_GB = 0.09;
/** CloudWatch: a GB of log lines, and a metric for each hour in which it has values. */
const LOG_GB = 0.5;
const METRIC_HOUR = 0.3 / 730;
/** Metrics of a crawl: those of `METRIC_UNITS`, and errors by two reasons. */
const METRICS = 10;
const INVOCATION_LOG_BYTES = 500;
const WORKER_LOG_BYTES_PER_SECOND = 20;
/** A request of the API each 10 s, as `watch` makes them: API Gateway's price, and 50 ms of 1 GB. */
const API_REQUEST = 3.5e-6 + 7e-7;
const API_REQUESTS_PER_HOUR = 360;

export function estimateCrawl(shape: CrawlShape, stack: StackShape): Estimate {
  const onStack = courseOnStack(shape, stack);
  const usage = usageOnStack(onStack, shape, stack);
  const { byItem, total } = costOf(usage, priceOf('us-east-1'));
  const logBytes =
    (usage.lambdaRequests ?? 0) * INVOCATION_LOG_BYTES + onStack.workerSeconds * WORKER_LOG_BYTES_PER_SECOND;
  const logs = (logBytes / GB) * LOG_GB + onStack.hours * METRICS * METRIC_HOUR;
  const api = onStack.hours * API_REQUESTS_PER_HOUR * API_REQUEST;
  const archiveBytes = archiveBytesOf(shape);
  const stateBytes = shape.pages * STATE_BYTES;
  const all = total + logs + api;
  const sizes = hostSizes(shape.pages, shape.hosts, shape.spread);
  return {
    shape,
    largestHost: Math.round(sizes.at(-1)?.pages ?? 0),
    middleHost: Math.round(sizes[Math.floor(sizes.length / 2)]?.pages ?? 0),
    machine: courseOnMachine(shape),
    stack: {
      ...onStack,
      dollars: { ...byItem, logs, api, total: all },
      dollarsPerMillion: (all / shape.pages) * 1e6,
      storageMonth: (archiveBytes / GB) * S3_GB_MONTH + (stateBytes / GB) * TABLE_GB_MONTH,
      download: (archiveBytes / GB) * OUT_GB,
    },
    archiveBytes,
    stateBytes,
  };
}
