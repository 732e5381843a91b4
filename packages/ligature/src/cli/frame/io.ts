/**
 * The outside world as the CLI sees it. It is passed to commands, so that tests run them in-process with streams of
 * their own; only `realIo` touches the real process.
 */
import process from "node:process"

/** Only the printer writes to it: see printer.ts. */
export interface Sink {
  readonly write: (content: string | Uint8Array) => void
  readonly isTerminal: boolean
  /** Width of the terminal; undefined when the output is not a terminal. */
  readonly columns: number | undefined
  /** Its height. */
  readonly rows?: number | undefined
}

export interface Io {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTerminal?: boolean }
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Milliseconds since an arbitrary moment, for durations. */
  readonly now: () => number
}

/** A folder that was deleted has a name that the shell still knows: sessions are found from there as from anywhere. */
const currentFolder = (): string => {
  try {
    return process.cwd()
  } catch {
    return process.env["PWD"] ?? "/"
  }
}

const sinkOf = (stream: NodeJS.WriteStream): Sink => ({
  write: (content) => {
    stream.write(content)
  },
  isTerminal: stream.isTTY === true,
  // Some terminals report 0 columns, which means that the width is unknown.
  columns: stream.isTTY === true && stream.columns > 0 ? stream.columns : undefined,
  rows: stream.isTTY === true && stream.rows > 0 ? stream.rows : undefined,
})

/**
 * A reader that closes the pipe early (`| head`) has what it wanted: that is not a failure. The command continues without
 * output, so that files are written and the exit code still reports damage.
 */
const leaveQuietly = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE") process.exitCode = 2
}

export const realIo = (): Io => {
  process.stdout.on("error", leaveQuietly)
  // Nobody reads the messages; the command continues.
  process.stderr.on("error", () => {})
  return {
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    stdin: {
      [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator](),
      get isTerminal() {
        return process.stdin.isTTY === true
      },
    },
    cwd: currentFolder(),
    env: process.env,
    now: () => performance.now(),
  }
}
