/**
 * Whether two ids are one id in two spellings. Proxies and converters write ids anew on one side only: characters a
 * provider refuses become others (`functions.bash:0`, `functions_bash_0`), the second half of a double id is left out
 * (`call_a|fc_b`), or what is too long is cut off. Counters that merely begin alike (`call_1`, `call_12`) are two ids.
 */

/** An id this long is not a counter: equal ids mean the same call wherever they stand; shorter ones begin alike by chance. */
export const distinctiveLength = 16

const lettersOf = (id: string): string => id.replaceAll(/[^a-zA-Z0-9]/g, "")

const isCutFrom = (cut: string, whole: string): boolean =>
  cut.length >= distinctiveLength && whole.startsWith(cut) && !/^\d{1,4}$/.test(whole.slice(cut.length))

export const isSameId = (left: string, right: string): boolean => {
  const [one, other] = [lettersOf(left), lettersOf(right)]
  if (one === "" || other === "") return false
  if (one === other || isCutFrom(one, other) || isCutFrom(other, one)) return true
  return left !== right && (left.split("|", 1)[0] === right || right.split("|", 1)[0] === left)
}

/** Ids that are one id in two spellings share at least one of their keys. */
export const spellingKeys = (id: string): readonly string[] => {
  const whole = lettersOf(id).slice(0, distinctiveLength)
  const head = id.includes("|") ? lettersOf(id.slice(0, id.indexOf("|"))).slice(0, distinctiveLength) : whole
  return [...new Set([whole, head])].filter((key) => key !== "")
}
