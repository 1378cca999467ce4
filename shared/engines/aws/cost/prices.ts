/**
 * List prices of what a crawl uses on AWS: the one table. No free tier, no savings plans, no volume tiers.
 */

/**
 * The line items that are billed by unit, each counted in its own:
 *
 * - `sqsFifoRequests`, `sqsStandardRequests`: requests, of which each begun 64 KB of a payload is one; a
 *   receive that finds nothing is one, too.
 * - `dynamoWriteUnits`: 1 KB written to a table or an index. `dynamoReadUnits`: 4 KB read consistently, or 8
 *   KB not.
 * - `s3Puts`: PUT, COPY, POST and LIST, a part of an upload. `s3Gets`: GET, HEAD and the rest. Deletes are
 *   free.
 * - `lambdaRequests`: invocations. `lambdaMbMs`: milliseconds, times the function's MB of memory; arm64.
 * - `dataOutBytes`: what is sent to the web, by {@link dataOutBytes}. What comes in is free.
 *
 * Not here: what is stored (S3, DynamoDB), logs, metrics, API Gateway, and the receives by which Lambda's
 * pollers check empty queues.
 */
export const LINE_ITEMS = [
  'sqsFifoRequests',
  'sqsStandardRequests',
  'dynamoWriteUnits',
  'dynamoReadUnits',
  's3Puts',
  's3Gets',
  'lambdaRequests',
  'lambdaMbMs',
  'dataOutBytes',
] as const;

export type LineItem = (typeof LINE_ITEMS)[number];

/** How many units of each were used. */
export type Usage = Readonly<Partial<Record<LineItem, number>>>;

/** US dollars for one unit of each. */
export type UnitPrices = Readonly<Record<LineItem, number>>;

export interface Prices {
  readonly region: string;
  /**
   * Whether the figures are that region's own. Otherwise they are those of us-east-1; other regions often
   * cost more.
   */
  readonly isExact: boolean;
  /** The month in which they were last checked. */
  readonly asOf: string;
  readonly unitPrices: UnitPrices;
}

/**
 * Sent for a request whose bytes were not counted: its head of some 300 bytes, the handshake of TLS (1,700 bytes
 * measured with Node 24, of which 1,200 are the key share that withstands quantum computers), and {@link
 * PACKETS_PER_REQUEST}.
 */
const UNCOUNTED_REQUEST_BYTES = 2500;
/** The headers of TCP and IP (RFC 9293, RFC 791), with TCP's timestamps. */
const PACKET_HEADER_BYTES = 52;
/** Packets sent for a request: its own, and its share of those that open and close the connection. */
const PACKETS_PER_REQUEST = 4;
/** Bytes received for each acknowledgement: two packets. */
const BYTES_PER_ACKNOWLEDGEMENT = 2 * 1460;

/** The requests of a crawl, the bytes received, and the bytes `sent` for those requests of which it is known. */
export interface Exchanged {
  readonly requests: number;
  readonly bytes: number;
  readonly sent: Readonly<Record<'requests' | 'bytes', number>>;
}

/**
 * Returns the bytes that a crawl has sent to the web: those written to its connections, and an estimate of the headers
 * of packets and of acknowledgements.
 */
export function dataOutBytes({ requests, bytes, sent }: Exchanged): number {
  const packets = sent.requests * PACKETS_PER_REQUEST + bytes / BYTES_PER_ACKNOWLEDGEMENT;
  const uncounted = Math.max(0, requests - sent.requests) * UNCOUNTED_REQUEST_BYTES;
  return Math.round(sent.bytes + uncounted + packets * PACKET_HEADER_BYTES);
}

const MILLION = 1e6;
const THOUSAND = 1e3;
/** AWS bills data in GB of 10^9 bytes or 2^30 by service; the smaller one is more expensive. */
const GB = 1e9;
/** A GB-second of Lambda: 1,024 MB for 1,000 ms. */
const GB_SECOND = 1024 * 1000;

const AS_OF = '2026-11';

const US_EAST_1: UnitPrices = {
  // aws.amazon.com/sqs/pricing, according to cloudburn.io/blog/amazon-sqs-pricing, 2026-03, and
  // factualminds.com, 2026-06.
  sqsFifoRequests: 0.5 / MILLION,
  sqsStandardRequests: 0.4 / MILLION,
  // aws.amazon.com/dynamodb/pricing/on-demand, standard class, since 2024-11-01.
  dynamoWriteUnits: 0.625 / MILLION,
  dynamoReadUnits: 0.125 / MILLION,
  // aws.amazon.com/s3/pricing, Standard.
  s3Puts: 0.005 / THOUSAND,
  s3Gets: 0.0004 / THOUSAND,
  // aws.amazon.com/lambda/pricing, arm64, first tier.
  lambdaRequests: 0.2 / MILLION,
  lambdaMbMs: 0.0000133334 / GB_SECOND,
  // aws.amazon.com/ec2/pricing/on-demand, data transfer out to the internet, first 10 TB a month.
  dataOutBytes: 0.09 / GB,
};

/** Only regions of which all figures are known from a source: for others, see {@link Prices.isExact}. */
const BY_REGION: Readonly<Record<string, UnitPrices>> = { 'us-east-1': US_EAST_1 };

/** The region's list prices, or those of us-east-1 where the region's own are not known here. */
export function priceOf(region: string): Prices {
  const own = Object.hasOwn(BY_REGION, region) ? BY_REGION[region] : undefined;
  return { region, isExact: own !== undefined, asOf: AS_OF, unitPrices: own ?? US_EAST_1 };
}

export interface Cost {
  /** US dollars. */
  readonly total: number;
  readonly byItem: Readonly<Record<LineItem, number>>;
}

export function costOf(usage: Usage, { unitPrices }: Pick<Prices, 'unitPrices'>): Cost {
  const byItem = {} as Record<LineItem, number>;
  let total = 0;
  for (const item of LINE_ITEMS) {
    const cost = (usage[item] ?? 0) * unitPrices[item];
    byItem[item] = cost;
    total += cost;
  }
  return { total, byItem };
}
