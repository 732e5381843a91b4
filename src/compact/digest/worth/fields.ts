/**
 * Records in results: `{"order_id": "#W77", "items": ["81", "82"]}`. An agent that works with records says their values
 * again and never their field names; an agent that works with code does the opposite. No parser: lines are cut, quoted
 * in either way and often no whole JSON.
 */
const codes = { quote: 34, apostrophe: 39, comma: 44, colon: 58, open: 91, close: 93, brace: 123, unbrace: 125 }

/** How far back the name of a value is looked for. */
const reach = 160

const isQuote = (code: number): boolean => code === codes.quote || code === codes.apostrophe

/** Most lines hold none, which is cheap to see. */
export const hasFields = (line: string): boolean => line.includes('":') || line.includes("':")

/** Whether the stretch of a line that ends here is the name of a field. */
export const isFieldName = (line: string, end: number): boolean =>
  isQuote(line.charCodeAt(end)) && line.charCodeAt(end + 1) === codes.colon

/** Whether what starts here is the value of a field, or in a list that is. */
export const isFieldValue = (line: string, start: number): boolean => {
  let isBehindComma = false
  const end = Math.max(1, start - reach)
  for (let at = start - 1; at >= end; at--) {
    const code = line.charCodeAt(at)
    if (code === codes.brace || code === codes.unbrace || code === codes.close) return false
    if (code === codes.comma) isBehindComma = true
    else if (code === codes.open) isBehindComma = false
    else if (code === codes.colon && isQuote(line.charCodeAt(at - 1))) return !isBehindComma
  }
  return false
}
