/** Ids the store gives: short, because each is written several times, and random, because stores on many machines give them. */
import { randomFillSync } from "node:crypto"

const alphabet = Buffer.from("0123456789abcdefghjkmnpqrstvwxyz")

/** Random letters in stock: asking the system for a few bytes costs as much as asking for many. */
const stockBytes = Buffer.alloc(4_096)
let stock = ""
let used = 0

const letters = (count: number): string => {
  if (used + count > stock.length) {
    randomFillSync(stockBytes)
    for (let index = 0; index < stockBytes.length; index++) stockBytes[index] = alphabet[(stockBytes[index] ?? 0) % 32] ?? 0
    stock = stockBytes.toString("latin1")
    used = 0
  }
  used += count
  return stock.slice(used - count, used)
}

/** 60 random bits. Entry ids only have to be unique in their conversation, where a collision would be noticed. */
export const newId = (): string => letters(12)

/** 100 random bits, for what is unique in the whole store. */
export const newConversationId = (): string => letters(20)
