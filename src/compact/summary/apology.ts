/**
 * Whether an answer is nothing but a refusal: "I'm sorry, I can't help with that." Known by its first words, which no
 * notes begin with, and by having nothing else to say: it is short and cites no handle.
 */
import { headings } from "./instructions.ts"

/** What models begin with when they decline, in the languages they are asked in most. */
const openings: readonly RegExp[] = [
  // English
  /^(?:i['’]m|i am|we['’]re|we are) (?:\w+ )?(?:sorry|afraid|unable to|not able to)\b/i,
  /^(?:my (?:\w+ )?)?apologies\b|^i (?:must |do )?apologi[sz]e\b|^sorry(?:[,.!:;–—]|,? (?:but|i)\b|$)/i,
  /^(?:unfortunately,? )?(?:as an ai\b[^.\n]{0,60}, )?i (?:can['’]?t|cannot|can not|won['’]?t|will not|am unable to|am not able to|must|have to|need to) (?:\w+ )?(?:help|assist|comply|fulfil|provide|summari[sz]e|continue|do that|do this|answer|respond|discuss|share|engage|decline|refuse)/i,
  // Chinese
  /^(?:我)?(?:非常|很|十分|实在|實在|真的)?(?:抱歉|对不起|對不起|不好意思)/,
  /^(?:很遗憾，?|很遺憾，?)?我(?:无法|無法|不能|没办法|沒辦法)(?:帮|幫|协助|協助|提供|满足|滿足|完成|继续|繼續|回答|总结|總結|处理|處理|执行|執行)/,
  // German
  /^(?:(?:es )?tut mir (?:\w+ )?leid|entschuldigung|entschuldigen sie|ich bitte um (?:entschuldigung|verzeihung)|verzeihung)(?![\p{L}\d])/iu,
  /^(?:leider )?(?:kann ich|ich kann|darf ich|ich darf) [^.\n]{0,60}(?:helfen|weiterhelfen|unterstützen|erfüllen|nachkommen|beantworten|zusammenfassen)/i,
  // French
  /^(?:je suis )?(?:\p{L}+ )?désolée?(?![\p{L}\d])|^(?:toutes )?mes excuses(?![\p{L}\d])|^je (?:m['’]excuse|vous prie de m['’]excuser)/iu,
  /^(?:malheureusement,? )?je ne (?:peux|puis|suis) pas (?:vous |t['’])?(?:en mesure|aider|répondre|fournir|résumer|continuer|traiter|faire cela)/i,
  // Spanish
  /^(?:lo siento|lo lamento|perdón|disculp(?:a|e|en)|mis disculpas)(?![\p{L}\d])/iu,
  /^(?:lamentablemente,? )?no puedo (?:ayudar|asistir|cumplir|continuar|proporcionar|responder|resumir|hacer eso)/i,
  // Japanese
  /^(?:大変|誠に|まことに)?(?:申し訳|申しわけ|すみません|すいません|ごめんなさい)/,
  /^(?:その|この|そのような|ご)(?:依頼|要求|要望|リクエスト|質問)に(?:は)?(?:お応え|お答え|対応|応じ)[^。\n]{0,6}(?:できません|できかね|いたしかね|られません)/,
]

/** Longer answers say something beside the refusal. */
const mostCharacters = 500

/** Headings above a refusal make it no summary. */
const withoutHeadings = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !headings.some((heading) => line.trim() === heading))
    .join("\n")

export const isApology = (text: string): boolean => {
  if (text.length > 2 * mostCharacters) return false
  const said = withoutHeadings(text).replace(/^[\s>*_"'“「«-]+/, "").trim()
  return said.length <= mostCharacters && !/#\d/.test(said) && openings.some((opening) => opening.test(said))
}
