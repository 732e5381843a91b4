/**
 * A long text of which a reader holds only both ends: in the middle is a mark with the number of bytes that stayed in the
 * file. Whoever measures texts adds them; everybody else passes the mark on as the text it is. Marks have a random token,
 * so that no file can contain one that is taken for ours.
 *
 * In ordinary text the mark has a quote, and the backslashes before it tell how often the text around it was escaped. Where
 * only base64 is allowed, it is letters and digits, and its length is a multiple of four.
 */

/** `{lig~"abcdefghijkl~17~4096}`: token, number and bytes. The first group is the backslashes. Neither looks like a long number. */
export const textMark = /\{lig~(\\*)"([a-p]{12})~(\d{1,8})~(\d{1,11})\}/g
export const base64Mark = /LiG0([a-p]{12})(\d{8})n(\d{11})/g

export const textMarkOf = (token: string, number: number, bytes: number): string => `{lig~"${token}~${number}~${bytes}}`

export const base64MarkOf = (token: string, number: number, bytes: number): string =>
  `LiG0${token}${String(number).padStart(8, "0")}n${String(bytes).padStart(11, "0")}`

/** Texts with marks are short: longer ones need not be searched. */
const longestWithMark = 1 << 18

/** Bytes of a text that stayed in its file, less those of the mark. 0 for a text that is whole. */
export const elidedBytes = (text: string): number => {
  if (text.length > longestWithMark) return 0
  let bytes = 0
  if (text.includes('{lig~"')) for (const [mark, , , , left] of text.matchAll(textMark)) bytes += Number(left) - mark.length - 1
  if (text.includes("LiG0")) for (const [mark, , , left] of text.matchAll(base64Mark)) bytes += Number(left) - mark.length
  return bytes
}
