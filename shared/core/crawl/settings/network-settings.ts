/** Connections: addresses, certificates, proxies, time-outs, sizes. */
import { z } from 'zod';
import { isHost } from '../../url/is-host.ts';
import type { ClientCertificateOptions, ProxyOptions } from '../network-options.ts';
import { authorities, clientCertificateList, proxyList } from '../network-schema.ts';
import { bytes, choice, duration, other, settingsOf, wholeDuration } from './kinds.ts';
import { MAX_TIMER_MS } from './politeness-settings.ts';

const setting = settingsOf('Network');

/** The most entries of a list, on a stack. */
const MAX_ENTRIES = 100;

const folderHost = () =>
  z.string().refine(isHost, { error: 'a host in lower case, such as docs.example.org' });

export const NETWORK_SETTINGS = {
  allowPrivateAddresses: setting(
    other(() => z.array(z.string()), 'addresses', 'CIDR,...'),
    {
      doc: 'Allow connections to loopback and private addresses',
      inHelp: ': all, or only =CIDR[,CIDR]',
      more: 'The value is a list of CIDR blocks, such as `127.0.0.0/8`.',
      option: 'allow-private-addresses',
      stackMost: MAX_ENTRIES,
      opens: 'connects to addresses that are not public, such as your own network',
      default: [],
    },
  ),
  // `url/blocked-ports.ts`.
  allowPorts: setting(
    other(() => z.array(z.int().min(1).max(65_535)), 'ports', 'N,...'),
    {
      doc: 'Allow ports that browsers refuse, such as 6000',
      option: 'allow-port',
      stackMost: MAX_ENTRIES,
      opens: 'connects to ports that browsers refuse',
      default: [],
    },
  ),
  // Heritrix and Nutch accept them.
  tls: setting(choice('verify', 'record', 'any'), {
    doc: 'Bad certificates: refuse; accept and note in metadata, without headers, cookies and passwords; accept',
    page: 'network.md#certificates',
    option: 'tls',
    opens: 'accepts servers that cannot show who they are',
    default: 'verify',
  }),
  certificateAuthorities: setting(other(authorities), {
    doc: 'Certificates (PEM) of authorities that are trusted besides the usual ones',
    page: 'network.md#certificates',
    opens: 'trusts further authorities',
    default: [],
  }),
  // Secrets of the person who set them: they are values, not names of files.
  clientCertificates: setting(
    other<z.ZodType<ClientCertificateOptions[], ClientCertificateOptions[]>>(clientCertificateList),
    {
      doc: 'Certificates shown to hosts that request one: `{ hosts, certificate, key }`, PEM',
      page: 'network.md#certificates',
      only: { place: 'machine', reason: 'a private key is not kept in a table' },
      isSecret: true,
      default: [],
    },
  ),
  hostCookies: setting(choice('off', 'turn', 'keep'), {
    doc: 'Cookies that hosts set: ignored; sent back for the rest of a visit; kept with the host and sent back',
    more: 'Where they are kept, `Set-Cookie` is not archived.',
    page: 'network.md#cookies-that-hosts-set',
    option: 'host-cookies',
    perHost: 'override',
    default: 'off',
  }),
  proxies: setting(other<z.ZodType<ProxyOptions[], ProxyOptions[]>>(proxyList, 'proxies', '[PATTERN=]URL'), {
    doc: 'Connect by these proxies (http, https, socks5, socks5h, or direct)',
    inHelp: ', for the hosts that PATTERN means',
    more: 'Each is `{ url, hosts, scheme }`. Rules with `hosts` count before those without. If several remain, each host gets one of them, always the same.',
    page: 'network.md#proxies',
    option: 'proxy',
    stackMost: MAX_ENTRIES,
    opens: 'sends requests through machines of its choice',
    isSecret: true,
    default: [],
  }),
  resolve: setting(
    other(() => z.array(z.tuple([z.string(), z.string()])), 'pins', 'PATTERN=ADDRESS'),
    {
      doc: 'Use these addresses for host names',
      inHelp: ': *.test=127.0.0.1',
      more: "Each is a pattern and an address, `['*.test', '127.0.0.1']`; `*` matches one or more labels.",
      option: 'resolve',
      stackMost: MAX_ENTRIES,
      opens: 'connects to addresses of its choice',
      default: [],
    },
  ),
  fromFolder: setting(
    other(() => z.array(z.tuple([folderHost(), z.string().min(1)])), 'folders', 'HOST=FOLDER'),
    {
      doc: 'Take the pages of a host from a folder, without network and pauses',
      inHelp: ': example.org=./public',
      more: "Each is a host and a folder, `['docs.example.org', './public']`. The host has its port if that is not the scheme's default.",
      page: 'local.md#pages-from-a-folder',
      option: 'from-folder',
      only: { place: 'machine', reason: 'a stack has no folders' },
      opens: 'reads files of this machine',
      default: [],
    },
  ),
  connectTimeoutMs: setting(duration(), {
    doc: 'How long a connection, its TLS handshake included, may take',
    stackMost: MAX_TIMER_MS,
    default: 10_000,
  }),
  headersTimeoutMs: setting(duration(), {
    doc: "How long a response's head may take after the request",
    stackMost: MAX_TIMER_MS,
    default: 30_000,
  }),
  idleTimeoutMs: setting(duration(), {
    doc: 'How long a pause between two pieces of a body may be',
    stackMost: MAX_TIMER_MS,
    default: 20_000,
  }),
  // A turn's lease must outlast it.
  totalTimeoutMs: setting(wholeDuration(1, 600_000), {
    doc: 'How long a whole exchange may take',
    default: 120_000,
  }),
  // Common Crawl cuts at 1 MiB, since 2025 at 5 MiB.
  maxBodyBytes: setting(bytes(), {
    doc: 'Larger bodies are cut, and marked as cut',
    perHost: 'override',
    default: 16 * 1024 * 1024,
  }),
  // Chrome: 256 KB.
  maxHeaderBytes: setting(bytes(), {
    doc: 'The largest head of a response, interim responses included',
    stackMost: 1024 * 1024,
    default: 256 * 1024,
  }),
  // Protects against compression bombs.
  maxDecodedBytes: setting(bytes(), {
    doc: 'How much of a page is parsed after decompression',
    stackMost: 256 * 1024 * 1024,
    default: 32 * 1024 * 1024,
  }),
};
