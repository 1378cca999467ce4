import { leaves, OTHER_HOST, page, render, type ScriptedPage } from '../scripted-page.ts';

/** A library in the manner of React: elements, state, effects, a scheduler that posts messages to itself. */
const COMPONENTS = `const el=(tag,props,...children)=>({tag,props,children:children.flat()});
let state,root,app;const channel=new MessageChannel();channel.port1.onmessage=()=>{const node=make(app());root.replaceChildren(node);for(const e of effects.splice(0))e()};
const schedule=()=>channel.port2.postMessage(0);const effects=[];let ran=false;
function useState(first){state??={value:first};return[state.value,v=>{state.value=v;schedule()}]}
function useEffect(run){if(!ran){ran=true;effects.push(run)}}
function make(e){if(typeof e==='string')return document.createTextNode(e);const n=document.createElement(e.tag);for(const[k,v]of Object.entries(e.props??{}))n.setAttribute(k,v);n.append(...e.children.map(make));return n}
function mount(component,at){app=component;root=at;schedule()}`;

/** A library in the manner of Vue: proxies, and updates in microtasks. */
const REACTIVE = `function reactive(data,render){let queued=false;return new Proxy(data,{set(o,k,v){o[k]=v;if(!queued){queued=true;Promise.resolve().then(()=>{queued=false;render(o)})}return true}})}`;

export const DRAWN_PAGES: readonly ScriptedPage[] = [
  {
    name: 'static',
    links: leaves('static', 3),
    html: `<!doctype html><title>Page</title>${leaves('static', 3)
      .map((url) => `<a href=${url}>x</a>`)
      .join('')}`,
  },
  {
    name: 'components',
    links: leaves('components', 8),
    html: page(
      `${COMPONENTS};mount(()=>{const[urls,set]=useState([]);useEffect(()=>{list('components',8).then(set)});return el('ul',{},urls.map(u=>el('li',{},el('a',{href:u},'Item '+u))))},document.getElementById('root'))`,
    ),
  },
  {
    name: 'reactive',
    links: leaves('reactive', 8),
    html: page(
      `${REACTIVE};const view=reactive({urls:[]},o=>{root.innerHTML=o.urls.map(u=>'<a href="'+u+'">'+u+'</a>').join('')});list('reactive',8).then(l=>{view.urls=l})`,
    ),
  },
  { name: 'fetched', links: leaves('fetched', 8), html: page(`list('fetched',8).then(show)`) },
  {
    name: 'late-request',
    links: leaves('late-request', 4),
    html: page(
      `setTimeout(()=>{const x=new XMLHttpRequest();x.open('GET','/api/list?name=late-request&n=4');x.onload=()=>show(JSON.parse(x.response));x.send()},1500)`,
    ),
  },
  {
    name: 'chain-of-timers',
    links: leaves('chain-of-timers', 2),
    html: page(
      `setTimeout(async()=>{show(await list('chain-of-timers',1));setTimeout(async()=>show(await list('chain-of-timers',1,1)),700)},400)`,
    ),
  },
  {
    name: 'sync-request',
    links: leaves('sync-request', 1),
    html: page(
      `const x=new XMLHttpRequest();x.open('GET','/api/list?name=sync-request&n=1',false);x.send();show(JSON.parse(x.responseText))`,
    ),
  },
  { name: 'idle', links: leaves('idle', 1), html: page(`requestIdleCallback(()=>{${render('idle', 1)}})`) },
  {
    name: 'fonts-ready',
    links: leaves('fonts-ready', 1),
    html: page(`document.fonts.ready.then(()=>{${render('fonts-ready', 1)}})`, {
      head: '<style>@font-face{font-family:x;src:url(/font.woff2)}body{font-family:x}</style>',
    }),
  },
  {
    name: 'image-loaded',
    links: leaves('image-loaded', 3),
    html: page(
      `const i=new Image();i.onload=()=>{${render('image-loaded', 1)}};i.src='/image.png';const o=new Image();o.crossOrigin='use-credentials';o.onload=()=>{${render('image-loaded', 1, 1)}};o.src='http://${OTHER_HOST}:1/image.png';const d=new Image();d.src='/image.png?2';d.decode().then(()=>{${render('image-loaded', 1, 2)}})`,
    ),
  },
  {
    // The loaders of Vite and webpack wait for the style of a part, and give the part up if it fails.
    name: 'style-loaded',
    links: leaves('style-loaded', 1),
    html: page(
      `const l=document.createElement('link');l.rel='stylesheet';l.href='/part.css';l.onload=()=>{${render('style-loaded', 1)}};document.head.append(l)`,
    ),
  },
  {
    name: 'typed-modules',
    links: leaves('typed-modules', 1),
    html: page(
      `import urls from '/api/list?name=typed-modules&n=1' with {type:'json'};import sheet from '/part.css' with {type:'css'};document.adoptedStyleSheets=[sheet];show(urls)`,
      { type: 'module' },
    ),
  },
  {
    name: 'own-frames',
    links: leaves('own-frames', 2),
    plain: 1,
    behaved: 2,
    html: page(
      `const f=document.createElement('iframe');document.body.append(f);f.contentDocument.body.innerHTML='<a href="/leaf/own-'+'frames/0">x</a>';${render('own-frames', 1, 1)}`,
    ),
  },
  {
    name: 'animated',
    links: leaves('animated', 3),
    html: page(
      `${render('animated', 3)}(function f(){root.style.opacity=Math.random();requestAnimationFrame(f)})()`,
    ),
  },
  {
    name: 'written',
    links: leaves('written', 2),
    html: page(`document.write('<scr'+'ipt src=/script/written.js></scr'+'ipt>')`),
  },
  {
    name: 'shadow',
    links: leaves('shadow', 6),
    html: page(
      `customElements.define('x-open',class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}).innerHTML='<a href=/leaf/shadow/0>a</a><a href=/leaf/shadow/1>b</a>'}});
customElements.define('x-closed',class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'closed'}).innerHTML='<a href=/leaf/shadow/2>a</a><a href=/leaf/shadow/3>b</a>'}})`,
      {
        body: '<x-open></x-open><x-closed></x-closed><x-given><template shadowrootmode=open><a href=/leaf/shadow/4>d</a><a href=/leaf/shadow/5>d</a></template></x-given>',
      },
    ),
  },
  {
    name: 'overridden',
    links: leaves('overridden', 2),
    html: page(
      `${render('overridden', 2)}Array.from=Array.prototype.map=Document.prototype.querySelectorAll=Document.prototype.getElementsByTagName=JSON.stringify=()=>{throw new Error('mine')};Object.defineProperty(document,'body',{get(){throw 1}});window.Set=undefined`,
    ),
  },
  {
    name: 'charset',
    links: ['/leaf/charset/%C3%A9'],
    type: 'text/html; charset=iso-8859-1',
    html: Buffer.from(
      `<!doctype html><title>x</title><div id=root></div><script>root.innerHTML='<a href="/leaf/charset/\u00e9">x</a>'</script>`,
      'latin1',
    ),
  },
  { name: 'forbidden', status: 403, links: leaves('forbidden', 1), html: page(render('forbidden', 1)) },
  {
    name: 'data-and-blob',
    links: leaves('data-and-blob', 4),
    html: page(
      `const s=document.createElement('script');s.src=URL.createObjectURL(new Blob(['show(["/leaf/data-and-blob/0"])']));document.head.append(s);
fetch('data:application/json,["/leaf/data-and-blob/1"]').then(r=>r.json()).then(show);
fetch(URL.createObjectURL(new Blob(['["/leaf/data-and-blob/2"]']))).then(r=>r.json()).then(show);
import('data:text/javascript,export default ["/leaf/data-and-blob/3"]').then(m=>show(m.default))`,
    ),
  },
  {
    name: 'coded',
    encoding: 'gzip',
    links: leaves('coded', 2),
    html: page('', {
      body: '<script src=/script/coded-gzip.js></script><script src=/script/coded-br.js></script>',
    }),
  },
  {
    name: 'policy',
    links: leaves('policy', 2),
    headers: { 'content-security-policy': "default-src 'self'" },
    html: '<!doctype html><title>Page</title><div id=root></div><script src=/script/policy.js></script>',
  },
  {
    name: 'integrity',
    links: leaves('integrity', 2),
    html: page(render('integrity', 2), {
      head: '<script src=/script/never.js integrity="sha256-AAAA" crossorigin></script>',
    }),
  },
];
