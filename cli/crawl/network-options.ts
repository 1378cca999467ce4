/** Settings that are read from files: headers, cookies, passwords, certificates, budgets of domains. */
import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../shared/core/base/error-message.ts';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { cookiesOfSites, readNetscapeCookies } from '../../shared/core/crawl/netscape-cookies.ts';
import type { CookieOptions } from '../../shared/core/crawl/network-options.ts';
import { MAX_COOKIES } from '../../shared/core/crawl/network-schema.ts';
import { SEEDS } from '../../shared/core/crawl/network-values.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import { canonicalize } from '../../shared/core/url/canonical.ts';
import { type HostKey, hostKey } from '../../shared/core/url/host-key.ts';
import { readDomainBudgets } from '../domain-budgets-file.ts';
import { formatCounted } from '../format.ts';
import type { NetworkFiles } from '../network-files.ts';
import { parseAuth, parseHeader } from '../network-given.ts';
import { UsageError } from '../usage-error.ts';

const MAX_COOKIE_FILE = 10 * 1024 * 1024;
const MAX_PEM_FILE = 1024 * 1024;
const MAX_LINES_FILE = 256 * 1024;

/**
 * The options with what the files hold. `given`: each `--header` and `--basic-auth`, or `@FILE` with one a line.
 * Throws {@link UsageError}, in whose message no secret stands. `warn`: called with what was left out.
 */
export function withNetworkFiles(
  options: CrawlOptions,
  files: NetworkFiles | undefined,
  seeds: readonly string[],
  warn: (line: string) => void,
): CrawlOptions {
  if (files === undefined) return options;
  const { headers, auth, cookies, ca, clientCert, clientKey, identity, domainBudgets } = files;
  const byHost: Record<string, Record<string, string>> = {};
  for (const { text, where } of linesOf(headers, '--header')) {
    const { host, name, value } = parseHeader(text, where);
    byHost[host] = { ...byHost[host], [name]: value };
  }
  const passwords = linesOf(auth, '--basic-auth').map(({ text, where }) => parseAuth(text, where));
  return {
    ...options,
    ...(headers.length > 0 && { headers: byHost }),
    ...(auth.length > 0 && { auth: Object.fromEntries(passwords) }),
    ...(cookies !== undefined && { cookies: cookiesForSeeds(cookies, seeds, warn) }),
    ...(ca !== undefined && { certificateAuthorities: [readPem(ca, '--ca')] }),
    ...clientCertificates(clientCert, clientKey),
    ...(identity !== undefined && { identity: { key: identity } }),
    ...(domainBudgets !== undefined && {
      domainBudgets: readDomainBudgets(
        readText(domainBudgets, '--domain-budgets', MAX_LINES_FILE),
        domainBudgets,
      ),
    }),
  };
}

function linesOf(given: readonly string[], option: string): { text: string; where: string }[] {
  return given.flatMap((text) => {
    if (!text.startsWith('@')) return [{ text, where: option }];
    const file = text.slice(1);
    const lines = readText(file, option, MAX_LINES_FILE).split(/\r\n|\n|\r/);
    return lines.flatMap((line, i) =>
      line.trim() === '' || line.startsWith('#')
        ? []
        : [{ text: line, where: `${option} in ${file}, line ${i + 1},` }],
    );
  });
}

function cookiesForSeeds(file: string, seeds: readonly string[], warn: (line: string) => void) {
  const hosts = seeds.map((seed) => hostKey(canonicalize(seed) ?? seed));
  const own = readCookies(file, hosts, warn);
  if (own.length === 0) warn(`None of the cookies of ${file} is for a site of the seeds: none is sent`);
  return own;
}

/** Returns the cookies of the file for the sites of the hosts. */
export function readCookies(
  file: string,
  hosts: readonly HostKey[],
  warn: (line: string) => void,
): CookieOptions[] {
  const { cookies, ignored } = readNetscapeCookies(readText(file, '--cookies', MAX_COOKIE_FILE));
  if (cookies.length === 0 && ignored > 0)
    throw new UsageError(
      `Expected --cookies ${quoted(file)} to be in Netscape's format (seven fields with tabs between them), found no cookie in it`,
    );
  const own = cookiesOfSites(cookies, hosts);
  if (ignored > 0) warn(`${formatCounted(ignored, 'line')} of ${file} left out: no cookies that can be sent`);
  if (own.length > MAX_COOKIES) warn(`Only the first ${MAX_COOKIES} cookies of ${file} are used`);
  return own.slice(0, MAX_COOKIES);
}

function clientCertificates(cert: string | undefined, key: string | undefined): CrawlOptions {
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined) throw new UsageError('Expected --client-cert FILE with --client-key');
  const certificate = readPem(cert, '--client-cert');
  const privateKey = key === undefined ? certificate : readPem(key, '--client-key');
  if (!privateKey.includes('PRIVATE KEY-----'))
    throw new UsageError('Expected --client-key FILE: the file of --client-cert holds no private key');
  if (/BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(privateKey))
    throw new UsageError(
      'Expected a private key that is not encrypted: openssl pkey -in KEY -out PLAIN writes one, for a file that only you may read',
    );
  return { clientCertificates: [{ hosts: [SEEDS], certificate, key: privateKey }] };
}

function readPem(file: string, option: string): string {
  const text = readText(file, option, MAX_PEM_FILE);
  if (/-----BEGIN [A-Z ]+-----/.test(text)) return text;
  throw new UsageError(`Expected ${option} ${quoted(file)} to be a PEM file (-----BEGIN ...)`);
}

function readText(file: string, option: string, most: number): string {
  try {
    const { size } = statSync(file);
    if (size > most) throw new UsageError(`${option}: ${file} has ${size} bytes; at most ${most} are read`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${option}: ${messageOf(cause)}`, { cause });
  }
}
