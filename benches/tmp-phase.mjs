import { StateTracker } from 'patchwire';
const N=10000;
const mk=()=>({list:Array.from({length:N},(_,i)=>({id:i,content:'item '+i,done:false,tags:['a']}))});
const t=new StateTracker(mk(),{own:true,arrayDeltaMode:'precise'});
const recipe=(d)=>d.list.forEach(r=>void(r.done=!r.done));
const P={};const add=(k,v)=>(P[k]??=[]).push(v);
for(let i=0;i<60;i++){ if(i===20) for(const k in P)P[k]=[];
  let s=performance.now(); t.update(recipe); add('update',performance.now()-s);
  s=performance.now(); t.getInversePatches; t.document().free(); add('flush',performance.now()-s);
  s=performance.now(); t.getPatchText(); add('text',performance.now()-s);
  s=performance.now(); t.getRFC6902Patches(); add('patch',performance.now()-s);
  s=performance.now(); t.getState(); t.resetTracking(); add('rest',performance.now()-s);
}
const med=(a)=>a.sort((x,y)=>x-y)[a.length>>1];
for(const k in P) console.log(k,med(P[k]).toFixed(2));
