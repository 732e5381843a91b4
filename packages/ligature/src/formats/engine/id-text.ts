/**
 * An id as text. Some writers number their calls: such a number names its call as well as its digits do, and the text of
 * one side may stand beside the number of the other. What is neither names nothing.
 */
export const idText = (value: unknown): string => {
  if (typeof value === "string") return value
  return typeof value === "number" ? String(value) : ""
}
