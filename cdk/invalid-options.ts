/** The options cannot be used. The message names each faulty option, the expected value and the given one. */
export class InvalidOptions extends Error {
  override name = 'InvalidOptions';
}
