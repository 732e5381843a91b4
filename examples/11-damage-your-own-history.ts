/**
 * Testing your own code with generated damage. A history is a pure function of a list of numbers, so that a failure can
 * be repeated, and shrunk by a property-testing library.
 */
import { transcript } from "ligature"
import { Choices, damageHistory, expectValid, generateHistory } from "ligature/testing"

export const run = () => {
  const damages = new Set<string>()
  for (let seed = 1; seed <= 20; seed++) {
    const choices = Choices.fromSeed(seed, 400)
    const { messages, recycles } = generateHistory(choices)
    const damaged = damageHistory(messages, choices)
    for (const name of damaged.done) damages.add(name)

    // Throws when a promise is broken: settled it is healthy, settling again changes nothing, every profile's request
    // passes the strict provider, no result text is lost, and none is with another call. (Where ids repeat and
    // calls are lost, nobody can know whose result is whose: there the last one is not asked.)
    expectValid(transcript(...damaged.messages), { tokens: !recycles })
  }
  return { histories: 20, kindsOfDamage: damages.size }
}
