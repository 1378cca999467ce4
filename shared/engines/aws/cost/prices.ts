/**
 * List prices of what a crawl uses on AWS: those of us-east-1, and what other regions add. No free tier, no savings plans, no volume tiers.
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
 * - `lambdaRequests`: invocations. `lambdaMbMs`: milliseconds, times the function's MB of memory; arm64. Time of the
 *   function that renders pages counts 1.25 times, as x86_64 costs.
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
type UnitPrices = Readonly<Record<LineItem, number>>;

export interface Prices {
  readonly region: string;
  /** Whether all figures are that region's own. Otherwise some are estimated from those of us-east-1 ({@link FACTORS}). */
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

// ---- other regions. A price that was found in a source is used as it is. For the rest a factor stands, which is that of the dearest
// region of its kind that is known, so that a limit of money stops a crawl early rather than late.

/** US dollars for a unit, as a source has them. No price is lower than in us-east-1. */
const KNOWN: Readonly<Record<string, Partial<UnitPrices>>> = {
  // AWS price list, offers AmazonS3 of 2026-09-26 and AWSDataTransfer of 2026-09-16, as public repositories quote them.
  'sa-east-1': { s3Puts: 0.007 / 1e3, s3Gets: 0.0056 / 1e4, dataOutBytes: 0.15 / 1e9 },
  // chengqing.dev/en/2020/01/23/aws-data-transfer.
  'ap-southeast-2': { dataOutBytes: 0.114 / 1e9 },
};

type Factors = Readonly<Record<'sqs' | 'dynamo' | 's3' | 'lambda' | 'dataOut', number>>;

/** The three large regions of the United States have one list. */
const SAME: Factors = { sqs: 1, dynamo: 1, s3: 1, lambda: 1, dataOut: 1 };
/** North America and Europe: DynamoDB and S3 cost up to a quarter and a tenth more. */
const NEAR: Factors = { sqs: 1.1, dynamo: 1.25, s3: 1.1, lambda: 1, dataOut: 1 };
/** Older regions elsewhere: up to those of Sao Paulo. */
const FAR: Factors = { sqs: 1.5, dynamo: 1.5, s3: 1.4, lambda: 1, dataOut: 1.67 };
/** Regions that an account has to opt in to, and those that are not named here. Lambda costs more in some of them. */
const OTHER: Factors = { sqs: 1.7, dynamo: 1.7, s3: 1.7, lambda: 1.4, dataOut: 1.75 };

const FACTORS: ReadonlyMap<string, Factors> = new Map([
  ...['us-east-2', 'us-west-2'].map((region) => [region, SAME] as const),
  ...[
    ...['us-west-1', 'ca-central-1'],
    ...['eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-central-1', 'eu-north-1'],
  ].map((region) => [region, NEAR] as const),
  ...[
    ...['ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3'],
    ...['ap-southeast-1', 'ap-southeast-2', 'ap-south-1', 'sa-east-1'],
  ].map((region) => [region, FAR] as const),
]);

const KIND_OF: Readonly<Record<LineItem, keyof Factors>> = {
  sqsFifoRequests: 'sqs',
  sqsStandardRequests: 'sqs',
  dynamoWriteUnits: 'dynamo',
  dynamoReadUnits: 'dynamo',
  s3Puts: 's3',
  s3Gets: 's3',
  lambdaRequests: 'lambda',
  lambdaMbMs: 'lambda',
  dataOutBytes: 'dataOut',
};

/** The region's list prices. Unknown prices are estimated too high, and {@link Prices.isExact} is false. */
export function priceOf(region: string): Prices {
  const isExact = region === 'us-east-1';
  return { region, isExact, asOf: AS_OF, unitPrices: isExact ? US_EAST_1 : estimatedIn(region) };
}

function estimatedIn(region: string): UnitPrices {
  const known: Partial<UnitPrices> | undefined = Object.hasOwn(KNOWN, region) ? KNOWN[region] : undefined;
  const factors = FACTORS.get(region) ?? OTHER;
  const prices = LINE_ITEMS.map((item) => [item, known?.[item] ?? US_EAST_1[item] * factors[KIND_OF[item]]]);
  return Object.fromEntries(prices) as UnitPrices;
}

export interface Cost {
  /** US dollars. */
  readonly total: number;
  /** Whether it is by the region's own prices. */
  readonly isExact: boolean;
  readonly byItem: Readonly<Record<LineItem, number>>;
}

export function costOf(usage: Usage, { unitPrices, isExact }: Pick<Prices, 'unitPrices' | 'isExact'>): Cost {
  const byItem = {} as Record<LineItem, number>;
  let total = 0;
  for (const item of LINE_ITEMS) {
    const cost = (usage[item] ?? 0) * unitPrices[item];
    byItem[item] = cost;
    total += cost;
  }
  return { total, isExact, byItem };
}
