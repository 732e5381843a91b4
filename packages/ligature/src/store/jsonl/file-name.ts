/**
 * The file name of a conversation id: any text becomes a name that every file system takes, and no two texts the same
 * one, also where file systems ignore case or cannot spell a lone surrogate.
 */
import { createHash } from "node:crypto"

const longest = 160

export const fileNameOf = (id: string): string => {
  let name = ""
  for (let index = 0; index < id.length; index++) {
    const letter = id.charAt(index)
    if (/[a-z0-9_-]/.test(letter) || (letter === "." && index > 0)) name += letter
    else {
      const code = id.charCodeAt(index)
      name += code < 0x80 ? `%${code.toString(16).padStart(2, "0")}` : `%u${code.toString(16).padStart(4, "0")}`
    }
  }
  if (name.length <= longest) return name
  // Hashed as UTF-16, because UTF-8 writes all lone surrogates alike.
  const hash = createHash("sha256").update(Buffer.from(id, "utf16le")).digest("hex")
  return `${name.slice(0, 80)}~${hash.slice(0, 40)}`
}

/** The id that a file is named after; undefined for one that is too long to be read from the name. */
export const idOfFileName = (name: string): string | undefined => {
  const id = name.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/g, (_, wide?: string, narrow?: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow ?? "", 16)),
  )
  return fileNameOf(id) === name ? id : undefined
}
