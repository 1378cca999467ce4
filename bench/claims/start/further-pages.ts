/** Reads pages of a session one after the other: `node further-pages.ts ORIGIN PAGES`. Prints the CPU of all but the first. */
import { openPages } from '../../../api/open-pages.ts';

const [origin = '', count = '100'] = process.argv.slice(2);
const pages = await openPages({ allowPrivateAddresses: ['127.0.0.0/8'], delayMs: 0, adaptive: false });
await pages.read(`${origin}/1`);
const before = process.cpuUsage();
for (let n = 2; n <= Number(count); n++) await pages.read(`${origin}/${n}`);
const { user, system } = process.cpuUsage(before);
await pages.close();
process.stdout.write(`${(user + system) / 1000 / (Number(count) - 1)}\n`);
