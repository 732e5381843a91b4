/**
 * Whether two ids are one id in two spellings. Proxies and converters write ids anew on one side only: characters a
 * provider refuses become others (`functions.bash:0`, `functions_bash_0`), the second half of a double id is left out
 * (`call_a|fc_b`), what is too long is cut off, the word in front is changed or left out (`toolu_01x`, `call_01x`), or
 * the case is lost. Counters that merely begin alike (`call_1`, `call_12`) are two ids, and so are those that count the
 * calls of two tools (`read_0`, `grep_0`).
 */

/** An id this long is not a counter: equal ids mean the same call wherever they are; shorter ones begin alike by chance. */
export const distinctiveLength = 16

const lettersOf = (id: string): string => id.replaceAll(/[^a-zA-Z0-9]/g, "").toLowerCase()

/** Words that say nothing but that an id follows. */
const wordInFront = /^(?:call|chatcmpl-tool|ctc|fc|tool_call|tool|tooluse|toolu)[_-]+(?:(?:bdrk|vrtx)[_-])?/i

/** What tells an id apart from others of its kind. */
const coreOf = (id: string): string => lettersOf(id.replace(wordInFront, ""))

const isCutFrom = (cut: string, whole: string): boolean =>
  cut.length >= distinctiveLength && whole.startsWith(cut) && !/^\d{1,4}$/.test(whole.slice(cut.length))

export const isSameId = (left: string, right: string): boolean => {
  const [one, other] = [lettersOf(left), lettersOf(right)]
  if (one === "" || other === "") return false
  if (one === other || isCutFrom(one, other) || isCutFrom(other, one)) return true
  if (coreOf(left) !== "" && coreOf(left) === coreOf(right)) return true
  return left !== right && (left.split("|", 1)[0] === right || right.split("|", 1)[0] === left)
}

/** Ids that are one id in two spellings share at least one of their keys. */
export const spellingKeys = (id: string): readonly string[] => {
  const whole = lettersOf(id).slice(0, distinctiveLength)
  const head = id.includes("|") ? lettersOf(id.slice(0, id.indexOf("|"))).slice(0, distinctiveLength) : whole
  const core = coreOf(id).slice(0, distinctiveLength)
  return [...new Set([whole, head, core])].filter((key) => key !== "")
}
