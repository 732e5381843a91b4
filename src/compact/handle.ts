/**
 * Handles: how a stub names what it stands for. Positions in the whole history, counted from one, because they are
 * short, stay the same while the history grows, and need no table:
 *
 *   #12        the twelfth item (a user message, or an exchange with its calls and results)
 *   #12.2      the result of its second call
 *   #12.2:5-9  lines 5 to 9 of that result
 */
export type Handle = string

export const handleOf = (item: number, call?: number): Handle =>
  call === undefined ? `#${item + 1}` : `#${item + 1}.${call + 1}`
