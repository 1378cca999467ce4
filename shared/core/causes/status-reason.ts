/**
 * Why a crawl is in its state, as data. The program decides by the code; the text is for people. Codes are
 * stored and printed: never rename one.
 */
export const STATUS_CODES = [
  // ---- limits
  'maxPages',
  'maxBytes',
  'maxTime',
  'maxCost',
  'requisites',
  // ---- a limit of the deployment, for all crawls together: they go on by themselves on the next day
  'maxCostPerDay',
  // ---- other ends
  'proxy',
  'patterns',
  'killingPages',
  'operator',
  'deleting',
  'arriving',
  // ---- a crawl that was finished, and is not finished any more
  'seedsAdded',
  // ---- a crawl that recrawls, and was to end when nothing is due
  'nothingDue',
] as const;
export type StatusCode = (typeof STATUS_CODES)[number];

export interface StatusReason {
  readonly code: StatusCode;
  /** For people. */
  readonly text: string;
}

export const BY_OPERATOR: StatusReason = { code: 'operator', text: 'by the operator' };
/** The deployer's limit of running crawls is reached: another crawl began at the same moment. */
export const NO_ROOM: StatusReason = { code: 'operator', text: 'the limit of running crawls is reached' };
/** The crawl's data is deleted once no worker holds a part of it. Nothing sets the crawl running again. */
export const BEING_DELETED: StatusReason = { code: 'deleting', text: 'it is being deleted' };
/** The crawl is being copied here, and is not complete. Until it is, nothing sets it running. */
export const ARRIVING: StatusReason = { code: 'arriving', text: 'it is being copied here' };
/** All crawls of the deployment together have cost what they may in a day. */
export const spentForToday = (dollars: number): StatusReason => ({
  code: 'maxCostPerDay',
  text:
    `maxCostPerDay: all crawls together have cost ${dollars} US dollars today. ` +
    'It goes on by itself at 00:00 UTC, or when the stack is deployed with a higher maxCostPerDay',
});
export const SEEDS_ADDED: StatusReason = { code: 'seedsAdded', text: 'seeds were added' };

/** `dueAt`: when the first URL is due. */
export const nothingDue = (dueAt: number): StatusReason => ({
  code: 'nothingDue',
  text: `nothing is due before ${new Date(dueAt).toISOString().slice(0, 19)}Z`,
});

/** A reason as a crawl's record keeps it. A newer version of the program may have stored a code that is not known here. */
export interface KeptReason {
  readonly why?: StatusReason | undefined;
}

/** The reason in a record; undefined if there is none, or none that this version knows. */
export const reasonIn = ({ why }: KeptReason): StatusReason | undefined =>
  why && STATUS_CODES.includes(why.code) ? why : undefined;

export const isBeingDeleted = (record: KeptReason): boolean => reasonIn(record)?.code === 'deleting';
export const isArriving = (record: KeptReason): boolean => reasonIn(record)?.code === 'arriving';
