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
  // ---- other ends
  'proxy',
  'patterns',
  'operator',
  'deleting',
  'arriving',
  // ---- a crawl that was finished, and is so no more
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
/** The operator of the deployment allows no more crawls at once, and another one had begun in the same moment. */
export const NO_ROOM: StatusReason = { code: 'operator', text: 'as many crawls run as may' };
/** The crawl's data is deleted once no worker holds a part of it. Nothing sets the crawl running again. */
export const BEING_DELETED: StatusReason = { code: 'deleting', text: 'it is being deleted' };
/** The crawl is being copied here, and is not complete. Until it is, nothing sets it running. */
export const ARRIVING: StatusReason = { code: 'arriving', text: 'it is being copied here' };
export const SEEDS_ADDED: StatusReason = { code: 'seedsAdded', text: 'seeds were added' };

/** `dueAt`: when the first URL is due. */
export const nothingDue = (dueAt: number): StatusReason => ({
  code: 'nothingDue',
  text: `nothing is due before ${new Date(dueAt).toISOString().slice(0, 19)}Z`,
});

/** A reason as a crawl's record keeps it. */
export interface KeptReason {
  /** Its text: all that versions before 0.2 know of it. */
  readonly reason?: string | undefined;
  /** Counts only while its text is `reason`: an older version that sets another one leaves this as it is. */
  readonly why?: StatusReason | undefined;
}

export const keptReason = (why: StatusReason | undefined): KeptReason => ({ reason: why?.text, why });

/** The reason in a record; undefined if there is none, or none that this version knows. */
export function reasonIn({ reason, why }: KeptReason): StatusReason | undefined {
  if (reason === undefined) return undefined;
  if (why?.text === reason) return STATUS_CODES.includes(why.code) ? why : undefined;
  const code = OLDER_TEXTS.find(([, text]) => text.test(reason))?.[0];
  return code && { code, text: reason };
}

export const isBeingDeleted = (record: KeptReason): boolean => reasonIn(record)?.code === 'deleting';
export const isArriving = (record: KeptReason): boolean => reasonIn(record)?.code === 'arriving';

/** Sentences of versions that stored no code. */
const OLDER_TEXTS: readonly (readonly [StatusCode, RegExp])[] = [
  ['maxPages', /^\d+ pages$/],
  ['maxBytes', /^\d+ bytes$/],
  ['maxTime', /^\d[\d.e+-]* seconds$/],
  ['maxCost', /^maxCost: /],
  ['requisites', /^\d+ requisites for each of \d+ pages$/],
  ['proxy', /^proxy: /],
  ['operator', /^by the operator$/],
  ['seedsAdded', /^seeds were added$/],
];
