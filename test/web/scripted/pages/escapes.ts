import { page, render, type ScriptedPage } from '../scripted-page.ts';

/** Where an escape would arrive. Each attempt has an address of its own, so that what is reached says which. */
export interface EscapePorts {
  /** HTTP, on all addresses of this machine. */
  readonly http: number;
  /** Accepts connections, for what begins with TLS or QUIC; datagrams, too. */
  readonly raw: number;
}

/** Pages that try to reach what the crawler does not request for them. */
export function escapePages({ http, raw }: EscapePorts): readonly ScriptedPage[] {
  let last = 9;
  /** The next address, with a path that names it. */
  const at = (name: string) => `http://127.0.0.${++last}:${http}/escape/${name}`;
  const securely = (name: string) => `https://127.0.0.${++last}:${raw}/escape/${name}`;
  const tried = (script: string) => `try{${script}}catch(e){}`;
  const one = (
    name: string,
    script: string,
    more: Partial<ScriptedPage> & { head?: string; body?: string } = {},
  ) => ({
    name,
    escapes: true,
    links: [`/leaf/${name}/0`],
    html: page(`${script};${render(name, 1)}`, { head: more.head ?? '', body: more.body ?? '' }),
    ...(more.headers && { headers: more.headers }),
  });
  const rtc = (where: string, of: string) =>
    `const p=new ${of}.RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.${++last}:${raw}'},{urls:'turn:127.0.0.${++last}:${raw}?transport=tcp',username:'a',credential:'b'}]});p.createDataChannel('x');p.createOffer().then(async o=>{await p.setLocalDescription(o);const q=new ${of}.RTCPeerConnection();await q.setRemoteDescription(o);const a=await q.createAnswer();await q.setLocalDescription(a);await p.setRemoteDescription(a);for(const t of ['udp','tcp'])await p.addIceCandidate({candidate:'candidate:1 1 '+t+' 2122260223 127.0.0.${++last} ${raw} typ host'+(t==='tcp'?' tcptype passive':''),sdpMid:'0',sdpMLineIndex:0}).catch(()=>{})}).catch(()=>{});globalThis.kept_${where}=p`;
  return [
    one(
      'escape-popup',
      `window.open('${at('popup')}','_blank','noopener');window.open('${at('popup-with-opener')}')`,
    ),
    one(
      'escape-blank-popup',
      `const w=window.open('');${tried(`w.fetch('${at('popup-fetch')}',{mode:'no-cors'}).catch(()=>{})`)}${tried(`w.document.body.innerHTML='<img src="${at('popup-image')}">'`)}${tried(`w.open('${at('popup-of-popup')}')`)}`,
    ),
    one('escape-popup-rtc', tried(`const w=window.open('');${rtc('popup', 'w')}`)),
    one('escape-rtc', tried(rtc('top', 'globalThis'))),
    one(
      'escape-frame-rtc',
      tried(
        `const f=document.createElement('iframe');document.body.append(f);const w=f.contentWindow;${rtc('frame', 'w')}`,
      ),
    ),
    one(
      'escape-transport',
      `${tried(`const w=new WebTransport('${securely('transport')}');w.ready.catch(()=>{});w.closed.catch(()=>{})`)}new Worker(URL.createObjectURL(new Blob(["try{const w=new WebTransport('${securely('worker-transport')}');w.ready.catch(()=>{});w.closed.catch(()=>{})}catch{}"])))`,
    ),
    one(
      'escape-socket',
      `new WebSocket('${at('socket').replace('http', 'ws')}');new WebSocket('${securely('socket').replace('http', 'ws')}');new Worker(URL.createObjectURL(new Blob(["new WebSocket('${at('worker-socket').replace('http', 'ws')}')"])));${tried(`new WebSocketStream('${at('socket-stream').replace('http', 'ws')}').opened.catch(()=>{})`)}`,
    ),
    one(
      'escape-service-worker',
      tried(
        `navigator.serviceWorker.register('/script/service-worker.js').then(()=>navigator.serviceWorker.ready).then(()=>fetch('/api/list?name=x&n=1')).catch(()=>{})`,
      ),
    ),
    one(
      'escape-worker-of-worker',
      `const inner="fetch('${at('inner-worker')}',{mode:'no-cors'}).catch(()=>{});try{importScripts('${at('inner-import')}')}catch{}";new Worker(URL.createObjectURL(new Blob(["new Worker(URL.createObjectURL(new Blob(["+JSON.stringify(inner)+"])))"])));new SharedWorker(URL.createObjectURL(new Blob([inner])))`,
    ),
    one(
      'escape-beacon',
      `navigator.sendBeacon('/escape/own-beacon','x');navigator.sendBeacon('${at('beacon')}','x');fetch('${at('keepalive')}',{method:'POST',body:'x',keepalive:true,mode:'no-cors'}).catch(()=>{});document.body.insertAdjacentHTML('beforeend','<a id=q href="#x" ping="/escape/own-ping ${at('ping')}">p</a>');q.click();addEventListener('pagehide',()=>{navigator.sendBeacon('/escape/unload','x');navigator.sendBeacon('${at('unload')}','x')});${tried(`fetchLater('/escape/later',{activateAfter:0})`)}`,
    ),
    one('escape-hints', '', {
      head: `<link rel=preconnect href="${at('preconnect')}"><link rel=dns-prefetch href="//prefetch.test"><meta http-equiv=x-dns-prefetch-control content=on><link rel=prefetch href="/escape/own-prefetch"><link rel=prefetch href="${at('prefetch')}"><link rel=preload as=image href="${at('preload')}"><link rel=modulepreload href="${at('modulepreload')}"><link rel=prerender href="/escape/prerender"><link rel=icon href="/escape/icon.png"><link rel=icon href="${at('icon')}"><link rel=manifest href="/escape/manifest.json"><link rel=apple-touch-icon href="/escape/touch.png"><link rel=compression-dictionary href="/escape/dictionary"><link rel=search type="application/opensearchdescription+xml" href="/escape/search.xml">`,
      headers: {
        link: `<${at('link-preload')}>; rel=preload; as=script, <${at('link-preconnect')}>; rel=preconnect`,
        'alt-svc': `h3="127.0.0.${++last}:${raw}"`,
      },
    }),
    one('escape-speculation', '', {
      head: `<script type=speculationrules>{"prerender":[{"source":"list","urls":["/escape/spec-prerender"],"eagerness":"immediate"}],"prefetch":[{"source":"list","urls":["/escape/spec-prefetch"],"eagerness":"immediate"},{"source":"list","urls":["${at('spec-other')}"],"eagerness":"immediate"},{"source":"list","urls":["${at('spec-proxied')}"],"requires":["anonymous-client-ip-when-cross-origin"]}]}</script>`,
    }),
    one(
      'escape-payment',
      tried(
        `new PaymentRequest([{supportedMethods:'${at('payment')}'}],{total:{label:'x',amount:{currency:'EUR',value:'1'}}}).canMakePayment().catch(()=>{})`,
      ),
    ),
    one(
      'escape-credentials',
      tried(
        `navigator.credentials.get({identity:{providers:[{configURL:'${securely('identity')}',clientId:'x'}],mode:'passive'}}).catch(()=>{})`,
      ),
    ),
    one(
      'escape-request',
      `const get=u=>fetch(u,{mode:'no-cors'}).catch(()=>{});for(const u of ['http://169.254.169.254/latest/meta-data/','${at('request')}','file:///etc/passwd','http://[::1]:${http}/escape/v6','http://localhost:${http}/escape/localhost','http://0.0.0.0:${http}/escape/zero'])get(u);get('/go/302?to=${encodeURIComponent(at('redirected'))}');import('${at('import')}').catch(()=>{})`,
    ),
    one(
      'escape-frame',
      `for(const u of ['file:///etc/passwd','chrome://version','view-source:file:///etc/passwd','${at('frame')}','ftp://127.0.0.9:${raw}/x','/go/302?to=${encodeURIComponent(at('frame-redirected'))}','javascript:fetch("${at('frame-script')}",{mode:"no-cors"})']){const f=document.createElement('iframe');f.src=u;document.body.append(f)}`,
    ),
    one(
      'escape-asset',
      `new Image().src='${at('image')}';document.fonts.add(new FontFace('x','url(${at('font')})'));document.fonts.load('12px x').catch(()=>{});const s=document.createElement('style');s.textContent='@import "${at('import-style')}";body{background:url(${at('background')})}@font-face{font-family:y;src:url(${at('style-font')})}p{font-family:y}';document.head.append(s);document.body.insertAdjacentHTML('beforeend','<object data="${at('object')}"></object><embed src="${at('embed')}"><video src="${at('video')}" poster="${at('poster')}" autoplay muted><track default kind=captions src="${at('track')}"></video><svg><use href="${at('use')}#x"/><image href="${at('svg-image')}"/></svg><img srcset="${at('srcset')} 2x" attributionsrc="${at('attribution')}"><input type=image src="${at('input')}"><link rel=stylesheet href="${at('stylesheet')}"><table background="${at('table')}"></table>')`,
    ),
    one(
      'escape-stylesheet-of-xml',
      `const f=document.createElement('iframe');f.src='/script/styled.xml?to=${encodeURIComponent(at('xslt'))}';document.body.append(f)`,
    ),
    one('escape-report', `new Image().src='/escape/own-image';fetch('/no/such')`, {
      head: `<meta http-equiv="Content-Security-Policy-Report-Only" content="img-src 'none'; report-uri ${at('report')}">`,
      headers: {
        'content-security-policy-report-only': `img-src 'none'; report-to main; report-uri ${at('report-uri')}`,
        'reporting-endpoints': `main="http://127.0.0.1:${http}/escape/reporting"`,
        nel: '{"report_to":"main","max_age":100,"success_fraction":1}',
        'report-to': `{"group":"main","max_age":100,"endpoints":[{"url":"http://127.0.0.1:${http}/escape/report-to"}]}`,
      },
    }),
    one(
      'escape-navigation',
      `document.body.insertAdjacentHTML('beforeend','<form id=f method=post action="${at('form')}"><input name=a></form><form id=g target=_blank method=post action="${at('form-popup')}"></form><form id=h target=inner method=post action="${at('form-frame')}"></form><iframe name=inner></iframe>');f.submit();g.submit();h.submit();setTimeout(()=>{location.href='${at('location')}'},20)`,
    ),
    one(
      'escape-browser-service',
      `${tried(`new webkitSpeechRecognition().start()`)}${tried(`navigator.geolocation.getCurrentPosition(()=>{},()=>{})`)}${tried(`LanguageModel.create().catch(()=>{})`)}${tried(`Translator.create({sourceLanguage:'en',targetLanguage:'de'}).catch(()=>{})`)}${tried(`sharedStorage.worklet.addModule('${at('worklet')}').catch(()=>{})`)}${tried(`navigator.joinAdInterestGroup({owner:location.origin,name:'x',updateURL:location.origin+'/escape/update',biddingLogicURL:location.origin+'/escape/bid'},100).catch(()=>{});navigator.runAdAuction({seller:location.origin,decisionLogicURL:location.origin+'/escape/decide',interestGroupBuyers:[location.origin]}).catch(()=>{})`)}`,
    ),
  ];
}
