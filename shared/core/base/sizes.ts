/**
 * Sizes at which the program goes another way: it merges, splits, stores elsewhere, comes again for the rest. They are
 * one list, so that a simulated world can choose small ones (`simulation/worlds/sizes.ts`): then a few pages reach what
 * else takes a million. A deployment and a local crawl have {@link SIZES}. Each process of a deployment has its own
 * sizes: a process that reads what another process wrote must not rely on them.
 */
export interface Sizes {
  // Ledgers: `frontier/`

  /** As many segments are read at each cold turn; then they become one, or a run. */
  readonly maxSegments: number;
  /** The maximal number of records in segments. Beyond it, a run saves the turn from reading all of them. */
  readonly maxSegmentRecords: number;
  /** Fresh records beyond this become a run however few the segments. */
  readonly maxFreshRecords: number;
  /** A run is merged with the next older one while that is less than this number of times as large ... */
  readonly runRatio: number;
  /** ... and both together are at most this, which bounds what one turn's merge costs. */
  readonly maxRunUrls: number;
  /**
   * Records in a block of a run. More compress better (10 bytes a URL at 225, 7 at 2,000), fewer cost a turn
   * less to read.
   */
  readonly blockRecords: number;
  /**
   * Read at once of a run's list: more than most blocks, so that one read brings a block and the next one's
   * header.
   */
  readonly readAheadBytes: number;

  // Traps: groups of URLs that add nothing new

  /** Pages of a group before it may close. */
  readonly minTrapPages: number;
  /** The number of pages from which on texts are checked. The many groups with fewer pages store no texts. */
  readonly minTextPages: number;
  /**
   * Moving means cover this number of pages; those of a group with many pages a quarter of them, and this
   * number at most.
   */
  readonly minTrapWindow: number;
  readonly maxTrapWindow: number;

  // Answers for pages that do not exist: `turn/page/soft-404.ts`

  /**
   * Known URLs of a host before the probe: a request for a URL that does not exist. With 50 that is 2 % more requests
   * at most.
   */
  readonly minProbeUrls: number;

  // Turns: `worker/`

  /**
   * Characters of robots rules that are kept in the head, which is paid for by size at every turn. Longer
   * ones are a part.
   */
  readonly maxHeadRules: number;
  /** A turn that has gathered this number of links or other changes commits them, to bound its memory. */
  readonly maxTurnChanges: number;
  /** URLs that cost no request (denied by robots.txt or the address guard) settled in one turn at most. */
  readonly maxWithoutRequest: number;
  /**
   * Links of a page that are taken in without a pause. They take about 10 ms of CPU; 200,000 at once would
   * take 1 s.
   */
  readonly linksAtOnce: number;
  /** Links of a turn that leave it in one parcel: a queue's message would hold more than its reader takes. */
  readonly maxParcelLinks: number;
  /** Characters of these. A sitemap's 50,000 URLs may take 100 MB, which nobody could read as one message. */
  readonly maxParcelChars: number;
  /** Links in one message to a host: a page of 6,000 links makes three, each far below a queue's limit. */
  readonly maxMessageLinks: number;
  /** Ledgers that a worker keeps between turns, in bytes of memory. */
  readonly ledgerCacheBytes: number;
  /** Hosts whose last request a worker remembers, before it looks for those it may forget. */
  readonly maxIdleLanes: number;
  /** Hosts woken at once. */
  readonly wakeBatch: number;

  // The engine `aws`, and the functions

  /**
   * Parts of ledgers up to this size are rows of DynamoDB, larger ones are objects of S3. By list price
   * (us-east-1) a part of n KB costs, in millionths of a dollar, 0.625 n to write to DynamoDB and as much to
   * delete, against 5 for a PUT, and 1.25 for its pointer: even at 5 KB. Each reading tips it by 0.4 a GET
   * towards DynamoDB, and a row is there some tens of milliseconds sooner, on the way of every turn.
   */
  readonly maxRowBytes: number;
  /**
   * Records of crawls up to this size are read each time; for a larger one its stamp is read, and the record if that
   * has changed. A read unit is 4 KB, and the item has other attributes besides.
   */
  readonly maxUnstampedBytes: number;
  /**
   * The largest size of a message, and of all messages of a batch together: SQS's limit until 2025, still set
   * on many queues.
   */
  readonly maxMessageBytes: number;
  /**
   * Links in one parcel for a link shard: a tenth of what a reader takes, and mostly more than one message
   * holds.
   */
  readonly maxShardParcelLinks: number;
  /**
   * Links of one event to more hosts than that go to the link shards, if there are any. Up to here they go to
   * their hosts at once, so that small crawls lose no time: ten routers with a window of five seconds send
   * 1,000 messages a second then, which workers keep up with. Beyond, an event has a link or two for each
   * host, and gathering them for minutes spares most messages.
   */
  readonly splitHosts: number;
  /** Hosts found and woken at once when a crawl is resumed, and how often for one message. */
  readonly wakePageHosts: number;
  readonly wakePages: number;
  /** Items that one request for a page of hosts looks at, at most. */
  readonly maxScanned: number;
  /** Read of the index of due hosts beyond the limit, as it knows their order only roughly. */
  readonly dueSlack: number;
  /** Heads whose turns are in progress, kept for the case that the answer to their replacement is lost. */
  readonly maxLoadedHeads: number;
  /**
   * Counts in one update of a crawl's totals: its expression may have 4 KB and 300 operators (DynamoDB,
   * "Service quotas").
   */
  readonly maxCountsInUpdate: number;
  /** Turns that end within the same moment share a PUT to the archive. */
  readonly archiveGatherMs: number;
  /** Payloads that a process remembers for revisits, up to twice as many. */
  readonly maxRecentPayloads: number;
  /** Memory of a process for the payloads that earlier crawls have archived at its hosts, in bytes. */
  readonly maxEarlierBytes: number;
  /** Messages sent within it share requests to SQS, which would else be a large part of the cost. */
  readonly sendGatherMs: number;
  /**
   * As above, for deletes and changes of visibility. Longer, as nothing but the host's own next turn waits for
   * it.
   */
  readonly settleGatherMs: number;
  /**
   * A received host is hidden for this time, again and again while its worker lives: so long its host waits when the worker
   * dies. Half of it always lies ahead: more than a page may block its worker, and the rest that most requests need. A turn of
   * two minutes is renewed four times, ten hosts by one request.
   */
  readonly renewedMs: number;

  // WARC objects

  /** A WARC object that reaches this size is stored at once. */
  readonly warcObjectBytes: number;
  /**
   * The least size in bytes of a part of a multipart upload, except the last one. S3 takes 5 MiB and more (S3
   * User Guide, "Multipart upload limits"). Records of this size and more are uploaded in parts.
   */
  readonly uploadPartBytes: number;
  /** S3 copies up to 5 GiB in one call; shorter calls end sooner when time is up. */
  readonly copyBytes: number;
  /** A joined file is complete when it has this number of bytes, ... */
  readonly joinedBytes: number;
  /** ... or its index this number of lines: they are sorted in memory, some 1 KB each ... */
  readonly maxCaptures: number;
  /** ... or these take this number of characters: mostly they take 400 each, but a site may have long URLs ... */
  readonly maxCaptureChars: number;
  /**
   * ... or this number of sources: its upload has fewer parts then than S3 takes, 10,000; also bounds the
   * plan's item.
   */
  readonly maxSources: number;
  /**
   * WARC objects younger than that are not joined: longer than a PUT may be tried again by its writer, which
   * would bring back an object that was joined.
   */
  readonly minJoinAgeMs: number;
  /** Read at once of a WARC object that is checked. */
  readonly scanBytes: number;
  /** A table of items is made of objects of this number of bytes, compressed: all of them are held. */
  readonly itemTableBytes: number;
}

export const SIZES: Sizes = {
  maxSegments: 8,
  maxSegmentRecords: 2000,
  maxFreshRecords: 4000,
  runRatio: 4,
  maxRunUrls: 300_000,
  blockRecords: 512,
  readAheadBytes: 16 * 1024,

  minTrapPages: 50,
  minTextPages: 8,
  minTrapWindow: 25,
  maxTrapWindow: 100,

  minProbeUrls: 50,

  maxHeadRules: 700,
  maxTurnChanges: 8000,
  maxWithoutRequest: 2000,
  linksAtOnce: 2000,
  maxParcelLinks: 20_000,
  maxParcelChars: 8_000_000,
  maxMessageLinks: 2000,
  ledgerCacheBytes: 128 * 1024 * 1024,
  maxIdleLanes: 10_000,
  wakeBatch: 500,

  maxRowBytes: 8 * 1024,
  maxUnstampedBytes: 3500,
  maxMessageBytes: 256 * 1024,
  maxShardParcelLinks: 10_000,
  splitHosts: 500,
  wakePageHosts: 500,
  wakePages: 10,
  maxScanned: 1000,
  dueSlack: 100,
  maxLoadedHeads: 1000,
  maxCountsInUpdate: 100,
  archiveGatherMs: 1000,
  maxRecentPayloads: 50_000,
  maxEarlierBytes: 64 * 1024 * 1024,
  sendGatherMs: 100,
  settleGatherMs: 500,
  renewedMs: 90_000,

  warcObjectBytes: 8 * 1024 * 1024,
  uploadPartBytes: 5 * 1024 * 1024,
  copyBytes: 256 * 1024 * 1024,
  joinedBytes: 1_000_000_000,
  maxCaptures: 200_000,
  maxCaptureChars: 200_000_000,
  maxSources: 5000,
  minJoinAgeMs: 60 * 60_000,
  scanBytes: 8 * 1024 * 1024,
  itemTableBytes: 16 * 1024 * 1024,
};

/** The sizes of an engine. */
export const sizesOf = ({ sizes = SIZES }: { readonly sizes?: Sizes }): Sizes => sizes;
