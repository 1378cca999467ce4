import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PLAIN } from './features.ts';
import { generateWeb } from './graph.ts';
import { type RunningWeb, startWeb } from './server.ts';

let running: RunningWeb;
beforeEach(async () => {
  const features = { ...PLAIN, broken: true, neverAnswers: true, retryAfter: true };
  running = await startWeb(generateWeb({ seed: 1, hosts: 1, pagesPerHost: 3, features }));
});
afterEach(() => running.stop());

/** Returns the answer to these bytes until the server closes. */
async function send(bytes: string): Promise<string> {
  const socket = connect(running.port, running.address);
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.write(bytes);
  // Not `once`: that rejects when the connection is reset.
  await new Promise((resolve) => socket.on('close', resolve));
  return received;
}

const get = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: H0.test:${running.port}\r\n${more}\r\n`;
const paths = () => running.log.map(({ path, status }) => `${status} ${path}`);

test('pipelined requests are answered in order, and logged from when they came', async () => {
  const received = await send(get('/') + get('/no') + get('/', 'Connection: close\r\n'));
  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  expect(paths()).toEqual(['200 /', '404 /no', '200 /']);
  const [first, second] = running.log;
  expect(second!.startedAt).toBeLessThanOrEqual(first!.endedAt);
  expect(new Set(running.log.map(({ host }) => host))).toEqual(new Set([`h0.test:${running.port}`]));
});

test('a body is as long as its Content-Length, and a HEAD has none', async () => {
  const whole = await send(get('/', 'Connection: close\r\n'));
  const head = await send(get('/', 'Connection: close\r\n').replace('GET', 'HEAD'));
  expect(whole.slice(0, head.length)).toBe(head);
  expect(whole.length - head.length).toBe(Number(/Content-Length: (\d+)/.exec(head)?.[1]));
});

test('what is no HTTP is refused and not logged; the absolute form is understood', async () => {
  expect(await send('HELO\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  expect(running.log).toEqual([]);
  expect(await send(`GET http://h0.test:${running.port}/ HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  expect(paths()).toEqual(['200 /']);
});

test.each([
  ['closed', '', 0],
  ['reset', '', 0],
  ['garbage', 'SSH-2.0', 0],
  ['truncated', 'HTTP/1.1 200 OK', 200],
  ['header-flood', 'HTTP/1.1 200 OK\r\nX-Flood-0', 200],
  ['closed-once', '', 0],
])('/x/broken/%s breaks as it says', async (name, start, status) => {
  const received = await send(get(`/x/broken/${name}`));
  expect(received.startsWith(start)).toBe(true);
  expect(received).not.toMatch(/\r\n\r\n<!doctype/);
  expect(received.length).toBeGreaterThan(name === 'header-flood' ? 4_000_000 : -1);
  expect(paths()).toEqual([`${status} /x/broken/${name}`]);
  if (name === 'closed-once')
    expect(await send(get(`/x/broken/${name}`, 'Connection: close\r\n'))).toMatch(/200 OK/);
});

test('a URL that never answers is let go when the client goes, and when the server stops', async () => {
  const socket = connect(running.port, running.address);
  const other = connect(running.port, running.address).on('error', () => {});
  socket.write(get('/x/never-answers/never'));
  other.write(get('/x/never-answers/never'));
  // Whatever is answered on a third connection by now shows that the two were read.
  while (running.log.length < 2) await send(get('/', 'Connection: close\r\n'));
  socket.destroy();
  await running.stop();
  for (const entry of running.log.filter(({ path }) => path !== '/')) {
    expect(entry.isAborted).toBe(true);
    expect(entry.endedAt).toBeLessThan(Infinity);
  }
});

test('Retry-After is logged as the time that it means', async () => {
  for (const name of ['seconds-503', 'date-503', 'seconds-429']) {
    const received = await send(get(`/x/retry-after/${name}`, 'Connection: close\r\n'));
    const value = /Retry-After: (.*)\r/.exec(received)![1]!;
    const { startedAt, retryAt } = running.log.at(-1)!;
    expect(retryAt! - startedAt).toBeGreaterThan(990);
    // A date has whole seconds.
    expect(retryAt! - Date.now()).toBeLessThanOrEqual(2000);
    if (name.startsWith('date')) expect(retryAt).toBe(Date.parse(value));
    else expect(value).toBe('1');
  }
});
