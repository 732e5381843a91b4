/**
 * Sentences for people, in the language they chose. A sentence is written in English where it is made, with `phrase`; its English form,
 * with `{1}` for the first value, is its id in the catalogue of another language. A sentence without values is a plain string: whoever
 * prints it looks it up with `translated`. What a model reads (placeholder results, digest frames) is fixed text and never goes through here.
 */
export type Catalogue = Readonly<Record<string, string>>

const english: Catalogue = {}

let active = english

/** One language per process or page, like a locale. `{}` is English. */
export const useCatalogue = (catalogue: Catalogue): void => {
  active = catalogue
}

const placeholder = /\{(\d+)\}/g

const idOf = (pieces: readonly string[]): string => pieces.reduce((id, piece, index) => `${id}{${index}}${piece}`)

/**
 * A sentence with values, in the chosen language. The id of the one below is `Tool call {1} ({2}) has no result`.
 *
 * @example
 * phrase`Tool call ${"bash"} (${"toolu_01"}) has no result` // → "Tool call bash (toolu_01) has no result"
 */
export const phrase = (pieces: TemplateStringsArray, ...values: readonly (string | number)[]): string => {
  const id = active === english ? undefined : idOf(pieces)
  if (id === undefined || !Object.hasOwn(active, id)) {
    let text = pieces[0] ?? ""
    for (let index = 1; index < pieces.length; index++) text += `${values[index - 1] ?? ""}${pieces[index]}`
    return text
  }
  return (active[id] ?? "").replace(placeholder, (_, number: string) => String(values[Number(number) - 1] ?? ""))
}

/** A sentence without values, in the chosen language; any other text as it is. */
export const translated = (text: string): string => (Object.hasOwn(active, text) ? (active[text] ?? text) : text)
