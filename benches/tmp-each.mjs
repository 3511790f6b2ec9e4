import { StateTracker } from 'patchwire';
import { create } from 'mutative';
import { produce, setAutoFreeze } from 'immer';
const N=10000;
const mk=()=>({list:Array.from({length:N},(_,i)=>({id:i,content:'item '+i,done:false,tags:['a']}))});
const rows={
 each:(d)=>d.list.forEach(r=>void(r.done=!r.done)),
 push:(d)=>void d.list.push({id:1,content:'x',done:false,tags:[]}),
 small:null,
 index:(d)=>{const rows=d.list;let k=0;for(let i=0;i<rows.length;i+=2)rows[k++]=rows[i];rows.length=k;},
 swaps:(d)=>{const rows=d.list;for(let i=0,j=N-1;i<1000;i++,j--)[rows[i],rows[j]]=[rows[j],rows[i]];},
 sort:(d)=>void d.list.sort((a,b)=>(a.id%100)-(b.id%100)||b.id-a.id),
};
const which=process.argv[2]??'each'; const patches=process.argv[3]==='p'; const T=Number(process.argv[4]??40);
const recipe=rows[which];
const base=mk(); const t=new StateTracker(mk(),{own:true,arrayDeltaMode:'precise'}); const b=t.getState();
const med=(a)=>a.sort((x,y)=>x-y)[a.length>>1];
const A=[],B=[],C=[];
for(let i=0;i<T;i++){
  t.update(d=>void Object.assign(d,b)); t.getState(); if(patches) t.resetTracking(), t.getPatchText();
  let s=performance.now(); t.update(recipe); if(patches){t.getRFC6902Patches();} t.getState(); if(patches)t.resetTracking(); A.push(performance.now()-s);
  s=performance.now(); create(base,recipe,patches?{enablePatches:true}:undefined); B.push(performance.now()-s);
}
console.log(which,patches,'ours',med(A).toFixed(2),'mutative',med(B).toFixed(2),(med(A)/med(B)).toFixed(2));
