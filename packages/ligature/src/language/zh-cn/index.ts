/** Simplified Chinese. Each part of the program has a file of its own; the keys are the English sentences. */
import type { Catalogue } from "../../model/index.ts"
import { commandHelp } from "./command-help.ts"
import { commands } from "./commands.ts"
import { demandRepairs } from "./demand-repairs.ts"
import { exported } from "./exported.ts"
import { fileProblems } from "./file-problems.ts"
import { findings } from "./findings.ts"
import { fixedFindings } from "./fixed-findings.ts"
import { log } from "./log.ts"
import { logOutput } from "./log-output.ts"
import { output } from "./output.ts"
import { requirements } from "./requirements.ts"
import { rules } from "./rules.ts"
import { sessionDamage } from "./session-damage.ts"
import { sessions } from "./sessions.ts"
import { viewer } from "./viewer.ts"

export const catalogue: Catalogue = {
  ...findings,
  ...commandHelp,
  ...commands,
  ...output,
  ...log,
  ...logOutput,
  ...fileProblems,
  ...requirements,
  ...rules,
  ...demandRepairs,
  ...sessions,
  ...sessionDamage,
  ...fixedFindings,
  ...viewer,
  ...exported,
}
