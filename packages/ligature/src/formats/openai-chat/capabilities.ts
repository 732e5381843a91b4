/** What Chat Completions can express. Servers that imitate it know `reasoning_content`; nobody has an error flag. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F11", "F12", "F13", "F14", "F15", "F20", "F21", "F23", "F24"],
  convention: ["F1", "F2", "F3", "F6", "F7", "F19"],
})
