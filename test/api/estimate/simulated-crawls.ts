/**
 * The meter of whole simulated crawls with the default options of a stack, whose workers take turns of two minutes: hosts of
 * log-uniform sizes, 120, 250 and 600 ms to answer, pages of 6 kB, 40 links of a page to its host and 4 to others. The first is
 * `npm run bench -- cost --hosts 50 --whole`, the second the same of 200; in the others the largest host has fewer pages.
 */
import type { CrawlShape } from '../../../api/estimate/estimate-crawl.ts';
import type { Usage } from '../../../shared/engines/aws/cost/prices.ts';

export interface SimulatedCrawl extends Partial<Pick<CrawlShape, 'pageBytes' | 'spread' | 'responseMs'>> {
  readonly hosts: number;
  readonly delayMs: number;
  readonly pages: number;
  /** Until the last page. */
  readonly hours: number;
  readonly usage: Usage;
  /**
   * No constant of the estimate comes from it: three hosts of 5,000 pages and more; large pages; a web of few links (5 to the own
   * host, 1 to others), whose hosts have 20 to 300 pages.
   */
  readonly isHeldOut?: true;
}

export const SIMULATED_CRAWLS: readonly SimulatedCrawl[] = [
  {
    hosts: 50,
    delayMs: 1000,
    pages: 59682,
    hours: 9.48,
    usage: {
      dynamoReadUnits: 90041,
      sqsFifoRequests: 51573,
      sqsStandardRequests: 4400,
      lambdaRequests: 1971,
      lambdaMbMs: 17633922640,
      dynamoWriteUnits: 32220,
      s3Gets: 3293,
      s3Puts: 2126,
      dataOutBytes: 27263823,
    },
  },
  {
    hosts: 200,
    delayMs: 1000,
    pages: 187244,
    hours: 10.14,
    usage: {
      dynamoReadUnits: 228841,
      s3Gets: 11257,
      sqsFifoRequests: 93907,
      dynamoWriteUnits: 72068,
      s3Puts: 4981,
      sqsStandardRequests: 8504,
      lambdaRequests: 3006,
      lambdaMbMs: 21478867200,
      dataOutBytes: 85014551,
    },
  },
  {
    hosts: 50,
    delayMs: 1000,
    pages: 7709,
    hours: 0.95,
    usage: {
      dynamoReadUnits: 9546,
      s3Gets: 78,
      sqsFifoRequests: 5635,
      dynamoWriteUnits: 3575,
      s3Puts: 240,
      sqsStandardRequests: 569,
      lambdaRequests: 234,
      lambdaMbMs: 1885065728,
      dataOutBytes: 3581602,
    },
  },
  {
    hosts: 200,
    delayMs: 1000,
    pages: 25595,
    hours: 1.03,
    usage: {
      dynamoReadUnits: 27339,
      s3Gets: 181,
      sqsFifoRequests: 12316,
      sqsStandardRequests: 1162,
      dynamoWriteUnits: 8531,
      lambdaRequests: 362,
      lambdaMbMs: 2293642496,
      s3Puts: 611,
      dataOutBytes: 11811148,
    },
  },
  {
    hosts: 1000,
    delayMs: 1000,
    pages: 138073,
    hours: 1.05,
    usage: {
      dynamoReadUnits: 130981,
      s3Gets: 1216,
      sqsFifoRequests: 48858,
      dynamoWriteUnits: 37988,
      s3Puts: 2323,
      sqsStandardRequests: 3236,
      lambdaRequests: 597,
      lambdaMbMs: 4017192960,
      dataOutBytes: 66069246,
    },
  },
  {
    hosts: 50,
    delayMs: 5000,
    pages: 7709,
    hours: 1.47,
    usage: {
      dynamoReadUnits: 13855,
      sqsFifoRequests: 8575,
      dynamoWriteUnits: 5493,
      s3Puts: 394,
      sqsStandardRequests: 835,
      lambdaRequests: 331,
      lambdaMbMs: 2874914304,
      s3Gets: 149,
      dataOutBytes: 3772620,
    },
  },
  {
    hosts: 200,
    delayMs: 5000,
    pages: 25595,
    hours: 1.54,
    usage: {
      dynamoReadUnits: 35269,
      s3Gets: 505,
      sqsFifoRequests: 16208,
      sqsStandardRequests: 1660,
      dynamoWriteUnits: 13725,
      lambdaRequests: 512,
      lambdaMbMs: 3970507776,
      s3Puts: 933,
      dataOutBytes: 12223167,
    },
  },
  {
    isHeldOut: true,
    spread: 'even',
    responseMs: [120],
    hosts: 3,
    delayMs: 1000,
    pages: 16913,
    hours: 2.07,
    usage: {
      dynamoReadUnits: 9457,
      s3Gets: 269,
      dynamoWriteUnits: 5119,
      s3Puts: 225,
      sqsStandardRequests: 344,
      sqsFifoRequests: 8018,
      lambdaRequests: 231,
      lambdaMbMs: 3894323968,
      dataOutBytes: 7192894,
    },
  },
  {
    isHeldOut: true,
    hosts: 50,
    delayMs: 1000,
    pages: 7709,
    pageBytes: 60000,
    hours: 0.98,
    usage: {
      dynamoReadUnits: 10117,
      s3Gets: 95,
      sqsFifoRequests: 5952,
      dynamoWriteUnits: 3664,
      s3Puts: 262,
      sqsStandardRequests: 605,
      lambdaRequests: 240,
      lambdaMbMs: 1993912576,
      dataOutBytes: 11006814,
    },
  },
  {
    isHeldOut: true,
    hosts: 100,
    delayMs: 1000,
    pages: 5219,
    hours: 0.31,
    usage: {
      dynamoReadUnits: 4106,
      sqsFifoRequests: 2403,
      s3Gets: 4,
      dynamoWriteUnits: 2334,
      s3Puts: 165,
      sqsStandardRequests: 353,
      lambdaRequests: 110,
      lambdaMbMs: 755161600,
      dataOutBytes: 2561909,
    },
  },
];
