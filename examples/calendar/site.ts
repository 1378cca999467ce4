/** A small site to try the example on: `node examples/calendar/site.ts`. Its events are linked from calendars alone. */
import { createServer, type Server } from 'node:http';

const EVENTS = ['Harbour concert', 'Open lighthouse', 'Boat race'];

const calendar = EVENTS.map(
  (name, i) =>
    `BEGIN:VEVENT\r\nSUMMARY:${name.slice(0, 5)}\r\n ${name.slice(5)}\r\nURL:/event/${i}\r\nEND:VEVENT`,
).join('\r\n');

const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/': [
    'text/html',
    '<title>Harbour</title><a href="/events.ics">Events</a> <a href="/old.ics">Old events</a>',
  ],
  '/events.ics': [
    'text/calendar; charset=utf-8',
    `BEGIN:VCALENDAR\r\nX-WR-CALNAME:Events\r\n${calendar}\r\nEND:VCALENDAR`,
  ],
  '/old.ics': ['text/calendar', 'Sorry, the old events are gone'],
  ...Object.fromEntries(
    EVENTS.map((name, i) => [
      `/event/${i}`,
      ['text/html', `<title>${name}</title><h1>${name}</h1>`] as const,
    ]),
  ),
};

export function createHarbour(): Server {
  return createServer(({ url = '/' }, response) => {
    const [type, body] = FILES[url] ?? [];
    response.writeHead(type === undefined ? 404 : 200, { 'Content-Type': type ?? 'text/plain' }).end(body);
  });
}

if (import.meta.main) {
  createHarbour().listen(8104, '127.0.0.1', () =>
    process.stdout.write('The site is at http://127.0.0.1:8104/\n'),
  );
}
