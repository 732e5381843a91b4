import { clineApi } from "../../../../src/codecs/sessions/cline-api/index.ts"
import { settle, check } from "../../../../src/laws/index.ts"
import { readdirSync, readFileSync } from "node:fs"
import { it } from "vitest"
it("x",()=>{
const dir="/work/shared/corpus/cline-api/"
for (const f of readdirSync(dir)) {
  const list = JSON.parse(readFileSync(dir+f,"utf8"))
  const t0=performance.now()
  const t = clineApi.decode(list)
  const t1=performance.now()
  const calls=t.messages.flatMap(m=>m.blocks.filter(b=>b.type==="call")), results=t.messages.flatMap(m=>m.blocks.filter(b=>b.type==="result"))
  const {conversation, report}=settle(t,{tip:"open"})
  const out=(clineApi.encode(conversation) as any).messages
  const changed=out.filter((m:any,i:number)=>!list.includes(m)).length
  console.log(f, clineApi.session.recognise({syntax:"value",records:[list]})?.certainty, t.messages.length, "calls",calls.length,"results",results.length, "entries", report.entries.map(e=>e.rule+":"+e.place.message+":"+e.ids).join(" "), "len",list.length,out.length,"same", out===list, "changed", changed, (t1-t0).toFixed(1)+"ms")
  console.log(JSON.stringify(clineApi.session.outline(list)).slice(0,300))
}
})
