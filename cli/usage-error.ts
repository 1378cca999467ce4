/** The command line cannot be followed. The message names what is wrong, what was expected and what came. */
export class UsageError extends Error {
  override name = 'UsageError';
}
