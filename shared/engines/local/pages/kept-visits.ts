import type { UrlState } from '../../../core/frontier/url-record.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { CapturedPage } from './captured-page.ts';

/** The outcome of a URL. */
export interface Visit {
  /** The last URL of the chain of redirects. */
  readonly url: string;
  readonly state: UrlState;
  /** Absent: there was no response, or it is not to be given out. */
  readonly page?: CapturedPage | undefined;
  /** For people: why there is no page, or what is wrong with it. */
  readonly reason?: string | undefined;
}

/** A visit, or where a redirect leads. */
export type KeptVisit = Visit | { readonly to: string };

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_VISITS = 1000;
/** A longer chain of redirects is followed by the crawl alone, which counts them. */
const MAX_REDIRECTS = 20;
/** Memory of a visit besides its body, and of a link. */
const VISIT_BYTES = 1000;
const LINK_BYTES = 200;

/** The last visits of a session, up to 32 MB of them. */
export class KeptVisits {
  /** The longest unused first. */
  readonly #visits = new Map<string, { readonly visit: KeptVisit; readonly bytes: number }>();
  #bytes = 0;

  set(url: string, visit: KeptVisit): void {
    this.delete(url);
    const bytes = bytesOf(visit);
    if (bytes > MAX_BYTES) return;
    this.#visits.set(url, { visit, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#visits.keys()) {
      if (this.#bytes <= MAX_BYTES && this.#visits.size <= MAX_VISITS) break;
      this.delete(oldest);
    }
  }

  delete(url: string): void {
    this.#bytes -= this.#visits.get(url)?.bytes ?? 0;
    this.#visits.delete(url);
  }

  /** The visit at the end of the known redirects from `url`; or the URL that was not visited. */
  find(url: string): Visit | string {
    let at = url;
    for (let n = 0; n < MAX_REDIRECTS; n++) {
      const kept = this.#visits.get(at);
      if (kept === undefined) break;
      this.#visits.delete(at);
      this.#visits.set(at, kept);
      if (!('to' in kept.visit)) return kept.visit;
      at = kept.visit.to;
    }
    return at;
  }

  /** Forgets the visits of the host that brought no page: its URLs may be fetched again. */
  forgetFailures(host: HostKey, hostOf: (url: string) => HostKey): void {
    for (const [url, { visit }] of this.#visits)
      if (!('to' in visit) && visit.page === undefined && hostOf(url) === host) this.delete(url);
  }
}

function bytesOf(visit: KeptVisit): number {
  if ('to' in visit || visit.page === undefined) return VISIT_BYTES;
  const { body, facts, content } = visit.page;
  const textBytes = 2 * ((content?.text.length ?? 0) + (content?.markdown.length ?? 0));
  return VISIT_BYTES + body.length + facts.links.length * LINK_BYTES + textBytes;
}
