/**
 * An agent dies while two tools run. What was acknowledged is in the store: the conversation is opened again, the plan
 * says what was going on, and the next request is one the provider takes, with the finished result in it and the other
 * call closed honestly.
 */
import { assistant, call, result, user } from "ligature"
import { resume } from "ligature/agent"
import { memoryStore } from "ligature/store"

const home = new Map()

/** What the agent wrote before it died: each result as it landed. */
const untilTheCrash = async (): Promise<string> => {
  const store = memoryStore({ home })
  const { id } = await store.create({ title: "Release" })
  await store.append(id, [{ kind: "message", message: user("Test it, then deploy it.") }])
  await store.append(id, [{ kind: "message", message: assistant(call("call_1", "test"), call("call_2", "deploy", { to: "production" })) }])
  await store.append(id, [{ kind: "result", result: result("call_1", "42 passed") }])
  return id
}

export const run = async () => {
  const id = await untilTheCrash()
  const store = memoryStore({ home })

  const resumed = await resume(store, id, { format: "anthropic", user: "Are we live?" })
  const { plan, append, loaded } = resumed

  // What the request says goes into the log before it is sent; then the conversation is clean.
  await store.append(id, append, { expectedTip: loaded.tip })
  const after = await resume(store, id, { format: "anthropic" })

  // A call that waits for approval never ran: no request until somebody decides, or wants to go on without it.
  await store.append(id, [{ kind: "message", message: assistant({ ...call("call_3", "rollback"), pending: "approval" }) }])
  const waits = await resume(store, id, { format: "anthropic" })
  const closed = await resume(store, id, { format: "anthropic", waiting: "close" })

  return {
    state: plan.state,
    reasons: plan.reasons,
    askTheUser: plan.confirm,
    request: resumed.ready ? resumed.value : undefined,
    afterwards: after.plan.state,
    waiting: waits.ready ? [] : waits.waiting.map((call) => call.name),
    closed: closed.ready,
  }
}
