/** Ways to make a crawler connect to addresses inside: redirects, links, names, ports that are no web. */
import { asked, kept } from '../checks.ts';
import type { Addresses, HostileCase } from '../hostile-case.ts';
import { pageCase, response } from '../replies.ts';

const DOT = { ideographic: '。', fullwidth: '．' };
/** Spellings of hosts that must not be connected to: loopback, private, link-local, metadata services. */
export const PRIVATE_HOSTS: readonly string[] = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
  ],
  ...[
    '0x7F.0x0.0x0.0x1',
    '127.0.0.1.',
    '00000177.0.0.0000001',
    '127.0.0.2',
    '127.255.255.254',
    '127.65.255.255',
    '127.67.0.1',
  ],
  ...[
    '0',
    '0.0.0.0',
    '0.1',
    '0x0',
    '00',
    '%31%32%37.0.0.1',
    '①②⑦.0.0.1',
    `127${DOT.ideographic}0${DOT.ideographic}0${DOT.ideographic}1`,
  ],
  ...[
    `127${DOT.fullwidth}0.0.1`,
    '127.0.0.%31',
    '１２７.0.0.1',
    '127.\u00ad0.0.1',
    '4294967295',
    '255.255.255.255',
    '224.0.0.1',
  ],
  ...[
    '10.0.0.1',
    '10.1',
    '0xa000001',
    '167772161',
    '012.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.257',
    '3232235521',
  ],
  ...[
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '169.254.43518',
    '0251.0376.0251.0376',
    '169.254.170.2',
    '100.64.0.1',
    '100.100.100.200',
  ],
  ...[
    '192.0.0.192',
    '168.63.129.16',
    '198.18.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '192.88.99.1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
  ],
  ...[
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::]',
    '[2001:0:7f00:1::1]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fec0::1]',
    '[ff02::1]',
  ],
  ...[
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:10.0.0.1]',
    '[2001:db8::1]',
    '[fd20:ce::254]',
    '[100::1]',
    '[5f00::1]',
    '[3fff::1]',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'secret.canary.test',
    'SECRET.canary.TEST.',
    '②③.canary.test',
    'xn--bcher-kva.canary.test',
  ],
];

const urlsOf = ({ port, canaryPath }: Addresses): string[] =>
  PRIVATE_HOSTS.flatMap((host) => [
    `http://${host}:${port}${canaryPath}`,
    `http://user:pass@${host}:${port}${canaryPath}?at`,
    `https://${host}:${port}${canaryPath}?tls`,
  ]);

/** A page with more than 240 private targets, each as this element. */
const targets = (name: string, element: (url: string) => string): HostileCase =>
  pageCase(
    `private: ${PRIVATE_HOSTS.length * 3} targets in ${name}`,
    ({ addresses }) => urlsOf(addresses).map(element).join('\n'),
    [kept(), asked('/first'), asked('/last')],
    { isQuick: true },
  );

/** Some of the private targets: a page names one URL as its canonical one. */
const canonicalsOf = (addresses: Addresses): string[] => urlsOf(addresses).filter((_, i) => i % 10 === 0);

const TARGETS: readonly HostileCase[] = [
  targets('links', (url) => `<a href="${url}">a</a>`),
  targets('images', (url) => `<img src="${url}" srcset="${url} 2x">`),
  targets(
    'frames, scripts and styles',
    (url) =>
      `<iframe src="${url}"></iframe><script src="${url}"></script><link rel=stylesheet href="${url}">`,
  ),
  pageCase(
    'private: targets in canonical links, one in each page',
    ({ addresses }) =>
      canonicalsOf(addresses)
        .map((_, i) => `<a href="/canonical-${i}">a</a>`)
        .join(''),
    [kept(), asked('/first'), asked('/canonical-0')],
    {
      isQuick: true,
      answer({ target, addresses }) {
        const [, i] = /^\/canonical-(\d+)$/.exec(target) ?? [];
        const url = i === undefined ? undefined : canonicalsOf(addresses)[Number(i)];
        return url === undefined ? undefined : response({ body: `<link rel=canonical href="${url}">` });
      },
    },
  ),
  targets('feeds', (url) => `<link rel=alternate type="application/rss+xml" href="${url}">`),
  targets('css', (url) => `<style>@import "${url}"; a { background: url(${url}) }</style>`),
  {
    ...targets('meta refresh', (url) => `<meta http-equiv=refresh content="0; url=${url}">`),
    checks: [kept(), asked('/first')],
  },
];

const PORTS: readonly HostileCase[] = [
  pageCase(
    'ports: links to all that browsers refuse',
    ({ addresses: { origin, port, canaryPath } }) =>
      [
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
        104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513,
        514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720,
        1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
      ]
        .map((bad) => `<a href="${origin.replace(`:${port}`, `:${bad}`)}${canaryPath}">a</a>`)
        .join(''),
    [kept(), asked('/first'), asked('/last')],
    { isQuick: true },
  ),
];

export const PRIVATE_CASES: readonly HostileCase[] = [...TARGETS, ...PORTS];
