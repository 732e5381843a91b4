/** The state of a stored conversation: the recovery plan and what the store had to salvage, as lines. */
import { type Diagnostic, phrase, translated } from "../../model/index.ts"
import type { RecoveryPlan } from "../../store/index.ts"
import type { Printer } from "../frame/command.ts"
import { count, hang, oneLine } from "../frame/text.ts"

const states: Readonly<Record<RecoveryPlan["state"], () => string>> = {
  clean: () => phrase`clean`,
  "open-calls": () => phrase`open calls`,
  damaged: () => phrase`damaged`,
}

export const stateLine = (plan: RecoveryPlan, out: Printer): string => {
  const { palette } = out
  const text = states[plan.state]()
  if (plan.state === "clean") return palette.good(text)
  return plan.state === "damaged" ? palette.error(text) : palette.warning(text)
}

const printLine = (label: string, text: string, out: Printer): void => {
  for (const line of hang(label, oneLine(text), out.width)) out.line(line)
}

export const printDamage = (damage: readonly Diagnostic[], label: string, out: Printer): void => {
  for (const { rule, what, place } of damage) {
    const hasLine = place.line === undefined || new RegExp(`\\b${place.line}\\b`).test(what)
    const text = hasLine ? translated(what) : phrase`line ${place.line ?? 0}: ${translated(what)}`
    printLine(`  ${label} `, `[${rule}] ${text}`, out)
  }
}

/** The state, what recovery changes, and whether a person should check first. */
export const printPlan = (plan: RecoveryPlan, out: Printer): void => {
  const { palette } = out
  const { state, reasons, salvaged, lost, synthesised, repaired, confirm } = plan
  out.line(`${state === "clean" ? palette.good("✓") : palette.warning("!")} ${stateLine(plan, out)}`)
  const told = new Set(lost.map(({ what }) => what))
  for (const reason of reasons) if (!told.has(reason)) printLine("  ", translated(reason), out)
  printDamage(lost, phrase`lost`, out)
  printDamage(salvaged, phrase`salvaged`, out)
  for (const { what, ids } of synthesised) {
    const text = translated(what)
    printLine("  ", phrase`at the tip: ${ids.length > 0 ? `${text} (${ids.join(", ")})` : text}`, out)
  }
  for (const { rule, what } of repaired.slice(0, 5)) printLine("  ", phrase`repaired: ${`${rule}: ${translated(what)}`}`, out)
  if (repaired.length > 5) out.line(`  ${phrase`and ${count(repaired.length - 5, "other repair")}`}`)
  if (confirm)
    out.line(palette.warning(`  ${phrase`Check before the agent continues: a tool may have had effects that were not recorded.`}`))
}
