/** What --json prints: one object, always with version, command and exit code in front (docs/cli-json.md). */
import type { ExitCode, Printer } from "../frame/command.ts"

/** Raised when a field changes its meaning or goes away; new fields do not count. */
export const jsonVersion = 1

export const printJson = (command: string, exitCode: ExitCode, fields: object, out: Printer): void => {
  out.json({ version: jsonVersion, command, exitCode, ...fields })
}
