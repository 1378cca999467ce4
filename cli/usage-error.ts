/** The command line cannot be followed. The message names what is wrong, what was expected and what came. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A service, or the way to it, does not answer; the command line is not at fault. The message says what to do. */
export class ServiceUnavailable extends Error {
  override name = 'ServiceUnavailable';
}
