/** URL spaces without an end. What is in them may be requested, each URL once, and never must be. */
import { hash } from '../random.ts';
import { page } from '../resource.ts';
import { link, type MakeCorner } from './corner.ts';

export const TRAPS = '/x/traps/';

export const traps: MakeCorner = (site) => ({
  resources: {},
  entries: ['calendar?month=0', 'deeper/', 'shop?item=1&sid=0'].map((path) => link(site, TRAPS + path)),
  further: (path) => {
    const to = (rest: string) => link(site, TRAPS + rest);
    const month = /^\/x\/traps\/calendar\?month=(-?\d{1,9})$/.exec(path)?.[1];
    if (month !== undefined) {
      const days = Array.from({ length: 28 }, (_, day) => to(`calendar?month=${month}&day=${day + 1}`));
      return page('calendar', [
        to(`calendar?month=${Number(month) + 1}`),
        to(`calendar?month=${Number(month) - 1}`),
        ...days,
      ]);
    }
    if (/^\/x\/traps\/calendar\?month=-?\d{1,9}&day=\d{1,2}$/.test(path)) return page('day');
    if (/^\/x\/traps\/deeper\/(further\/)*$/.test(path))
      return page('deeper', [to(`${path.slice(TRAPS.length)}further/`)]);
    if (/^\/x\/traps\/shop\?item=\d&sid=[0-9a-f]{1,8}$/.test(path)) {
      // A visitor without a cookie gets a new session with every page.
      const session = hash(site.origin, path).toString(16);
      return page(
        'shop',
        Array.from({ length: 5 }, (_, item) => to(`shop?item=${item}&sid=${session}`)),
      );
    }
    return undefined;
  },
});
