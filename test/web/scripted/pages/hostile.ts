import { leaves, page, render, type ScriptedPage } from '../scripted-page.ts';

/** Pages that never end, or that take what there is. */
export const HOSTILE_PAGES: readonly ScriptedPage[] = [
  {
    name: 'loop-at-once',
    links: leaves('loop-at-once', 2),
    html: page(`${render('loop-at-once', 2)}while(true);`),
  },
  {
    name: 'loop-later',
    links: leaves('loop-later', 2),
    html: page(`${render('loop-later', 2)}setTimeout(()=>{while(true);},50)`),
  },
  {
    name: 'loop-when-scrolled',
    links: leaves('loop-when-scrolled', 2),
    html: page(`root.style.height='5000px';${render('loop-when-scrolled', 2)}onscroll=()=>{while(true);}`),
  },
  {
    name: 'loop-again',
    links: leaves('loop-again', 2),
    html: page(`${render('loop-again', 2)}setInterval(()=>{while(true);},10)`),
  },
  {
    name: 'loop-in-worker',
    links: leaves('loop-in-worker', 2),
    html: page(`${render('loop-in-worker', 2)}new Worker(URL.createObjectURL(new Blob(['while(true);'])))`),
  },
  {
    name: 'navigation-loop',
    links: leaves('navigation-loop', 1),
    html: page(
      `${render('navigation-loop', 1)}root.append('word '.repeat(100));setInterval(()=>{location.href='/page/navigation-loop?'+Math.random()},20)`,
    ),
  },
  {
    name: 'popup-loop',
    links: leaves('popup-loop', 1),
    html: page(`${render('popup-loop', 1)}setInterval(()=>window.open('/leaf/popup/x'),20)`),
  },
  {
    name: 'dialog-loop',
    links: leaves('dialog-loop', 1),
    html: page(`${render('dialog-loop', 1)}setInterval(()=>alert('x'),20)`),
  },
  {
    name: 'request-loop',
    links: leaves('request-loop', 1),
    html: page(
      `${render('request-loop', 1)}for(let i=0;i<10000;i++)fetch('/api/list?name=x&n=1&i='+i).catch(()=>{})`,
    ),
  },
  { name: 'memory', links: [], html: page('const a=[];for(;;)a.push(new Uint8Array(5e7).fill(7))') },
  {
    name: 'heap',
    links: [],
    html: page(`const a=[];for(let i=0;;i++)a.push({i,s:'x'.repeat(100)+i,b:[i,i,i]})`),
  },
  {
    name: 'growing',
    links: [],
    html: page(
      `for(;;)root.append(Object.assign(document.createElement('a'),{href:'/leaf/x/'+Math.random(),textContent:'x'.repeat(1000)}))`,
    ),
  },
  {
    name: 'large-html',
    links: [],
    html: page(`root.append('x'.repeat(1e8))`),
  },
].map((one) => ({ ...one, isHostile: true }));
