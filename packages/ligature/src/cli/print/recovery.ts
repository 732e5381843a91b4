/** How a stored conversation is: the recovery plan and what the store had to salvage, as lines. */
import type { Diagnostic } from "../../model/index.ts"
import type { RecoveryPlan } from "../../store/index.ts"
import type { Printer } from "../frame/command.ts"
import { count, hang, oneLine } from "../frame/text.ts"

const stateWords: Readonly<Record<RecoveryPlan["state"], string>> = {
  clean: "clean",
  "open-calls": "open calls",
  damaged: "damaged",
}

export const stateLine = (plan: RecoveryPlan, out: Printer): string => {
  const { palette } = out
  const words = stateWords[plan.state]
  if (plan.state === "clean") return palette.good(words)
  return plan.state === "damaged" ? palette.error(words) : palette.warning(words)
}

const printLine = (label: string, text: string, out: Printer): void => {
  for (const line of hang(label, oneLine(text), out.width)) out.line(line)
}

export const printDamage = (damage: readonly Diagnostic[], label: string, out: Printer): void => {
  for (const { rule, what, place } of damage) {
    const line = place.line === undefined || what.startsWith("Line ") ? "" : `line ${place.line}: `
    printLine(`  ${label} `, `[${rule}] ${line}${what}`, out)
  }
}

/** What was going on, what becomes of it, and whether somebody should look first. */
export const printPlan = (plan: RecoveryPlan, out: Printer): void => {
  const { palette } = out
  const { state, reasons, salvaged, lost, synthesised, repaired, confirm } = plan
  out.line(`${state === "clean" ? palette.good("✓") : palette.warning("!")} ${stateLine(plan, out)}`)
  const told = new Set(lost.map(({ what }) => what))
  for (const reason of reasons) if (!told.has(reason)) printLine("  ", reason, out)
  printDamage(lost, "lost", out)
  printDamage(salvaged, "salvaged", out)
  for (const { what, ids } of synthesised) {
    printLine("  ", `behind the tip: ${what}${ids.length > 0 ? ` (${ids.join(", ")})` : ""}`, out)
  }
  for (const { rule, what } of repaired.slice(0, 5)) printLine("  ", `repaired: ${rule}: ${what}`, out)
  if (repaired.length > 5) out.line(`  and ${count(repaired.length - 5, "other repair")}`)
  if (confirm) out.line(palette.warning("  Look before the agent goes on: something may have happened that nobody recorded."))
}
