/** Reads settings field by field, and collects everything that is wrong with its place. */

export type Fields = Readonly<Record<string, unknown>>

export type Env = Readonly<Record<string, string | undefined>>

export const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value)

/** What a value should have been, and what it is. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** An address as an error may show it: without a user and password, and without a query. */
export const addressShown = (address: string): string =>
  address.replace(/^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*)[^]*@/i, "$1…@").replace(/\?[^]*$/, "?…")

export class Reader {
  readonly problems: string[] = []

  expect(place: string, expected: string, value: unknown): undefined {
    this.problems.push(`${place}: expected ${expected}, got ${shown(value)}`)
    return undefined
  }

  text(fields: Fields, name: string, place: string): string | undefined {
    const value = fields[name]
    if (value === undefined || (typeof value === "string" && value !== "")) return value as string | undefined
    return this.expect(`${place}${name}`, "a text", value)
  }

  texts(fields: Fields, name: string, place: string): readonly string[] {
    const value = fields[name]
    if (value === undefined) return []
    if (Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "")) return value
    return this.expect(`${place}${name}`, "a list of texts", value) ?? []
  }

  number(fields: Fields, name: string, place: string, least: number): number | undefined {
    const value = fields[name]
    if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= least)) return value as number | undefined
    return this.expect(`${place}${name}`, `a whole number from ${least}`, value)
  }

  known(fields: Fields, names: readonly string[], place: string): void {
    for (const name of Object.keys(fields)) {
      if (!names.includes(name)) this.problems.push(`${place}${name}: unknown setting; known are ${names.join(", ")}`)
    }
  }
}

/** `$NAME` stands for a variable of the environment, so that no key has to be in a file. */
export const secretOf = (value: string | undefined, place: string, env: Env, reader: Reader): string | undefined => {
  if (value === undefined || !value.startsWith("$")) return value
  const found = env[value.slice(1)]
  if (found !== undefined && found !== "") return found
  reader.problems.push(`${place}: the environment variable ${value.slice(1)} is not set`)
  return undefined
}
