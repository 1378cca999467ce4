const PREFIX = /^[A-Za-z0-9._-]+$/;

/** Throws unless the names of WARC files may begin with it. */
export function checkWarcPrefix(prefix: string): void {
  if (!PREFIX.test(prefix))
    throw new Error(`Expected a prefix of letters, digits, '.', '_' and '-', got ${JSON.stringify(prefix)}`);
}
