/** The configuration cannot be used. The message names the key, what was expected and what came. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig';
}
