import { leaves, page, render, type ScriptedPage } from '../scripted-page.ts';

/** Pages that show more to a visitor who scrolls, clicks or goes on. */
export const BEHAVIOUR_PAGES: readonly ScriptedPage[] = [
  {
    name: 'endless-scroll',
    links: leaves('endless-scroll', 40),
    plain: 8,
    behaved: 40,
    html: page(
      `let n=0,busy=false;async function more(){if(busy||n>=5)return;busy=true;const urls=await list('endless-scroll',8,n*8);n++;root.insertAdjacentHTML('beforeend',urls.map(u=>'<p style="height:220px"><a href="'+u+'">'+u+'</a></p>').join(''));busy=false}
more();addEventListener('scroll',()=>{if(innerHeight+scrollY>document.body.scrollHeight-300)more()})`,
    ),
  },
  {
    name: 'recycled-rows',
    links: leaves('recycled-rows', 40),
    plain: 6,
    behaved: 40,
    html: page(
      `root.style.cssText='position:relative;height:8000px';function rows(){const first=Math.floor(scrollY/200);let h='';for(let i=first;i<Math.min(40,first+6);i++)h+='<p style="position:absolute;top:'+i*200+'px"><a href="/leaf/recycled-rows/'+i+'">x</a></p>';root.innerHTML=h}addEventListener('scroll',rows);rows()`,
    ),
  },
  {
    name: 'recycled-rows-of-a-box',
    links: leaves('recycled-rows-of-a-box', 20),
    plain: 4,
    behaved: 20,
    html: page(
      `const rows=()=>{const first=Math.floor(box.scrollTop/100);let h='';for(let i=first;i<Math.min(20,first+4);i++)h+='<p style="position:absolute;top:'+i*100+'px"><a href="/leaf/recycled-rows-of-a-box/'+i+'">x</a></p>';inner.innerHTML=h};box.onscroll=rows;rows()`,
      {
        body: '<div id=box style="height:300px;overflow-y:auto"><div id=inner style="height:2000px;position:relative"></div></div>',
      },
    ),
  },
  {
    name: 'lazy-sections',
    links: leaves('lazy-sections', 10),
    plain: 2,
    behaved: 10,
    html: page(
      `for(let i=0;i<10;i++){const s=document.createElement('section');s.style.height='700px';root.append(s);new IntersectionObserver((e,o)=>{if(e[0].isIntersecting){o.disconnect();list('lazy-sections',1,i).then(l=>{s.innerHTML='<a href="'+l[0]+'">x</a>'})}}).observe(s)}`,
    ),
  },
  {
    name: 'more-button',
    links: leaves('more-button', 12),
    plain: 4,
    behaved: 12,
    html: page(
      `let n=0;async function more(){show(await list('more-button',4,n));n+=4;if(n>=12)document.getElementById('more').remove()}document.getElementById('more').onclick=more;more()`,
      { body: '<button id=more>Load more</button>' },
    ),
  },
  {
    name: 'more-button-of-components',
    links: leaves('more-button-of-components', 12),
    plain: 4,
    behaved: 12,
    html: page(
      `const part=(name,html)=>customElements.define(name,class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}).innerHTML=html}});
part('x-button','<button><slot></slot></button>');part('x-list','<ul></ul><x-button>Load more</x-button>');root.innerHTML='<x-list></x-list>';
const at=root.firstChild.shadowRoot,button=at.querySelector('x-button');let n=0;async function more(){const urls=await list('more-button-of-components',4,n);n+=4;at.querySelector('ul').insertAdjacentHTML('beforeend',urls.map(u=>'<li><a href="'+u+'">x</a></li>').join(''));if(n>=12)button.remove()}button.onclick=more;more()`,
    ),
  },
  {
    name: 'recycled-rows-of-a-component',
    links: leaves('recycled-rows-of-a-component', 20),
    plain: 4,
    behaved: 20,
    html: page(
      `const at=root.attachShadow({mode:'open'});at.innerHTML='<div style="height:300px;overflow-y:auto"><div style="height:2000px;position:relative"></div></div>';const box=at.firstChild;
const rows=()=>{const first=Math.floor(box.scrollTop/100);let h='';for(let i=first;i<Math.min(20,first+4);i++)h+='<p style="position:absolute;top:'+i*100+'px"><a href="/leaf/recycled-rows-of-a-component/'+i+'">x</a></p>';box.firstChild.innerHTML=h};box.onscroll=rows;rows()`,
    ),
  },
  {
    name: 'consent',
    links: leaves('consent', 3),
    plain: 0,
    behaved: 3,
    behave: ({ click }) => click('#accept'),
    html: page(
      `document.getElementById('accept').onclick=()=>{document.getElementById('banner').remove();${render('consent', 3)}}`,
      {
        body: '<div id=banner style="position:fixed;inset:0;background:#fff">We use cookies <button id=accept>Accept</button></div>',
      },
    ),
  },
  {
    name: 'posts-after-click',
    links: leaves('posts-after-click', 1),
    plain: 0,
    lacks: 'after a click nothing is posted',
    behaved: 0,
    html: page(
      `document.getElementById('order').onclick=e=>{e.target.remove();fetch('/api/post?name=posts-after-click&i=0&least=1&most=1',{method:'POST',body:'x'}).then(r=>r.json()).then(show)}`,
      { body: '<button id=order>Show more</button>' },
    ),
  },
  {
    name: 'on-click',
    links: leaves('on-click', 4),
    plain: 0,
    behaved: 4,
    async *behave({ document }) {
      for (const element of document.querySelectorAll('#root > *')) {
        element.click();
        yield;
      }
    },
    html: page(
      `for(let i=0;i<4;i++){const e=document.createElement(i%2?'button':'div');e.textContent='Go '+i;e.onclick=()=>{location.href='/leaf/on-click/'+i};root.append(e)}`,
    ),
  },
  {
    name: 'hash-routes',
    links: leaves('hash-routes', 3),
    plain: 1,
    behaved: 3,
    lacks: 'routes behind # are pages of their own',
    *behave({ click }) {
      click('[href="#/a"]');
      yield;
      click('[href="#/b"]');
      yield;
    },
    html: page(
      `const routes={'':0,'#/a':1,'#/b':2};function go(){root.innerHTML='';show(['/leaf/hash-routes/'+routes[location.hash]])}addEventListener('hashchange',go);go()`,
      { body: '<nav><a href="#/a">A</a> <a href="#/b">B</a></nav>' },
    ),
  },
  {
    name: 'history',
    links: ['/page/history/a', '/page/history/b', ...leaves('history', 1)],
    plain: 2,
    behaved: 3,
    lacks: 'a button that changes the URL is not clicked',
    behave: ({ click }) => click('#go'),
    html: page(
      `show(['/page/history/a','/leaf/history/0']);document.getElementById('go').onclick=()=>history.pushState({},'','/page/history/b')`,
      { body: '<button id=go>B</button>' },
    ),
  },
  {
    name: 'history-changed',
    links: [
      '/page/history-changed/canonical/',
      '/page/history-changed/canonical/near',
      '/leaf/history-changed/0',
    ],
    html: page(
      `history.pushState({},'','/page/history-changed/canonical/');show(['near','/leaf/history-changed/0'])`,
    ),
  },
  {
    name: 'popups',
    escapes: true,
    links: leaves('popups', 3),
    html: page(
      `window.open('/leaf/popups/0');root.innerHTML='<a href=/leaf/popups/1 target=_blank id=q>x</a>';document.getElementById('q').click();${render('popups', 1, 2)}`,
    ),
  },
  {
    name: 'posted-form',
    links: leaves('posted-form', 1),
    html: page(`${render('posted-form', 1)}document.getElementById('f').submit()`, {
      body: '<form id=f method=post action=/escape/posted><input name=a value=1></form>',
    }),
  },
  {
    name: 'meta-refresh',
    links: leaves('meta-refresh', 1),
    html: page(
      `document.head.insertAdjacentHTML('beforeend','<meta http-equiv=refresh content="0;url=/leaf/meta-refresh/0">')`,
    ),
  },
  {
    name: 'script-redirect',
    links: ['/page/static'],
    html: '<!doctype html><title>x</title><script>location.replace("/page/static")</script>',
  },
  {
    name: 'navigates-away',
    links: leaves('navigates-away', 2),
    html: page(
      `${render('navigates-away', 1)}root.append('word '.repeat(100));setTimeout(()=>{location.href='/leaf/navigates-away/1'},20)`,
    ),
  },
  {
    name: 'downloads',
    links: leaves('downloads', 2),
    html: page(
      `${render('downloads', 2)}for(const u of ['/file.bin',URL.createObjectURL(new Blob(['x']))]){const a=document.createElement('a');a.href=u;a.download='x.bin';a.click()}
const f=document.createElement('iframe');f.src='/file.bin?2';document.body.append(f)`,
    ),
  },
  {
    name: 'dialogs',
    links: leaves('dialogs', 2),
    html: page(
      `alert('a');confirm('b');prompt('c');addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='x'});print();${render('dialogs', 2)}`,
    ),
  },
  {
    name: 'storage',
    links: leaves('storage', 2),
    html: page(
      `localStorage.a=sessionStorage.b='1';indexedDB.open('d').onsuccess=()=>{${render('storage', 1)}};caches.open('c').then(()=>{${render('storage', 1, 1)}})`,
    ),
  },
];
