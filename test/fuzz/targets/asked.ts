/** Inputs of people and programs: the API, the configuration, the command line. */

import assert from 'node:assert/strict';
import { parseArgs } from '../../../cli/args.ts';
import { parseCrawlConfig } from '../../../cli/crawl-config.ts';
import {
  isDate,
  parseBlock,
  parseBytes,
  parseDollars,
  parseDuration,
  parsePattern,
  parsePin,
} from '../../../cli/format.ts';
import { seedLines } from '../../../cli/seeds.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { VERBS } from '../../../cli/verbs.ts';
import { crawlConfigSchema, InvalidConfig, parseConfig } from '../../../shared/core/crawl/config.ts';
import { allowLinearFlag } from '../../../shared/engines/linear-regexps.ts';
import { patternCost } from '../../../shared/services/control/pattern-cost.ts';
import { handleRequest } from '../../../shared/services/http-api/routes.ts';
import { OPTIONS } from '../../cli/commands.ts';
import { openRoom } from '../../services/control/control-room.ts';
import { type FuzzTarget, MB } from '../target.ts';

allowLinearFlag();

const CONFIG_KEYS = Object.keys(crawlConfigSchema().shape).map((key) => `"${key}":`);
const JSON_PARTS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    'null',
    'true',
    '0',
    '-1',
    '1e999',
    '""',
    '[]',
    '{}',
    '"a"',
    '"a{#}",',
  ],
  ...[
    '"x{#}":1,',
    '{"a":',
    '[[',
    '"__proto__":{},',
    '"/a{#}/"',
    '"(a+)+$"',
    '"*.example.org"',
    '{"hosts":["a{#}"]},',
    '5,',
  ],
];

/** The text as JSON, or undefined: such a request is refused before. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function answerOf(input: Buffer) {
  const text = input.toString();
  const end = text.indexOf('\n');
  const [target = '', body] = end < 0 ? [text] : [text.slice(0, end), text.slice(end + 1)];
  const [, method = 'GET', rest = ''] = /^([A-Z]+) (.*)$/s.exec(target) ?? [undefined, 'GET', target];
  const [path = '', search = ''] = rest.split('?', 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const errors: unknown[] = [];
  const { control } = openRoom();
  const answer = await handleRequest(control, { method, path, query, body }, (error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
  return answer;
}

const commandLine = (input: Buffer) => parseArgs(input.toString().split('\n'));

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'api',
    tokens: [
      ...[
        'GET ',
        'POST ',
        'DELETE ',
        'PATCH ',
        '/crawls',
        '/crawls/one',
        '/seeds',
        '/pause',
        '/resume',
        '/hosts',
        '/domains',
        '/url',
        '/captures',
        '/openapi.json',
      ],
      ...[
        '/crawls\n',
        '/crawls/one/seeds\n',
        'POST /crawls\n{',
        '?url=',
        '?limit=',
        '&cursor=',
        '&matchType=',
        '&from=',
        '&to=',
        '%',
        '%2f',
        '%00',
        '\n',
        '/',
        '/{#}',
      ],
      ...[
        '{"crawl":"one","seeds":["',
        '","',
        '"]',
        ',"config":{',
        '}}',
        '"https://a{#}.test/",',
        '"a{#}.test",',
        ...JSON_PARTS,
        ...CONFIG_KEYS,
      ],
    ],
    frames: [
      ['POST /crawls\n{"crawl":"one","seeds":["a.test"],"config":{', '}}'],
      ['POST /crawls\n{"crawl":"one","config":{},"seeds":[', ']}'],
      ['POST /crawls\n{"crawl":"one","seeds":["a.test"],"config":{"exclude":[', ']}}'],
      ['POST /crawls\n', ''],
      ['GET /crawls/', '/hosts'],
      ['GET /crawls/one/url?url=', ''],
      ['GET /crawls/one/domains?limit=', ''],
      ['GET /crawls/one/captures?url=', ''],
      ['GET /crawls/one/captures?url=a.test&from=', '&cursor=e30'],
      ['GET /', '?a=b'],
    ],
    nests: ['[', '{"a":', '"a":{'],
    // `MAX_BODY_BYTES`
    maxBytes: MB,
    maxUsPerByte: 2,
    maxHeldPerByte: 512,
    run: answerOf,
    async check(input) {
      const { status, body } = await answerOf(input);
      assert.ok(status >= 200 && status < 500, `status ${status}`);
      JSON.stringify(body);
    },
  },
  {
    name: 'configuration',
    tokens: [...JSON_PARTS, ...CONFIG_KEYS, '5,', 'true,', '["a"],', '[],', '{},', '-5,', '"any",'],
    frames: [
      ['"exclude":[', '],'],
      ['"overrides":[', '],'],
      ['"contact":"', '",'],
      ['"overrides":[{"hosts":[', ']}]'],
    ],
    nests: ['[', '"a":{', '[['],
    maxBytes: MB,
    maxUsPerByte: 2,
    maxHeldPerByte: 512,
    prepare: (document) => Buffer.from(`{${document.toString().replace(/,$/, '')}}`),
    run: (input) => parseConfig(parsed(input.toString())),
    isDocumented: (error) => error instanceof InvalidConfig,
    check(input) {
      const given = parsed(input.toString());
      let config: unknown;
      try {
        config = parseCrawlConfig(given);
      } catch (error) {
        assert.ok(error instanceof InvalidConfig, String(error));
        assert.ok(error.message.length < 100_000, 'a very long message');
        return;
      }
      assert.deepEqual(parseConfig(parsed(JSON.stringify(config))), config, 'kept and read again');
    },
  },
  {
    name: 'command line',
    tokens: [
      ...VERBS.flatMap((verb) => [`${verb}\n`, `\n${verb}`]),
      ...OPTIONS.flatMap(({ name }) => [`\n--${name}\n`, `\n--${name}=`, `\n--no-${name}`]),
      ...[
        '\n',
        '--',
        '-',
        '-c\n',
        'config=',
        '=',
        '5',
        '10MB',
        '2h',
        'https://a.test/',
        'a.test',
        'crawls/a',
        '\n--stack\n',
        '\n--stack=a',
      ],
    ],
    frames: [
      ['crawl\n', ''],
      ['crawl\nhttps://a.test/\n--', '=5'],
      ['crawl\na.test\n--exclude\n', ''],
      ['export\n', ''],
      ['\n--stack\na\n', 'status'],
    ],
    maxBytes: 128 * 1024,
    maxUsPerByte: 2,
    maxHeldPerByte: 256,
    run: commandLine,
    isDocumented: (error) => error instanceof UsageError || error instanceof InvalidConfig,
  },
  {
    name: 'values of options',
    tokens: [
      '5',
      '.5',
      'k',
      'KiB',
      'ms',
      'h',
      '2026-01-02',
      'T03:04:05',
      'Z',
      '+01:00',
      '*.a=127.0.0.1',
      '10.0.0.0/8',
      '::1/128',
      ' ',
      '(',
      'a*',
    ],
    maxBytes: 64 * 1024,
    maxUsPerByte: 2,
    maxHeldPerByte: 64,
    run(input) {
      const text = input.toString();
      const values = [parseBytes, parseDuration, parseDollars, isDate, parsePin, parseBlock].map((parse) =>
        parse(text),
      );
      return [...values, parsePattern(text.slice(0, 2000)) && patternCost(text.slice(0, 2000), 2083)];
    },
  },
  {
    name: 'files of seeds',
    tokens: [
      'https://a{#}.test/\n',
      'a.test\n',
      '# comment\n',
      '\n',
      '\r\n',
      '\ufeff',
      'http://',
      'ü.test\n',
      '//',
      ':',
      '\t',
    ],
    maxBytes: MB,
    maxUsPerByte: 2,
    maxHeldPerByte: 128,
    run: (input) => seedLines(input.toString(), 'seeds.txt'),
    isDocumented: (error) => error instanceof UsageError,
  },
];
