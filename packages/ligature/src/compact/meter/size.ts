/** How much something is. Budgets limit both: providers count tokens, and bytes too. */
export interface Size {
  readonly tokens: number
  readonly bytes: number
}

export const noSize: Size = { tokens: 0, bytes: 0 }

export const addSizes = (a: Size, b: Size): Size => ({ tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes })

export const subtractSizes = (a: Size, b: Size): Size => ({ tokens: a.tokens - b.tokens, bytes: a.bytes - b.bytes })

export const fitsIn = (size: Size, limit: Size): boolean => size.tokens <= limit.tokens && size.bytes <= limit.bytes

export const scaleSize = (size: Size, factor: number): Size => ({
  tokens: size.tokens * factor,
  bytes: size.bytes * factor,
})

/** The smaller of both measures. */
export const smallerOf = (a: Size, b: Size): Size => ({
  tokens: Math.min(a.tokens, b.tokens),
  bytes: Math.min(a.bytes, b.bytes),
})
