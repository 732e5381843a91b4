/**
 * Finds a strategy by what the command line calls it: one of ours by its name in `ligature/compact`, a combination of
 * ours or a baseline by its name here, or `path/to/module.mjs#export`. Modules may export a Strategy, a function that
 * makes one from options, or a function that makes a plain function (messages, budget) => messages.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { loadLibrary } from "../library.mjs"
import { baselines } from "./baselines.mjs"
import { fromStrategy } from "./ours.mjs"

/** Ways to put ours together that are measured too. */
const combinations = {
  "digest-or-window": ({ ladder, digest, window }) => ladder(digest(), window()),
  "mask-or-window": ({ ladder, dedupe, mask, pipeline, window }) => ladder(mask(), pipeline(dedupe(), mask()), window()),
  "truncate-half": ({ truncate }) => truncate({ fraction: 0.5 }),
}

const isStrategy = (value) => typeof value?.plan === "function"

const fromModule = async (name) => {
  const [path, exported = "strategy"] = name.split("#")
  const loaded = await import(pathToFileURL(resolve(path)).href)
  if (loaded[exported] === undefined) throw new Error(`${path} exports no ${exported}`)
  return loaded[exported]
}

/** A strategy of ours by name, or undefined. */
const fromLibrary = (library, name, options) => {
  if (Object.hasOwn(combinations, name)) return combinations[name](library)
  const made = typeof library[name] === "function" ? library[name](options ?? {}) : library[name]
  return isStrategy(made) ? made : undefined
}

/** Which of the names the compiled code has. */
export const availableStrategies = async (dist, names) => {
  const library = await loadLibrary(dist)
  return names.filter((name) => {
    try {
      return fromLibrary(library, name) !== undefined
    } catch {
      // One that needs a part which is not there is not there either.
      return false
    }
  })
}

export const resolveStrategy = async ({ strategy: name, dist, options, meter }) => {
  const baseline = baselines[name]
  if (baseline !== undefined) return { compactMessages: async (...given) => ({ messages: await baseline(...given) }) }
  const library = await loadLibrary(dist)
  const isModule = /[#/]|\.m?js$/.test(name)
  const found = isModule ? await fromModule(name) : fromLibrary(library, name, options)
  if (found === undefined) throw new Error(`No strategy ${name} in ${dist}/compact, and no such baseline`)
  const made = isStrategy(found) ? found : found(options ?? {}, library)
  if (isStrategy(made)) return fromStrategy(made, library, { meter })
  if (typeof made === "function") return { compactMessages: async (...given) => ({ messages: await made(...given) }) }
  throw new Error(`Expected ${name} to be a strategy, or a function that makes one`)
}
