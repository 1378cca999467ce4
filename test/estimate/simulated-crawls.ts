/**
 * The meter of whole simulated crawls with the default options of a stack, but 200 hosts a worker: hosts of log-uniform sizes, 120, 250 and
 * 600 ms to answer, pages of 6 kB. From `runWorld` of `simulation/capacity/`, until no page was left.
 */
import type { Usage } from '../../shared/engines/aws/cost/prices.ts';

export interface SimulatedCrawl {
  readonly hosts: number;
  readonly delayMs: number;
  readonly pages: number;
  /** Until the last page. */
  readonly hours: number;
  readonly usage: Usage;
}

export const SIMULATED_CRAWLS: readonly SimulatedCrawl[] = [
  {
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
];
