/** Ids the store gives: short, because each is written several times, and random, because stores on many machines give them. */
import { randomBytes } from "node:crypto"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Twelve letters and digits: 60 random bits. Entry ids only have to be unique in their conversation. */
export const newId = (): string => Array.from(randomBytes(12), (byte) => alphabet[byte % 32]).join("")

/** Twenty: 100 bits, for what is unique in the whole store. */
export const newConversationId = (): string => Array.from(randomBytes(20), (byte) => alphabet[byte % 32]).join("")
