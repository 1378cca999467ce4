/**
 * Intermediate certificates that servers forget to send. A certificate says where that of its issuer is (RFC 5280,
 * section 4.2.2.1, "caIssuers"), and browsers fetch it from there.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import QuickLRU from 'quick-lru';

/** Returns the bytes at an http URL; undefined if they cannot be had. */
export type GetCertificate = (url: string) => Promise<Uint8Array | undefined>;

/** A chain of more certificates is not built. */
const MAX_STEPS = 4;
/** Certificates kept: there are some thousand intermediate ones on the web, and few are forgotten. */
const MAX_LEARNED = 500;
const MAX_ORIGINS = 10_000;
/** URLs of a certificate that are tried. */
const MAX_URLS = 2;
/** A host that has not helped so often is not asked again: a site can name any host in its certificate. */
const MAX_FAILURES = 4;

/**
 * Only certificates that a trusted authority has signed, itself or over others of these, are kept, and used only for origins
 * that need one. OpenSSL verifies the whole chain afterwards as usual: no certificate that is kept here is trusted for
 * itself.
 */
export class MissingIssuers {
  readonly #trusted: readonly string[];
  /** By subject. */
  #roots: Map<string, X509Certificate[]> | undefined;
  readonly #learned: X509Certificate[] = [];
  #context: SecureContext | undefined;
  readonly #noted = new QuickLRU<string, X509Certificate>({ maxSize: MAX_ORIGINS });
  readonly #helped = new QuickLRU<string, true>({ maxSize: MAX_ORIGINS });
  readonly #failures = new QuickLRU<string, number>({ maxSize: MAX_ORIGINS });

  /** `trusted`: authorities (PEM) besides the usual ones. */
  constructor(trusted: readonly string[]) {
    this.#trusted = trusted;
  }

  /** Returns the context by which connections to `origin` are verified, if that is not the usual one. */
  contextOf(origin: string): SecureContext | undefined {
    if (!this.#helped.has(origin)) return undefined;
    this.#context ??= createSecureContext({ ca: [...this.#authorities(), ...this.#learned.map(String)] });
    return this.#context;
  }

  /** Notes that the issuer of the certificate that `origin` has shown is unknown. */
  note(origin: string, certificate: X509Certificate | undefined): void {
    // A second time: the certificates were found and did not help.
    if (certificate !== undefined && !this.#helped.has(origin)) this.#noted.set(origin, certificate);
  }

  /** Returns whether the missing certificates were found, so that `origin` may be connected to again. */
  async find(origin: string, get: GetCertificate): Promise<boolean> {
    const shown = this.#noted.get(origin);
    this.#noted.delete(origin);
    if (shown === undefined) return false;
    const found: X509Certificate[] = [];
    for (let last = lastOf(shown); !this.#isOfRoot(last); ) {
      const issuer = found.length < MAX_STEPS ? await this.#issuerOf(last, get) : undefined;
      if (issuer === undefined) return false;
      found.push(issuer);
      last = issuer;
    }
    const added = found.filter((one) => !this.#learned.includes(one));
    if (found.length === 0 || this.#learned.length + added.length > MAX_LEARNED) return false;
    if (added.length > 0) this.#context = undefined;
    this.#learned.push(...added);
    this.#helped.set(origin, true);
    return true;
  }

  async #issuerOf(certificate: X509Certificate, get: GetCertificate): Promise<X509Certificate | undefined> {
    const known = this.#learned.find((one) => isIssuer(one, certificate));
    if (known !== undefined) return known;
    for (const url of issuerUrls(certificate).slice(0, MAX_URLS)) {
      const { host } = new URL(url);
      const failures = this.#failures.get(host) ?? 0;
      if (failures >= MAX_FAILURES) continue;
      const issuer = certificateOf(await get(url));
      if (issuer !== undefined && isIssuer(issuer, certificate)) return issuer;
      this.#failures.set(host, failures + 1);
    }
    return undefined;
  }

  #isOfRoot(certificate: X509Certificate): boolean {
    this.#roots ??= Map.groupBy(this.#authorities().flatMap(certificatesIn), ({ subject }) => subject);
    return this.#roots.get(certificate.issuer)?.some((root) => hasSigned(root, certificate)) ?? false;
  }

  #authorities(): readonly string[] {
    return [...getCACertificates(), ...this.#trusted];
  }
}

/** The last certificate of the chain that the server has sent, in whatever order. */
function lastOf(shown: X509Certificate): X509Certificate {
  const sent: X509Certificate[] = [];
  for (let next = shown.issuerCertificate; next && sent.length < 10; next = next.issuerCertificate)
    sent.push(next);
  let last = shown;
  for (let i = 0; i < sent.length; i++)
    last = sent.find((one) => one !== last && hasSigned(one, last)) ?? last;
  return last;
}

const hasSigned = (issuer: X509Certificate, certificate: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/** A certificate that signs itself would be trusted, so none is taken. */
function isIssuer(one: X509Certificate, certificate: X509Certificate): boolean {
  const now = Date.now();
  const isValid = Date.parse(one.validFrom) <= now && now < Date.parse(one.validTo);
  return one.ca && isValid && one.subject !== one.issuer && hasSigned(one, certificate);
}

/** Where the certificate of the issuer is. By http alone: it is verified by its signature. */
function issuerUrls(certificate: X509Certificate): string[] {
  const urls = certificate.toLegacyObject().infoAccess?.['CA Issuers - URI'] ?? [];
  return urls.filter((url) => /^http:\/\//i.test(url) && URL.canParse(url));
}

/** The certificate in DER or PEM; undefined if it is none. */
function certificateOf(bytes: Uint8Array | undefined): X509Certificate | undefined {
  try {
    return bytes && new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

const PEM = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]*-----END (?:TRUSTED )?CERTIFICATE-----/g;

const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(PEM) ?? []).flatMap((text) => certificateOf(Buffer.from(text)) ?? []);
