/** Requests off a connection: as much of HTTP/1.1 as a crawler's requests have. */

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  /** In lower case. */
  readonly host: string;
  readonly userAgent: string;
  readonly acceptEncoding: string;
  /** The client closes after it, or speaks HTTP/1.0. */
  readonly isLast: boolean;
}

const MAX_HEAD_BYTES = 64 * 1024;

export class RequestReader {
  #rest = '';
  /** Bytes of a request's body still to come: read over. */
  #skip = 0;

  /** Heads that are whole with these bytes; undefined if the client does not speak HTTP. */
  push(bytes: Buffer): RequestHead[] | undefined {
    this.#rest += bytes.toString('latin1');
    const heads: RequestHead[] = [];
    for (;;) {
      const skipped = Math.min(this.#skip, this.#rest.length);
      this.#rest = this.#rest.slice(skipped);
      this.#skip -= skipped;
      const end = this.#rest.indexOf('\r\n\r\n');
      if (end < 0) return this.#rest.length > MAX_HEAD_BYTES ? undefined : heads;
      const text = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 4);
      const head = parse(text);
      if (head === undefined) return undefined;
      this.#skip = Number(field(text, 'content-length')) || 0;
      heads.push(head);
    }
  }
}

function parse(text: string): RequestHead | undefined {
  const [, method, target, minor] = /^([A-Z]+) (\S+) HTTP\/1\.([01])(?:\r\n|$)/.exec(text) ?? [];
  if (method === undefined || target === undefined) return undefined;
  // Absolute form, as sent to a proxy (RFC 9112 section 3.2.2): its host counts.
  const [, authority, rest] = /^http:\/\/([^/?#]+)(.*)$/i.exec(target) ?? [];
  const host = authority ?? field(text, 'host');
  if (host === '') return undefined;
  return {
    method,
    path: authority === undefined ? target : rest || '/',
    host: host.toLowerCase(),
    userAgent: field(text, 'user-agent'),
    acceptEncoding: field(text, 'accept-encoding'),
    isLast: minor === '0' || /^close$/i.test(field(text, 'connection')),
  };
}

/** The value of a header field; empty if there is none. */
function field(text: string, name: string): string {
  const at = text.toLowerCase().indexOf(`\r\n${name}:`);
  if (at < 0) return '';
  const start = at + name.length + 3;
  const end = text.indexOf('\r\n', start);
  return text.slice(start, end < 0 ? undefined : end).trim();
}
