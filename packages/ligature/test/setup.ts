/**
 * Property tests draw the same examples in every run, so that a red run can be repeated and a green one is no luck.
 * `LIGATURE_SEED=7 npm test` draws others.
 */
import fc from "fast-check"
// Sources have no built file to load session formats and the rule book from, so they are loaded before the first test.
import "../src/registry/sessions.ts"
import "../src/rules/book/index.ts"

fc.configureGlobal({ seed: Number(process.env["LIGATURE_SEED"] ?? 20_261_115) })
