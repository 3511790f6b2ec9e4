import { StateTracker } from 'patchwire';
import { Log } from '../pkg/dist/log.js';
const os=Log.prototype.set; Log.prototype.set=function(p,v){console.log('set',JSON.stringify(p),JSON.stringify(v));os.call(this,p,v)};
const t=new StateTracker({a:[{}]}); t.getPatchText();
t.update(d=>{ const x={}; const o=d.a[0]; o.p=x; o.q=x; console.log(JSON.stringify(o)); o.p.once=1;});
console.log(JSON.stringify(t.getState()));
const u=new StateTracker({a:0,alias:{n:{}},z:[0]}); u.getPatchText();
u.update(d=>{d.alias=d.alias; d.alias.shared=0; d.a={...d}; console.log(JSON.stringify(d)); }); console.log(JSON.stringify(u.document().toJSON()));
