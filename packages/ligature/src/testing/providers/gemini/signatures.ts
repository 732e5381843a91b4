/**
 * Thought signatures: Gemini 3 and later want one on the first call of every step of the current turn. The current turn
 * starts behind the last content in which the user really spoke. Whether a signature is genuine cannot be seen; the
 * published stand-ins are as good as any.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import { callOf, responseOf, signatureOf } from "./fields.ts"
import { roleOf } from "./turns.ts"

export function wantsSignatures(model: string | undefined): boolean {
  return model !== undefined && /gemini-([3-9]|\d\d)/.test(model)
}

export function signaturesViolation(contents: readonly WireObject[]): Violation | undefined {
  let start = contents.length - 1
  while (start >= 0 && !isSpoken(contents[start])) start -= 1
  for (let index = start + 1; index < contents.length; index++) {
    const parts = contents[index]?.["parts"]
    if (!isArray(parts)) continue
    const first = parts.find(part => isObject(part) && isObject(callOf(part)))
    if (!isObject(first)) continue
    const signature = signatureOf(first)
    if (typeof signature === "string" && signature !== "") continue
    const call = callOf(first)
    return {
      rule: "gemini-thought-signature-missing",
      message: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        + "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
        + `call \`default_api:${String(isObject(call) ? call["name"] : "")}\`, position ${index}.`,
    }
  }
  return undefined
}

function isSpoken(content: WireObject | undefined): boolean {
  if (content === undefined || roleOf(content) !== "user" || !isArray(content["parts"])) return false
  return !content["parts"].some(part => isObject(part) && isObject(responseOf(part)))
}
