/** The events on the account's event bus: their source, which carries the stack's name so that policies can distinguish stacks, and the type of those that the stack itself acts on. */
export const eventSource = (stack: string): string => `strand.${stack}`;
/** The compactor had no time to join all: it is to run again. The detail has `stack` and `round`. */
export const COMPACT_MORE = 'compactMore';
/** A small worker is to start. The detail has `stack` and the fields of a message that starts a worker. */
export const START_SMALL = 'startSmallWorker';
/** An export of a crawl is to begin or to continue. The detail has `stack`. */
export const EXPORT_MORE = 'exportMore';
