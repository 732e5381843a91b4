/** The few pieces of Markdown that generated pages are made of. */

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ")

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

export const code = (text: string): string => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

export const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n")

/** Sections with a blank line between them and a newline at the end. Empty ones are left out. */
export const page = (...sections: readonly (string | undefined)[]): string =>
  `${sections.filter((section) => section !== undefined && section !== "").join("\n\n")}\n`

/** Stands on every generated page, so that nobody edits it by hand. */
export const generatedNote = (source: string): string => `<!-- Generated from ${source}. Do not edit: npm run docs -->`

/** Words for a list: "a", "a and b", "a, b and c". */
export const words = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`
