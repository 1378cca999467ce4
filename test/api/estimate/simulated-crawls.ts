/**
 * The meter of whole simulated crawls with the default options of a stack: hosts of log-uniform sizes, 120, 250 and 600 ms to
 * answer, pages of 6 kB. From `npm run bench -- cost --whole`, and earlier ones, with {@link EARLIER} options, by the same
 * simulation.
 */
import type { Usage } from '../../../shared/engines/aws/cost/prices.ts';
import type { STACK_POOL_DEFAULTS } from '../../../shared/engines/aws/settings.ts';

export interface SimulatedCrawl {
  readonly hosts: number;
  readonly delayMs: number;
  readonly pages: number;
  /** Until the last page. */
  readonly hours: number;
  readonly usage: Usage;
  /** Other options than the default ones. */
  readonly stack?: Partial<typeof STACK_POOL_DEFAULTS>;
}

/** Before 2026-11-26: without a small worker, and with smaller workers. */
const EARLIER = { hostsPerWorker: 200, smallWorkerMemoryMb: 0 };

export const SIMULATED_CRAWLS: readonly SimulatedCrawl[] = [
  {
    hosts: 50,
    delayMs: 1000,
    pages: 59682,
    hours: 9.34,
    usage: {
      dynamoReadUnits: 101072,
      sqsFifoRequests: 52932,
      sqsStandardRequests: 4807,
      lambdaRequests: 2197,
      lambdaMbMs: 17888015872,
      dynamoWriteUnits: 30544,
      s3Gets: 3329,
      s3Puts: 2093,
      dataOutBytes: 27282523,
    },
  },
  {
    hosts: 200,
    delayMs: 1000,
    pages: 187244,
    hours: 10.3,
    usage: {
      dynamoReadUnits: 264144,
      s3Gets: 11284,
      sqsFifoRequests: 105465,
      s3Puts: 5034,
      sqsStandardRequests: 10020,
      dynamoWriteUnits: 70505,
      lambdaRequests: 3783,
      lambdaMbMs: 22307237120,
      dataOutBytes: 85062151,
    },
  },
  {
    stack: EARLIER,
    hosts: 50,
    delayMs: 1000,
    pages: 14167,
    hours: 1.9,
    usage: {
      dynamoReadUnits: 21710,
      s3Gets: 278,
      sqsFifoRequests: 11935,
      s3Puts: 478,
      sqsStandardRequests: 1244,
      dynamoWriteUnits: 6368,
      lambdaRequests: 539,
      lambdaMbMs: 8.87e9,
      dataOutBytes: 6466958,
    },
  },
  {
    stack: EARLIER,
    hosts: 50,
    delayMs: 5000,
    pages: 4947,
    hours: 0.88,
    usage: {
      dynamoReadUnits: 10141,
      s3Gets: 33,
      sqsFifoRequests: 5824,
      s3Puts: 251,
      sqsStandardRequests: 660,
      dynamoWriteUnits: 3158,
      lambdaRequests: 271,
      lambdaMbMs: 4.13e9,
      dataOutBytes: 2430613,
    },
  },
  {
    stack: EARLIER,
    hosts: 200,
    delayMs: 1000,
    pages: 46169,
    hours: 2.06,
    usage: {
      dynamoReadUnits: 59892,
      sqsFifoRequests: 26360,
      s3Gets: 796,
      s3Puts: 1168,
      sqsStandardRequests: 2534,
      dynamoWriteUnits: 15482,
      lambdaRequests: 895,
      lambdaMbMs: 9.78e9,
      dataOutBytes: 21075393,
    },
  },
  {
    stack: EARLIER,
    hosts: 200,
    delayMs: 5000,
    pages: 16662,
    hours: 0.92,
    usage: {
      dynamoReadUnits: 26715,
      sqsFifoRequests: 12556,
      s3Puts: 582,
      sqsStandardRequests: 1338,
      dynamoWriteUnits: 7947,
      lambdaRequests: 453,
      lambdaMbMs: 4.32e9,
      s3Gets: 106,
      dataOutBytes: 7927602,
    },
  },
  {
    stack: EARLIER,
    hosts: 1000,
    delayMs: 1000,
    pages: 76750,
    hours: 0.57,
    usage: {
      dynamoReadUnits: 97088,
      sqsFifoRequests: 38701,
      s3Puts: 1440,
      sqsStandardRequests: 2553,
      dynamoWriteUnits: 20970,
      lambdaRequests: 570,
      lambdaMbMs: 3.83e9,
      s3Gets: 198,
      dataOutBytes: 38825479,
    },
  },
  {
    stack: EARLIER,
    hosts: 1000,
    delayMs: 5000,
    pages: 50100,
    hours: 0.48,
    usage: {
      dynamoReadUnits: 78602,
      sqsFifoRequests: 33042,
      s3Puts: 1382,
      dynamoWriteUnits: 20921,
      sqsStandardRequests: 2539,
      lambdaRequests: 533,
      lambdaMbMs: 3.74e9,
      s3Gets: 42,
      dataOutBytes: 27782481,
    },
  },
  {
    stack: { smallWorkerMemoryMb: 0 },
    hosts: 200,
    delayMs: 1000,
    pages: 187244,
    hours: 10.1,
    usage: {
      dynamoReadUnits: 260131,
      sqsFifoRequests: 105232,
      s3Gets: 10253,
      s3Puts: 4923,
      dynamoWriteUnits: 67921,
      sqsStandardRequests: 10130,
      lambdaRequests: 3681,
      lambdaMbMs: 47975879680,
      dataOutBytes: 84528351,
    },
  },
];
