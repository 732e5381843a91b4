/** What the server is given. It does nothing itself: every tool runs a command of `ligature`, so that people and agents get the same answers. */

export interface Ran {
  readonly exitCode: 0 | 1 | 2
  readonly stdout: string
  readonly stderr: string
}

export interface McpOptions {
  /** Runs a command line of `ligature`, without a terminal. */
  readonly runCommand: (argv: readonly string[]) => Promise<Ran>
  /** Session files are read in these folders and below them only. */
  readonly folders: readonly string[]
  /** Relative paths start here. */
  readonly cwd: string
  /** Offers tools that change files. */
  readonly allowWrite: boolean
  readonly version: string
}

/** A wrong argument, in words that the model can act on. */
export class ToolError extends Error {
  override readonly name = "ToolError"
}
