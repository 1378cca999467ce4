/** The status line and header fields of a response. */
export interface ResponseHead {
  readonly httpStatus: number;
  readonly statusText: string;
  /**
   * As received: order, case and repetition kept; bytes as Latin-1. Folded lines are joined, control
   * characters are spaces, and lines that are not fields are left out.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The values of all fields of that name (given in lower case), in the order received. */
export function fieldValues(headers: ResponseHead['headers'], name: string): string[] {
  const values: string[] = [];
  for (const [given, value] of headers)
    if (given.length === name.length && given.toLowerCase() === name) values.push(value);
  return values;
}
