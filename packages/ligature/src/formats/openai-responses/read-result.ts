/** Items that answer a call → result blocks. Only a patch output says that it failed; others carry the mark. */
import { type ContentBlock, isWire, readResultContent, type ResultBlock, text, type Wire } from "../../model/index.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { answeredIdOf } from "./call-ids.ts"
import { format } from "./items.ts"
import { readPart, readParts } from "./read-parts.ts"

/** One command of a shell output: what it printed, on both channels. */
const shellText = (wire: unknown): string => {
  if (!isWire(wire)) return previewOf(wire)
  const { stdout, stderr } = wire
  if (typeof stdout !== "string" && typeof stderr !== "string") return previewOf(wire)
  return [stdout, stderr].filter((printed) => typeof printed === "string" && printed !== "").join("\n")
}

const readOutput = (wire: Wire): readonly ContentBlock[] => {
  const output = wire["output"]
  if (output === undefined || output === null || output === "") return []
  if (wire["type"] === "shell_call_output" && Array.isArray(output)) {
    const printed = output.map(shellText).filter((value) => value !== "")
    return printed.length === 0 ? [] : [text(printed.join("\n"))]
  }
  if (typeof output === "string" || Array.isArray(output)) return readParts(output)
  if (isWire(output) && typeof output["type"] === "string") return [readPart(output)]
  return [malformedBlock(format, output)]
}

const withoutBareMark = (content: readonly ContentBlock[]): readonly ContentBlock[] => {
  const [first, ...rest] = content
  return first?.type === "text" && first.text === "" ? rest : content
}

/** Nearly every answer: a text without any of our marks, which all begin with a bracket. */
const plainResult = (wire: Wire, output: string): ResultBlock => {
  const { name } = wire
  const callId = answeredIdOf(wire)
  const native = { "openai-responses": wire }
  const content = [text(output)]
  return typeof name === "string"
    ? { type: "result", callId, name, content, native }
    : { type: "result", callId, content, native }
}

export const readResult = (wire: Wire): ResultBlock => {
  const { type, output } = wire
  if (type === "function_call_output" && typeof output === "string" && output !== "" && !output.startsWith("[")) {
    return plainResult(wire, output)
  }
  const patch = type === "apply_patch_call_output"
  const read = readResultContent(readOutput(wire), { errorMark: !patch })
  const name = wire["name"]
  return {
    type: "result",
    callId: answeredIdOf(wire),
    ...(typeof name === "string" && { name }),
    ...read,
    ...(read.error === true && { content: withoutBareMark(read.content) }),
    ...(patch && wire["status"] === "failed" && { error: true as const }),
    ...(type === "custom_tool_call_output" && { custom: true as const }),
    native: { "openai-responses": wire },
  }
}
