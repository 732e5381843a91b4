/** Chinese for findings, rules, repairs and losses. */
import type { Catalogue } from "../../model/index.ts"

export const findings: Catalogue = {
}
