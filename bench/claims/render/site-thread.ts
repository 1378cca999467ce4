/** The site of scripted pages, in a thread of its own: its CPU is not that of the crawler. */
import { parentPort } from 'node:worker_threads';
import { openScriptedSite } from '../../../test/web/scripted/site.ts';

const site = await openScriptedSite();
parentPort?.postMessage(site.ports);
parentPort?.on('message', () => parentPort?.postMessage(site.takeEscapes()));
