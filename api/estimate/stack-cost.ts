/** The use of billed services by a crawl on a stack, from its course. */
import { dataOutBytes, type LineItem, type Usage } from '../../shared/engines/aws/cost/prices.ts';
import type { Course, CrawlShape, StackShape } from './estimate-crawl.ts';

type Counted = Exclude<LineItem, 'lambdaMbMs' | 'dataOutBytes'>;

/**
 * Units for each turn, each second of a worker and each page. Fitted to the meter of whole simulated crawls: 50, 200
 * and 1,000 hosts with pauses of 1 and 5 s (`test/api/estimate/estimate.test.ts` has what they used).
 */
const UNITS: Readonly<Record<Counted, readonly [turn: number, workerSecond: number, page: number]>> = {
  sqsFifoRequests: [3.54, 0.929, 0.27],
  sqsStandardRequests: [0.348, 0.148, 0.0104],
  dynamoWriteUnits: [2.86, 0.479, 0.115],
  dynamoReadUnits: [7.21, 0.938, 0.826],
  s3Puts: [0.182, 0.0426, 0.00828],
  s3Gets: [0, 0.0131, 0.00541],
  lambdaRequests: [0.0413, 0.0793, 0.00245],
};
/** The time of all functions by that of the workers. */
const ALL_FUNCTIONS = 1.01;
/** Bytes written for a request to a host with TLS, whose connection stays open. */
const REQUEST_BYTES = 350;

/** Returns the units of each line item that the meter of a stack would count. */
export function usageOnStack(course: Course, shape: CrawlShape, stack: StackShape): Usage {
  const units = (of: readonly [number, number, number]) =>
    of[0] * course.turns + of[1] * course.workerSeconds + of[2] * shape.pages;
  const requests = shape.pages + shape.hosts;
  const bytes = shape.pages * shape.pageBytes;
  const { workerSeconds, smallWorkerSeconds } = course;
  const mbSeconds =
    (workerSeconds - smallWorkerSeconds) * stack.workerMemoryMb +
    smallWorkerSeconds * stack.smallWorkerMemoryMb;
  return {
    ...Object.fromEntries(Object.entries(UNITS).map(([item, of]) => [item, units(of)])),
    lambdaMbMs: 1000 * mbSeconds * ALL_FUNCTIONS,
    dataOutBytes: dataOutBytes({ requests, bytes, sent: { requests, bytes: requests * REQUEST_BYTES } }),
  };
}
