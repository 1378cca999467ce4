/** The options cannot be used. The message names each at fault, what was expected and what came. */
export class InvalidOptions extends Error {
  override name = 'InvalidOptions';
}
