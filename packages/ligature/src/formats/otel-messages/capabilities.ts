/** What the messages of the tracing standard can express. They have no error flag and no signatures. */
import { declareHomes } from "../engine/codec.ts"

export const capabilities = declareHomes({
  native: ["F5", "F6", "F7", "F10", "F11", "F12", "F15", "F21", "F23", "F24"],
  convention: ["F1", "F2", "F3", "F4"],
})
