/** For formats in which one path leads through a session: asking for another one is answered with that path, and said so. */
import type { Transcript } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import type { SessionOutline } from "../../formats/engine/session.ts"
import { anomaly } from "./anomaly.ts"

type Decode = (value: unknown, options?: DecodeOptions) => Transcript

export const singlePath =
  (decode: Decode, outline: (value: unknown) => SessionOutline): Decode =>
  (value, options = {}) => {
    const transcript = decode(value, options)
    const { branch } = options
    if (branch === undefined || outline(value).paths.some(({ id }) => id === branch)) return transcript
    const what = `There is no branch ${branch.slice(0, 80)}: this format has one path, and that one was read`
    return { ...transcript, diagnostics: [...(transcript.diagnostics ?? []), anomaly("unknown-record", {}, what)] }
  }
