/** Rows are written together. */
const WRITE_CHARS = 64 * 1024;

/** The values as texts of many lines. */
export async function* gathered<T>(
  values: AsyncIterable<T>,
  lineOf: (value: T) => string,
): AsyncGenerator<string> {
  let text = '';
  for await (const value of values) {
    text += lineOf(value);
    if (text.length < WRITE_CHARS) continue;
    yield text;
    text = '';
  }
  yield text;
}
