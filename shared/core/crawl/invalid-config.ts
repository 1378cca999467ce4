/** The configuration cannot be used. The message names the key, the expected value and the given one. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig';
  /** The faulty part of a request, such as `config.headers`. */
  declare readonly field?: string;

  constructor(message: string, { field, ...options }: ErrorOptions & { readonly field?: string } = {}) {
    super(message, options);
    if (field !== undefined) this.field = field;
  }
}
