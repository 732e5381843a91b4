// Undoes the escapes that wrappers put around a provider's words. An error may pass a JSON body, an SDK message, a
// Python repr and a log line on its way here, each adding a layer of backslashes, and a terminal may have wrapped it.
// One reading that ignores how many layers there were is enough to recognise a text, and costs one pass.

// The run of backslashes is bounded so that a text full of them cannot make the search quadratic.
const escaped = /\\{1,16}(?:u([0-9a-fA-F]{4})|(["'`/])|[nrt])/g

/** The text without escapes, with every run of whitespace as one space. */
export function unescape(text: string): string {
  const plain = text.includes("\\") ? text.replace(escaped, unescapeOne) : text
  return plain.replace(/\s+/g, " ").trim()
}

function unescapeOne(_all: string, code: string | undefined, quote: string | undefined): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  return quote ?? " "
}
