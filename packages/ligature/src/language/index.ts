/**
 * The languages of what people read in the terminal and in the viewer. English is written where a sentence is made (`phrase`); any other
 * language is a catalogue here, from English sentence to translation. What a model reads is never translated.
 *
 * Another language is one more folder and one more line below; `test/language.test.ts` lists the entries it lacks.
 */
import { type Catalogue, suggestion } from "../model/index.ts"

const catalogues = {
  en: async (): Promise<Catalogue> => ({}),
  "zh-CN": async (): Promise<Catalogue> => (await import("./zh-cn/index.ts")).catalogue,
} as const

export type Language = keyof typeof catalogues

export const languages = Object.keys(catalogues) as readonly Language[]

export const loadCatalogue = (language: Language): Promise<Catalogue> => catalogues[language]()

/** `zh_CN.UTF-8`, `zh-Hans` and `zh` are Chinese; a language without a catalogue is undefined. */
export const findLanguage = (name: string): Language | undefined => {
  const [language] = name.toLowerCase().split(/[-_.@]/)
  return languages.find((known) => known.toLowerCase().split("-")[0] === language)
}

/** What is near a language that does not exist. */
export const languageHint = (name: string): string => suggestion(name, languages) ?? `Languages: ${languages.join(", ")}`

/** The language of the environment, by the variables that programs look at, in their order. */
export const languageOf = (env: Readonly<Record<string, string | undefined>>): Language => {
  const locale = [env["LIGATURE_LANG"], env["LC_ALL"], env["LC_MESSAGES"], env["LANG"]].find((each) => each !== undefined && each !== "")
  return findLanguage(locale ?? "") ?? "en"
}
