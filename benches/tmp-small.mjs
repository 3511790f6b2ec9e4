import { StateTracker } from 'patchwire';
import { create } from 'mutative';
import { produceWithPatches, enablePatches } from 'immer'; enablePatches();
const N=Number(process.argv[3]??10);
const mk=()=>({title:'x',list:Array.from({length:N},(_,i)=>({id:i,content:'item '+i,done:false,tags:['a']}))});
const recipes={ set:(i)=>(d)=>{d.list[3].done=i%2===0}, push:(i)=>(d)=>{d.list.push({id:i,content:'y',done:true,tags:[]})}, title:(i)=>(d)=>{d.title='t'+i}, two:(i)=>(d)=>{d.title='t'+i; d.list[2].content='c'+i}};
const which=process.argv[2]; const mkr=recipes[which];
const B=200;
function loop(step){ let best=[]; for(let r=0;r<60;r++){ const s=performance.now(); for(let i=0;i<B;i++) step(i); best.push((performance.now()-s)*1000/B);} best.sort((a,b)=>a-b); return best[30]; }
const reset=which==='push';
let t; const fresh=()=>{t=new StateTracker(mk(),{arrayDeltaMode:'precise'});};
fresh();
let n=0;
const ours=(i)=>{ if(reset&&++n%500===0) fresh(); t.update(mkr(i)); const p=t.getRFC6902Patches(); t.resetTracking(); const s=t.getState(); return p;};
let st=mk(), m=0; const mut=(i)=>{ if(reset&&++m%500===0) st=mk(); const [s,p,q]=create(st,mkr(i),{enablePatches:true}); st=s; return p;};
const only=process.argv[4];
if(only){ const e=performance.now()+4000; while(performance.now()<e) loop(ours); }
else { let a=[],b=[]; for(let k=0;k<9;k++){ a.push(loop(ours)); b.push(loop(mut)); } a.sort((x,y)=>x-y); b.sort((x,y)=>x-y); console.log(which,N,'ours',a[4].toFixed(2),'mutative',b[4].toFixed(2),(a[4]/b[4]).toFixed(2)); }
