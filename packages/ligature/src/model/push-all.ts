/**
 * Appends a list to another. Spreading it into `push` hands every element over as an argument, which throws a RangeError
 * where there are a hundred thousand of them: histories have no such bound, so nothing in this package does it.
 */
export const pushAll = <Value>(list: Value[], more: Iterable<Value>): void => {
  for (const value of more) list.push(value)
}
