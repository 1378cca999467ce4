/** The site of scripted pages, in a process of its own: its CPU and memory are not those of the crawler. */
import { openScriptedSite } from '../../../test/web/scripted/site.ts';

const site = await openScriptedSite();
process.send?.(site.ports);
process.on('message', () => process.send?.(site.takeEscapes()));
process.on('disconnect', () => process.exit());
