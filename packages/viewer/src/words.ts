/** What the first load needs of the library: texts for people, and the one function that makes text of others harmless to look at. */
export { phrase, translated, useCatalogue, type Catalogue } from "../../ligature/src/model/phrase.ts"
export { count, oneLine, size } from "../../ligature/src/model/plain-text.ts"
export { visible } from "../../ligature/src/model/visible.ts"
