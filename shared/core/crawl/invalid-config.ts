/** The configuration cannot be used. The message names the key, the expected value and the given one. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig';
}
