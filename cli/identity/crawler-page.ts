/** A page for the owners of sites: who crawls, why, how fast, and how to stop it. */
import { DIRECTORY_PATH } from '../../shared/core/identity/directory.ts';
import { robotName } from '../../shared/core/robots/parse-robots.ts';
import type { Purpose } from '../../shared/core/usage/purpose.ts';
import { formatDuration } from '../format.ts';
import { type Html, html } from '../report/html.ts';
import { type AboutCrawler, contactUri } from './agent-card.ts';

const PURPOSES: Readonly<Record<Purpose, string>> = {
  archive: 'The pages are kept in an archive.',
  search: 'The pages are made searchable.',
  'ai-input': 'The pages are used as input for an AI system, for example to answer questions.',
  'train-ai': 'The pages are used to train AI models.',
  research: 'The pages are used for research.',
};

const STYLE = `
:root { --back: #fbfbf9; --text: #1d2329; --soft: #5d6873; --line: #dfe2e0; --panel: #f1f3f0; --link: #1f6297; }
@media (prefers-color-scheme: dark) {
  :root { --back: #13171b; --text: #e3e7ea; --soft: #98a3ad; --line: #2c343b; --panel: #1b2127; --link: #74b4e4; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 42rem; padding: 3rem 1.25rem 4rem; background: var(--back); color: var(--text);
  font: 17px/1.6 system-ui, sans-serif; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .4rem; }
p, ul { margin: .4rem 0; }
ul { padding-left: 1.3rem; }
.lead { font-size: 1.15rem; color: var(--soft); margin: 0; }
a { color: var(--link); }
code { font: .88em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; }
`;

/** A whole document without scripts, and without anything that is loaded. Texts of the operator are escaped. */
export function crawlerPage(crawler: AboutCrawler): string {
  const { config, about } = crawler;
  const name = robotName(config.userAgent) || config.userAgent;
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>About ${name}</title>
<style>${{ html: STYLE }}</style>
<main>
<h1>${name}</h1>
<p class="lead">${name} is a web crawler. If it has visited your site, this page says why, and how to change that.</p>
<h2>What it is for</h2>
${about === undefined ? undefined : html`<p>${about}</p>`}
${purposeText(crawler)}
<h2>How to recognize it</h2>
<p>Its requests have the header <code>User-Agent: ${userAgentOf(config)}</code>.</p>
${signatureText(crawler.agent)}
<h2>How fast it is</h2>
${paceText(config)}
<h2>How to stop it</h2>
${robotsText(name, config.robots === 'obey')}
${contactText(config.contact)}
</main>
</html>
`;
  return page.html.replaceAll(/\n{2,}/g, '\n');
}

type Config = AboutCrawler['config'];

const userAgentOf = ({ userAgent, contact }: Config): string =>
  contact === undefined ? userAgent : `${userAgent} (+${contact})`;

function purposeText({ about, config: { purpose } }: AboutCrawler): Html {
  if (purpose === undefined) return about === undefined ? html`<p>It reads public pages.</p>` : html``;
  const kept = html`<p>${PURPOSES[purpose]}</p>`;
  if (purpose === 'archive') return kept;
  return html`${kept}<p>What your site states about this use is respected: <code>Content-Usage</code>,
<code>Content-Signal</code>, TDMRep and <code>noai</code>.</p>`;
}

function signatureText(agent: string | undefined): Html {
  if (agent === undefined) return html``;
  const directory = agent + DIRECTORY_PATH;
  return html`<p>Anybody can send that header. So each request is signed
(<a href="https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/">Web Bot Auth</a>), with
<code>Signature-Agent: sig1="${agent}"</code>. The public keys are at <a href="${directory}">${directory}</a>.
A request that has our name and no valid signature by one of these keys may be from somebody else.</p>`;
}

function paceText({ delayMs, robots }: Config): Html {
  const pause =
    delayMs === 0
      ? html`It asks for one page after another.`
      : html`It waits at least ${formatDuration(delayMs)} between two requests to a host, and longer if the host answers slowly.`;
  const crawlDelay =
    robots === 'obey' ? html`, or if <code>Crawl-delay</code> in your robots.txt says so` : html``;
  return html`<p>${pause} It also waits longer if your server answers 429 or 503 with <code>Retry-After</code>${crawlDelay}.</p>`;
}

function robotsText(name: string, isObeyed: boolean): Html {
  if (!isObeyed)
    return html`<p>It does not follow robots.txt: it is meant for sites of its operator. If yours is not one of them, please write to us.</p>`;
  return html`<p>Put this into <code>/robots.txt</code> on your host:</p>
<pre>User-agent: ${name}
Disallow: /</pre>
<p>It follows robots.txt (<a href="https://www.rfc-editor.org/rfc/rfc9309">RFC 9309</a>) and reads it again after at most 24 hours. To keep it
away from a part of the site, name that part: <code>Disallow: /private/</code>.</p>`;
}

function contactText(contact: string | undefined): Html {
  if (contact === undefined) return html``;
  return html`<h2>Contact</h2>
<p>Write to <a href="${contactUri(contact)}">${contact}</a>. Please name your host and the time of the requests.</p>`;
}
