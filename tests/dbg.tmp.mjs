import { StateTracker } from 'patchwire';
import { perform, onPlain } from './node/program.ts';
const P=(place,other,at,to,what,value)=>({place,other,at,to,what,value});
function go(start, recipes, opt){ const t=new StateTracker(start,opt); const plain=structuredClone(start);
 for(const r of recipes){ try{ t.update(d=>{for(const s of r){perform(d,s);console.log(' ',JSON.stringify(d))}}); }catch(e){console.log(e.message)}
 console.log('state',JSON.stringify(t.getState()), 'doc', JSON.stringify(t.document().toJSON())); }
 console.log('want',JSON.stringify(onPlain(start,recipes))); }
go({a:[]},[[P(3,0,0,0,0,{})],[P(0,0,0,0,16,0),P(8,0,0,0,15,{}),P(0,0,0,0,0,"")]]);
console.log();
go({a:{}},[[P(0,3,0,0,10,""),P(7,0,0,0,0,{}),P(0,0,0,0,17,0)],[P(0,10,0,0,11,0),P(0,0,0,0,13,""),P(0,0,0,0,3,"")],[P(0,0,0,0,0,null)]]);
