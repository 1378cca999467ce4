import type { Latency } from './client.ts';

/**
 * Medians in ms, of calls made within a region. AWS promises "single-digit millisecond" for DynamoDB and
 * names "tens of milliseconds" for S3 and SQS (developer guides; S3 performance guidelines: "100-200 ms" for
 * first bytes of small objects at most).
 */
const MEDIAN_MS = { sqs: 8, dynamo: 4, s3: 30 } as const;

/** Most calls take about the median, one in a hundred ten times that. */
export const awsLatency: Latency = (random, service) => {
  const median = MEDIAN_MS[service];
  return median * (random() < 0.01 ? 10 : 0.6 + random());
};
