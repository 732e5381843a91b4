/** How much of an image its readers need: as many characters as show the same dimensions as all of it. */
import { Base64Bytes } from "../../rules/media/base64.ts"
import { readImageHeader } from "../../rules/media/image-header.ts"

const lengths = [512, 4_096, 32_768]

const headerOf = (base64: string): string => JSON.stringify(readImageHeader(new Base64Bytes(base64)))

/** Nothing for what is no image. A PDF is needed as a whole: its end says where everything is. */
export const imageHead = (base64: string): number => {
  const whole = readImageHeader(new Base64Bytes(base64))
  if (whole === undefined) return 0
  if (whole.mediaType === "application/pdf") return base64.length
  const header = JSON.stringify(whole)
  return lengths.find((length) => headerOf(base64.slice(0, length)) === header) ?? base64.length
}
