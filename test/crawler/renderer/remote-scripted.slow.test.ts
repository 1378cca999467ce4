/** Each page of the site of scripted pages, rendered by a browser that Strand has not started. */
import { afterAll } from 'vitest';
import { lacks } from '../../needs.ts';
import { scriptedPagesContract } from '../../web/scripted/scripted-contract.ts';
import { openRenderer, openSite } from './open-renderer.ts';
import { startRemoteShell } from './remote-shell.ts';

const { site, parts } = await openSite();
const shell = lacks('browser') ? undefined : await startRemoteShell();
afterAll(() => shell?.close());
const renderer = openRenderer({ program: shell?.browser });
scriptedPagesContract({ need: 'browser', site, parts, renderer });
