/** The command line cannot be followed. The message names what is wrong, what was expected and what came. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * A service, the way to it or a disk fails; the command line is not at fault. The message says what to do.
 */
export class ServiceUnavailable extends Error {
  override name = 'ServiceUnavailable';
}
