/** An identity cannot be used. The message names the part and what was expected; no part of a private key. */
export class InvalidIdentity extends Error {
  override name = 'InvalidIdentity';
}
