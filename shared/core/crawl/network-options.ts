/** Settings that are objects: cookies, certificates, proxies, the identity. */

/** A cookie that is sent. */
export interface CookieOptions {
  /** Without a dot before it. */
  domain: string;
  /** Sends it to subdomains of the domain too. */
  subdomains?: boolean;
  /** `/` if there is none. */
  path?: string;
  /** Sends it by https only. */
  secure?: boolean;
  /** When it expires: ms since the epoch. */
  expiresAt?: number;
  name: string;
  value: string;
}

/** A certificate of the crawler. */
export interface ClientCertificateOptions {
  /** Patterns of hosts that may request it; `seeds` for the origins of the seeds. */
  hosts: string[];
  /** PEM: the certificate, then the intermediate ones. */
  certificate: string;
  /** PEM, not encrypted. */
  key: string;
}

/** A proxy, and the hosts that are reached by it. */
export interface ProxyOptions {
  /** `http://user:password@proxy.example:8080`, or https, socks5, socks5h; `direct` for no proxy. */
  url: string;
  /** Patterns of hosts, and CIDR blocks of addresses. All hosts if there are none. */
  hosts?: string[];
  /** Only URLs of this scheme. */
  scheme?: 'http' | 'https';
}

/** The identity that signs the requests of a crawl, so that sites can verify the crawler (Web Bot Auth). */
export interface IdentityOptions {
  /**
   * The https origin where the public keys are published, such as `https://crawler.example.org`. Not needed if the key's
   * file names it.
   */
  agent?: string;
  /**
   * A file that `strand identity create` has made, or the private key as JSON Web Key. A key that is given as such is not
   * kept with the crawl: give it again when you resume it.
   */
  key: string | Record<string, unknown>;
}
