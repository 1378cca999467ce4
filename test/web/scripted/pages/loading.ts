import { leaves, OTHER_HOST, page, render, type ScriptedPage } from '../scripted-page.ts';

/** Pages by how they load what they render. */
export const loadingPages = (port: number): readonly ScriptedPage[] => {
  const other = `http://${OTHER_HOST}:${port}`;
  return [
    {
      name: 'modules',
      links: leaves('modules', 4),
      html: page(
        `import {some} from '/module/a.js';const {more}=await import('/module/later.js');show([...some,...more])`,
        { type: 'module' },
      ),
    },
    {
      name: 'import-map',
      links: leaves('import-map', 1),
      html: page(`import {url} from 'mapped';show([url])`, {
        head: '<script type=importmap>{"imports":{"mapped":"/module/mapped.js"}}</script>',
        type: 'module',
      }),
    },
    {
      name: 'workers',
      links: leaves('workers', 6),
      html: page(
        `const shown=e=>show(e.data);new Worker('/script/worker.js').onmessage=shown;new Worker('/script/module-worker.js',{type:'module'}).onmessage=shown;
new Worker(URL.createObjectURL(new Blob(["fetch('"+location.origin+"/api/list?name=workers&n=1&from=2').then(r=>r.json()).then(postMessage)"]))).onmessage=shown;
const s=new SharedWorker('/script/shared-worker.js');s.port.onmessage=shown;s.port.start();
new Worker('/script/worker-of-worker.js').onmessage=shown`,
      ),
    },
    {
      name: 'frames',
      links: ['/page/inner', ...leaves('frames', 1)],
      html: page(
        `${render('frames', 1)}for(const u of ['/page/inner','${other}/page/inner']){const f=document.createElement('iframe');f.src=u;root.append(f)}
const g=document.createElement('iframe');g.srcdoc='<p>inside</p><scr'+'ipt>fetch("/api/list?name=srcdoc&n=1")</scr'+'ipt>';root.append(g)`,
      ),
    },
    { name: 'inner', links: leaves('inner', 1), html: page(`list('inner',1).then(show)`) },
    {
      name: 'frame-that-answers',
      links: leaves('frame-that-answers', 2),
      html: page(
        `addEventListener('message',e=>show(e.data));for(const u of ['/go/302?to=/script/frame-0.html','${other}/script/frame-1.html']){const f=document.createElement('iframe');f.src=u;document.body.append(f)}`,
      ),
    },
    {
      name: 'cookies',
      links: leaves('cookies', 3),
      headers: { 'set-cookie': ['answer=1; HttpOnly; Path=/', 'strict=1; Path=/; SameSite=Strict'] },
      html: page(
        `document.cookie='script=1; path=/';fetch('/api/cookies?need=script,answer,strict').then(r=>r.json()).then(show)`,
      ),
    },
    {
      name: 'posts',
      links: leaves('posts', 3),
      html: page(
        `const post=async(i,q,init)=>show(await(await fetch('/api/post?name=posts&i='+i+'&'+q,{method:'POST',...init})).json());(async()=>{
await post(0,'least=13&most=13',{headers:{'content-type':'application/json'},body:'{"query":"q"}'});
const f=new FormData();f.append('a','1');f.append('b',new Blob([new Uint8Array(1000)]));await post(1,'least=1000&most=2000',{body:f});
await post(2,'least=400000&most=400000',{body:'y'.repeat(400000)})})()`,
      ),
    },
    {
      name: 'cross-origin',
      links: leaves('cross-origin', 3),
      html: page(
        `(async()=>{show(await(await fetch('${other}/open/list?name=cross-origin&i=0')).json());
show(await(await fetch('${other}/open/list?name=cross-origin&i=1',{headers:{'x-custom':'1'}})).json());
try{await fetch('${other}/api/list?name=cross-origin&n=9')}catch{show(['/leaf/cross-origin/2'])}})()`,
      ),
    },
    {
      name: 'redirected-requests',
      links: leaves('redirected-requests', 3),
      html: page(
        `const go=(status,to,init)=>fetch('/go/'+status+'?to='+encodeURIComponent(to),init);(async()=>{
const r=await go(302,'/api/list?name=redirected-requests&n=1');if(r.redirected)show(await r.json());
show(await(await go(307,'/api/post?name=redirected-requests&i=1&least=2&most=2',{method:'POST',body:'ab'})).json());
show(await(await go(302,'${other}/open/list?name=redirected-requests&i=2')).json())})()`,
      ),
    },
    {
      name: 'event-stream',
      links: leaves('event-stream', 2),
      html: page(`let n=0;new EventSource('/events').onmessage=()=>show(['/leaf/event-stream/'+n++])`),
    },
    {
      name: 'endless-body',
      links: leaves('endless-body', 2),
      html: page(
        `${render('endless-body', 2)}fetch('/endless').then(async r=>{for await(const c of r.body);})`,
      ),
    },
    {
      name: 'ranges',
      links: leaves('ranges', 2),
      html: page(
        `fetch('/bytes',{headers:{range:'bytes=2-5'}}).then(async r=>{if(r.status===206&&(await r.arrayBuffer()).byteLength===4){${render('ranges', 2)}}})`,
        { body: '<video src=/bytes autoplay muted></video>' },
      ),
    },
    {
      name: 'large-body',
      links: leaves('large-body', 2),
      plain: 0,
      lacks: 'a body of 25 MB is more than a page gets',
      html: page(
        `fetch('/large?bytes=25000000').then(r=>r.text()).then(s=>{if(s.length===25e6){${render('large-body', 2)}}})`,
      ),
    },
    {
      name: 'polling',
      links: leaves('polling', 3),
      html: page(`${render('polling', 3)}setInterval(()=>list('polling',1),50)`),
    },
    {
      name: 'web-socket',
      escapes: true,
      links: leaves('web-socket', 2),
      html: page(
        `new WebSocket('ws://'+location.host+'/socket');new WebSocket('ws://${OTHER_HOST}:${port}/socket');${render('web-socket', 2)}`,
      ),
    },
    {
      name: 'web-socket-needed',
      links: leaves('web-socket-needed', 2),
      plain: 0,
      lacks: 'a WebSocket has no connection',
      html: page(
        `new WebSocket('ws://'+location.host+'/socket').onmessage=()=>{${render('web-socket-needed', 2)}}`,
      ),
    },
  ];
};
