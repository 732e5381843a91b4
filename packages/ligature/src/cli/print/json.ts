/** What --json prints: one object, always beginning with version, command and exit code (docs/cli-json.md). */
import type { ExitCode, Printer } from "../frame/command.ts"

/** Incremented when a field changes its meaning or is removed, not for new fields. */
export const jsonVersion = 1

export const printJson = (command: string, exitCode: ExitCode, fields: object, out: Printer): void => {
  out.json({ version: jsonVersion, command, exitCode, ...fields })
}
