/** Each page of the site of scripted pages, rendered as it is, and with behaviours. */
import { scriptedPagesContract } from '../../web/scripted/scripted-contract.ts';
import { openRenderer, openSite } from './open-renderer.ts';

const { site, parts } = await openSite();
scriptedPagesContract({ need: 'browser', site, parts, renderer: openRenderer() });
