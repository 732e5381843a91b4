/**
 * What can be the signature of a thinking block. Only Anthropic knows whether it is one; but gateways write what it never
 * is: nothing, the name of the field in which another provider gave its reasoning, a time, a redactor's word. A request
 * with such a block is refused, so it is read as thinking without signature.
 */

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

const digits = /^\d+$/

const redacted = /^redacted$/i

/** What stands in place of a signature is short, and real ones have thousands of characters: their beginning is enough. */
const looked = 32

export const isSignature = (value: unknown): value is string => {
  if (typeof value !== "string") return false
  const opening = value.length > looked ? value.slice(0, looked) : value
  return base64.test(opening) && !digits.test(opening) && !redacted.test(opening)
}
