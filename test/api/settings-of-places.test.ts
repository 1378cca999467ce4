/**
 * Each setting of a crawl by each way to begin one: the library and the command line on one machine, the library and the
 * command line on a stack, and the HTTP API. A place without the setting says why.
 */
import { describe, expect, test } from 'vitest';
import { readStartOptions } from '../../api/local/read-options.ts';
import { readStackOptions } from '../../api/stack/start-stack-crawl.ts';
import { FILE_OPTIONS } from '../../cli/file-options.ts';
import { type CrawlOptions, parseConfig } from '../../shared/core/crawl/config.ts';
import { sentencesOf } from '../../shared/core/crawl/settings/sentences.ts';
import type { Place, Setting } from '../../shared/core/crawl/settings/setting.ts';
import { missingAt, SETTING_LIST, type SettingKey } from '../../shared/core/crawl/settings/settings.ts';
import { controlPolicyOf } from '../../shared/engines/aws/control-policy.ts';
import { STACK_CRAWL_DEFAULTS } from '../../shared/engines/aws/settings.ts';
import { allowLinearFlag } from '../../shared/engines/linear-regexps.ts';
import type { NewCrawl } from '../../shared/services/control/control.ts';
import { planRequest } from '../../shared/services/control/plan-request.ts';
import { openApiDocument } from '../../shared/services/http-api/openapi.ts';
import { ROUTES } from '../../shared/services/http-api/route-table.ts';
import { FILES, optionsOf, parsed } from '../cli/commands.ts';

// As the processes of a stack do when they start.
allowLinearFlag();

const SEEDS = ['https://example.org/'];
const POLICY = controlPolicyOf({
  crawlDefaults: { ...STACK_CRAWL_DEFAULTS, contact: 'me@example.org' },
  allowPrivateAddresses: ['127.0.0.0/8'],
  allowPorts: [6000],
  workerTimeoutMs: 900_000,
  rendererFunction: 'renderer',
});

/** Returns the configuration that a request to a stack begins with. */
const requested = (request: NewCrawl): CrawlOptions => planRequest(request, POLICY).record.config;

const PEM = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----';
const KEY = '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----';

/** A value that differs from the default, where the kind of the setting does not say one. */
const VALUES: Readonly<Partial<Record<SettingKey, unknown>>> = {
  include: ['x'],
  exclude: ['/private/'],
  urlRules: { sortQuery: true },
  trapMinNew: 0.5,
  recrawlEveryMs: 60_000,
  recrawlSchedule: '@daily',
  recrawlTimeZone: 'Europe/Berlin',
  domains: ['example.org'],
  domainBudgets: { 'example.org': 5 },
  ipDelayExcept: ['104.16.0.0/13'],
  contact: 'you@example.org',
  from: 'you@example.org',
  identity: { key: 'identity.json' },
  headers: { 'example.org': { 'x-a': 'b' } },
  cookies: [{ domain: 'example.org', name: 'a', value: 'b' }],
  auth: { 'example.org': 'me:secret' },
  allowPrivateAddresses: ['127.0.0.0/8'],
  certificateAuthorities: [PEM],
  clientCertificates: [{ hosts: ['seeds'], certificate: PEM, key: KEY }],
  overrides: [{ hosts: ['example.org'], delayMs: 5000 }],
};

/** Values by kind: as a program gives them, and as they are written on a command line. */
const BY_TYPE: Readonly<Partial<Record<Setting['type'], readonly [value: unknown, text: string]>>> = {
  bytes: [5000, '5000'],
  countOrOff: [5, '5'],
  domainBudget: [5, '5'],
  dollars: [5, '5'],
  date: ['2026-01-31', '2026-01-31'],
  list: [['de'], 'de'],
  patterns: [['x'], 'x'],
  urls: [['https://example.org/map.xml'], 'https://example.org/map.xml'],
  pins: [[['*.test', '127.0.0.1']], '*.test=127.0.0.1'],
  folders: [[['docs.example.org', './public']], 'docs.example.org=./public'],
  proxies: [[{ url: 'http://proxy.example:8080' }], 'http://proxy.example:8080'],
  ports: [[6000], '6000'],
  addresses: [['127.0.0.0/8'], '127.0.0.0/8'],
  rules: [
    { trackingParameters: false, sessionParameters: false, sortQuery: true, indexPages: false },
    'sortQuery',
  ],
};

function sampleOf(key: SettingKey, { type, choices, default: preset }: Setting): unknown {
  if (VALUES[key] !== undefined) return VALUES[key];
  if (type === 'flag') return preset !== true;
  if (type === 'choice') return choices?.find((choice) => choice !== preset);
  if (type === 'text') return 'Another/1.0';
  if (BY_TYPE[type]) return BY_TYPE[type][0];
  // Below the default, where a stack may have a bound.
  return typeof preset === 'number' && preset > 1 ? preset - 1 : type === 'duration' ? 5000 : 5;
}

/** Returns the message of the error. */
async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

const WAYS: readonly {
  readonly name: string;
  readonly place: Place;
  begin(options: CrawlOptions): CrawlOptions;
}[] = [
  {
    name: 'startCrawl',
    place: 'machine',
    begin: (options) => {
      const { start } = readStartOptions({ ...options, seeds: SEEDS });
      return (start as { readonly options: CrawlOptions }).options;
    },
  },
  {
    name: 'startCrawl with a stack',
    place: 'stack',
    begin(options) {
      const { options: config, seeds } = readStackOptions({ ...options, stack: 'S', seeds: SEEDS });
      return requested({ config, seeds });
    },
  },
  { name: 'the HTTP API', place: 'stack', begin: (config) => requested({ config, seeds: SEEDS }) },
];

describe.each(WAYS)('$name', ({ place, begin }) => {
  test.each(SETTING_LIST)('takes %s, or says why it does not exist there', async (key, setting) => {
    const value = sampleOf(key, setting);
    const reason = missingAt(place)[key];
    if (reason === undefined) expect(begin({ [key]: value })[key]).toEqual(value);
    else {
      const message = await refusal(() => begin({ [key]: value }));
      expect(message).toContain(key);
      expect(message).toContain(reason);
    }
  });

  test.each(SETTING_LIST)('refuses a value of %s that it cannot have, by its name', async (key) => {
    expect(await refusal(() => begin({ [key]: { no: { such: [1] } } }))).toContain(key);
  });

  test.each(SETTING_LIST)('gives %s its default', (key, { default: preset, stackDefault }) => {
    const found = parseConfig(begin({}))[key];
    const expected = (place === 'stack' ? stackDefault : undefined) ?? preset;
    if (key === 'contact') expect(found).toBe(place === 'stack' ? 'me@example.org' : undefined);
    else if (key === 'urlRules') expect(found).toEqual(parseConfig({}).urlRules);
    else expect(found).toEqual(expected);
  });
});

const WITH_OPTION = SETTING_LIST.filter(([, { option }]) => option !== undefined);

/** The words by which the command line sets a value. */
function wordsOf(key: SettingKey, setting: Setting, value: unknown): string[] {
  const { option, type } = setting;
  if (type === 'flag') return [`--${value === true ? '' : 'no-'}${option}`];
  if (type === 'addresses') return [`--${option}=127.0.0.0/8`];
  if (type === 'duration') return [`--${option}`, `${Number(value)}ms`];
  const text = BY_TYPE[type]?.[1];
  return [`--${option}`, text !== undefined && VALUES[key] === undefined ? text : String(value)];
}

describe.each<[name: string, place: Place, before: string[]]>([
  ['strand crawl', 'machine', []],
  ['strand --stack S crawl', 'stack', ['--stack', 'S']],
])('%s', (_, place, before) => {
  test.each(WITH_OPTION)(
    'takes the option of %s, or says why it does not exist there',
    async (key, setting) => {
      const written = setting.type === 'rules' ? BY_TYPE.rules![0] : sampleOf(key, setting);
      const words =
        setting.type === 'rules' ? [`--${setting.option}`, 'sortQuery'] : wordsOf(key, setting, written);
      const line = [...before, 'crawl', 'example.org', ...words];
      const reason = missingAt(place)[key];
      if (reason === undefined) expect((await parsed(line)).options).toEqual({ [key]: written });
      else expect(await refusal(() => parsed(line))).toContain(`--${setting.option}`);
      if (reason !== undefined) expect(await refusal(() => parsed(line))).toContain(reason);
    },
  );
});

test.each(FILE_OPTIONS)('the command line takes --$name where $sets exists', async ({ name, sets }) => {
  const line = ['crawl', 'example.org', `--${name}`, 'given'];
  expect(await refusal(() => parsed(line))).toBe('');
  const reason = missingAt('stack')[sets];
  const refused = await refusal(() => parsed(['--stack', 'S', ...line]));
  if (reason === undefined) expect(refused).toBe('');
  else expect(refused).toContain(reason);
});

test('the help of the command line and the description of the API say the same of a setting', () => {
  const { components } = openApiDocument(ROUTES) as {
    components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
  };
  const { CrawlConfig, ResumeLimits } = components.schemas;
  for (const [key, setting] of SETTING_LIST) {
    expect(CrawlConfig!.properties[key]?.description).toBe(sentencesOf(setting));
    const resumed = ResumeLimits!.properties[key]?.description;
    const isThere = setting.resume !== undefined && setting.resume !== 'machine';
    expect(resumed).toBe(isThere ? sentencesOf(setting) : undefined);
    const option = optionsOf('crawl').find((one) => one.key === key);
    if (option) expect(option.help.toLowerCase()).toContain(setting.doc.replaceAll('`', '').toLowerCase());
  }
  expect(FILES.crawl.options.length).toBeGreaterThan(WITH_OPTION.length);
});
