/**
 * The generated web as a process: `node bench/harness/web/main.ts HOSTS PAGES [SCHEME]`. Writes its port when it can be asked.
 */
import { serveWeb } from './server.ts';

const [hosts = '50', pages = '100', scheme = 'http'] = process.argv.slice(2);
const { port } = await serveWeb({
  hosts: Number(hosts),
  pages: Number(pages),
  scheme: scheme === 'https' ? 'https' : 'http',
});
console.log(port);
// The process that started it has died.
process.stdin.on('end', () => process.exit(0)).resume();
