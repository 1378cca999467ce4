/**
 * Makes a request, and calls `ended` when it is over, also if it throws: the rest after it begins then. Not if
 * `isCounted` says that no request was sent.
 */
export async function timedRequest<T>(
  request: () => Promise<T>,
  isCounted: (result: T) => boolean,
  ended: () => void,
): Promise<T> {
  let isRequest = true;
  try {
    const result = await request();
    isRequest = isCounted(result);
    return result;
  } finally {
    if (isRequest) ended();
  }
}
