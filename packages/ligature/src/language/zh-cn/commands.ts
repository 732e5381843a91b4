/** Chinese for what the commands of the command line declare and print. */
import type { Catalogue } from "../../model/index.ts"

export const commands: Catalogue = {
}
