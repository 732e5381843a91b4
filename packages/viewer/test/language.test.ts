/** The page loads only a part of the Chinese catalogue: it has every sentence that the page can show. */
import { describe, expect, it } from "vitest"
import { phrasesIn } from "../../../scripts/phrases.ts"
import { readPageSources } from "../../../scripts/source-files.ts"
import { causes } from "../../ligature/src/sessions/engine/causes.ts"
import { rules } from "../../ligature/src/rules/book/index.ts"
import { catalogue } from "../src/app/chinese.ts"

describe("the Chinese page", () => {
  it("has every sentence that it can show", () => {
    const rulesTexts = Object.values(rules).flatMap(({ title, why, help }) => [title, why, help])
    const shown = new Set([...readPageSources().flatMap(phrasesIn), ...Object.values(causes), ...rulesTexts])
    expect([...shown].filter((text) => /\p{L}{2}/u.test(text) && !Object.hasOwn(catalogue, text))).toEqual([])
  })
})
