/**
 * A page needs more memory or CPU than a small worker has. Nothing of the turn is committed: a full-size worker repeats it.
 */
export class NeedsLargerWorker extends Error {
  override name = 'NeedsLargerWorker';
}
