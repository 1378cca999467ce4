/**
 * An identity cannot be used. The message names the faulty part and the expected form, but no part of a private key.
 */
export class InvalidIdentity extends Error {
  override name = 'InvalidIdentity';
}
