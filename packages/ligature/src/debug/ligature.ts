/** `ligature` as Node sees it: the same names, and the setting DEBUG is obeyed. */
import "./node.ts"

export * from "../index.ts"
