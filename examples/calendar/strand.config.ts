import { defineCrawl, type MediaModule } from 'strand-crawler';

/** Calendars (RFC 5545): the events as text, and the pages of the events as links. */
const calendar: MediaModule = {
  mediaTypes: ['text/calendar'],
  read({ text }) {
    // A line goes on in the next one, if that begins with a space.
    const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
    const valuesOf = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1));
    if (lines[0] !== 'BEGIN:VCALENDAR') throw new Error('it is no calendar');
    return {
      text: valuesOf('SUMMARY').join('\n\n'),
      markdown: valuesOf('SUMMARY')
        .map((summary) => `- ${summary}`)
        .join('\n'),
      links: valuesOf('URL'),
      metadata: { title: valuesOf('X-WR-CALNAME')[0] ?? 'Calendar', types: ['Event'] },
    };
  },
};

export default defineCrawl({
  crawl: { scope: 'host', delayMs: 500 },
  modules: [calendar],
  onPage: ({ url, title, markdown }) => ({ url, title, markdown }),
});
