/** Chinese for tables, summaries, timelines and errors of the command line. */
import type { Catalogue } from "../../model/index.ts"

export const output: Catalogue = {
}
