/**
 * The stack cannot be used: it does not exist, its version differs, or AWS refuses the credentials. The message names
 * the fault and what to do.
 */
export class StackRefused extends Error {
  override name = 'StackRefused';
}

/** AWS, or the way to it, fails at the moment. The message says what to look at; try again later. */
export class StackUnavailable extends Error {
  override name = 'StackUnavailable';
}

/** A stack cannot do this yet. The message names it and the remedy. */
export class NotOnStack extends Error {
  override name = 'NotOnStack';

  constructor(what: string, remedy: string) {
    super(`${what} does not work on a stack yet: ${remedy}`);
  }
}
