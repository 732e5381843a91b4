/** Undefined, in a way that no compiler sees through and leaves out. */
const nothing = ([] as readonly object[])[0]

/**
 * `{ ...value, ...more }` for what runs once per message or block. On Node 20 every field that is added to an object which begins
 * with a spread takes about a microsecond; where nothing is spread first, fields are copied in a tenth of that. Where a field may
 * come first, `{ field, ...value }` is as fast.
 */
export const withFields = <Value extends object, More extends object>(value: Value | undefined, more: More): Value & More =>
  ({ ...nothing, ...value, ...more }) as Value & More
