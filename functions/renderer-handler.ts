import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_MS } from '../shared/crawler/renderer/browser.ts';
import { drawByBrowser } from '../shared/crawler/renderer/rounds/draw-by-browser.ts';
import { renderRound } from '../shared/crawler/renderer/rounds/render-round.ts';
import { decodeAsk, encodeReply } from '../shared/crawler/renderer/rounds/round-messages.ts';

export interface RendererDeps {
  /** The folder of the browser, its libraries and fonts, as `cdk/unpack-chromium.ts` makes it. */
  readonly browserFolder: string;
  /** The only folder that can be written to. */
  readonly temporaryFolder: string;
  /** Where Lambda has libraries of its own. */
  readonly libraryPath: string | undefined;
}

/** Renders one round of a page in each invocation, by a browser that ends with it. */
export function createRendererHandler({ browserFolder, temporaryFolder, libraryPath }: RendererDeps) {
  const fontsFile = join(temporaryFolder, 'fonts.conf');
  const libraries = [join(browserFolder, 'lib'), ...(libraryPath === undefined ? [] : [libraryPath])];
  const draw = drawByBrowser({
    program: { path: join(browserFolder, 'chromium'), isShell: true },
    temporaryFolder,
    startMs: START_MS,
    environment: { LD_LIBRARY_PATH: libraries.join(':'), FONTCONFIG_FILE: fontsFile },
  });
  return async (event: object): Promise<object> => {
    writeFileSync(fontsFile, fontsConf(join(browserFolder, 'fonts'), temporaryFolder));
    return encodeReply(await renderRound(decodeAsk(event), draw));
  };
}

const fontsConf = (fonts: string, cache: string): string =>
  `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${join(cache, 'fonts-cache')}</cachedir></fontconfig>`;
