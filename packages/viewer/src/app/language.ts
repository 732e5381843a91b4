/** The language of the page: as the reader chose here, as the command line was asked, else as the browser is. */
import { useCatalogue } from "../words.ts"

export type Language = "en" | "zh-CN"

const key = "ligature-language"

/** A page that was opened from disk may have no storage. */
const stored = (): string | undefined => {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

const use = async (language: Language): Promise<Language> => {
  useCatalogue(language === "en" ? {} : (await import("./chinese.ts")).catalogue)
  document.documentElement.lang = language
  return language
}

export const chooseLanguage = (asked: string | undefined): Promise<Language> =>
  use((stored() ?? asked ?? navigator.language).toLowerCase().startsWith("zh") ? "zh-CN" : "en")

/** The other of the two, from now on. */
export const changeLanguage = (language: Language): Promise<Language> => {
  try {
    localStorage.setItem(key, language)
  } catch {
    // Then it is chosen for this time only.
  }
  return use(language)
}
