/** The webhook of a stack is read from its parameter. */
import { expect, test } from 'vitest';
import { webhookInParameter } from '../../functions/webhook-parameter.ts';
import type { WebhookEvent, WebhookTarget } from '../../shared/services/webhook/webhook.ts';

const HOUR_MS = 3_600_000;
const target = (name: string): WebhookTarget => ({
  url: `https://${name}.test/hook`,
  secret: 'a long enough secret',
});
const EVENT: WebhookEvent = { id: '1', type: 'crawlFinished', time: '', crawl: 'c', data: {} };

/** `values`: what each reading of the parameter gives; an error is thrown, and the last one stays. */
function setUp(...values: (string | Error)[]) {
  const log: string[] = [];
  let now = 0;
  const sink = webhookInParameter({
    parameter: '/strand/hook',
    clock: { now: () => now },
    async read(parameter) {
      log.push(`read ${parameter}`);
      const value = values.length > 1 ? values.shift() : values[0];
      if (value instanceof Error) throw value;
      return value as string;
    },
    open({ url }) {
      log.push(`open ${url}`);
      return { send: async (events) => void log.push(`${events.length} to ${url}`) };
    },
  });
  return {
    log,
    send: (...events: WebhookEvent[]) => sink.send(events, Infinity),
    pass(ms: number) {
      now += ms;
    },
  };
}

test('it is read before the first event, and again after an hour', async () => {
  const { log, send, pass } = setUp(JSON.stringify(target('a')), JSON.stringify(target('b')));
  expect(await send()).toBeUndefined();
  expect(log).toEqual([]);
  await send(EVENT);
  pass(HOUR_MS - 1);
  await send(EVENT);
  pass(1);
  await send(EVENT);
  expect(log).toEqual([
    ...[
      'read /strand/hook',
      'open https://a.test/hook',
      '1 to https://a.test/hook',
      '1 to https://a.test/hook',
    ],
    ...['read /strand/hook', 'open https://b.test/hook', '1 to https://b.test/hook'],
  ]);
});

test('one that has not changed goes on: it knows what was received', async () => {
  const { log, send, pass } = setUp(JSON.stringify(target('a')));
  await send(EVENT);
  pass(HOUR_MS);
  await send(EVENT);
  expect(log.filter((line) => line.startsWith('open'))).toHaveLength(1);
});

test.each<[string | Error, string]>([
  [new Error('ParameterNotFound'), 'webhook: the parameter /strand/hook: ParameterNotFound'],
  ['', 'Expected /strand/hook to hold { "url", "secret" } as JSON'],
  ['hidden', 'Expected /strand/hook to hold'],
  ['null', 'Expected /strand/hook to hold'],
  ['{"url":"ftp://hidden.test/","secret":"a long enough secret"}', 'Expected /strand/hook to hold'],
  ['{"url":"https://hidden.test/","secret":"short"}', 'Expected /strand/hook to hold'],
])(
  '%s is a reason that shows nothing of the value, and the next try reads it again',
  async (value, reason) => {
    const { log, send } = setUp(value, JSON.stringify(target('a')));
    const said = await send(EVENT);
    expect(said).toContain(reason);
    expect(said).not.toContain('hidden');
    expect(await send(EVENT)).toBeUndefined();
    expect(log.at(-1)).toBe('1 to https://a.test/hook');
  },
);
