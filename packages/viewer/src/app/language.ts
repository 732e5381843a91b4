/** The language of the page: as the command line was asked, else as the browser is. */
import { useCatalogue } from "../words.ts"

export const chooseLanguage = async (asked: string | undefined): Promise<void> => {
  const language = asked ?? navigator.language
  if (!language.toLowerCase().startsWith("zh")) return
  const { catalogue } = await import("./chinese.ts")
  useCatalogue(catalogue)
  document.documentElement.lang = "zh-CN"
}
