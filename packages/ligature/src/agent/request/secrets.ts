/** What must never be seen of a request: keys in its headers and in its address. Failures quote both. */
import { addressWithoutCredentials, credentialsIn, hidden, withoutCredentials } from "../../model/index.ts"

/** Headers whose values everybody may know. */
const publicHeaders: ReadonlySet<string> = new Set([
  "accept", "accept-encoding", "anthropic-beta", "anthropic-version", "content-type", "openai-beta", "user-agent",
])

/** A shorter text could be any word. */
const shortestSecret = 6

/** The parts of a header's value: `Bearer KEY`. */
const partsOf = (value: string): readonly string[] => [value, ...value.split(/[\s,;]+/)]

/** Leaves out of a text the secrets of this request, wherever they stand. */
export const hidingSecrets = (address: string, headers: Readonly<Record<string, string>>): ((text: string) => string) => {
  const secrets = Object.entries(headers)
    .flatMap(([name, value]) => (publicHeaders.has(name.toLowerCase()) ? [] : partsOf(value)))
    .concat(credentialsIn(address))
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((one, other) => other.length - one.length)
  const shown = addressWithoutCredentials(address)
  return (text) =>
    secrets.reduce((left, secret) => left.replaceAll(secret, hidden), withoutCredentials(text.replaceAll(address, () => shown)))
}
